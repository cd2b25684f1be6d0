"""Loops shared by a team."""
from generate import delay
from statements import block, statement

TYPES = ["int", "int", "unsigned", "long", "unsigned long", "unsigned long long", "long long", "short"]


def schedule(chance, ordered=False):
    kind = chance.choice([None, "static", "static", "dynamic", "dynamic", "guided", "runtime", "auto"])
    if not kind:
        return ""
    chunk = f", {chance.choice([1, 2, 3, 7, 100])}" if kind in ("static", "dynamic", "guided") and chance.random() < 0.5 else ""
    modifier = chance.choice(["", "", "monotonic:"] + ([] if ordered else ["nonmonotonic:"]))
    return f" schedule({modifier}{kind}{chunk})"


def head(chance, name, count):
    """The first line of a loop of `count` runs, and the number of the run as an expression."""
    kind = chance.choice(TYPES)
    step = chance.choice([1, 1, 1, 2, 7])
    up = chance.random() < 0.7 or kind == "unsigned"  # gcc 12 gets the other direction wrong
    first = 0 if kind == "short" else chance.choice([0, 0, 3, 1000])
    if count == 0:
        first = 5  # gcc refuses "i < 0" of an unsigned i
    if kind == "unsigned long long" and chance.random() < 0.5:
        first = (1 << 63) + 5
    if up:
        end, test, move = first + step * count, "<", f"+= {step}"
    else:
        first += step * count
        end, test, move = first - step * count, ">", f"-= {step}"
    suffix = "ULL" if kind == "unsigned long long" else ""
    variable = f"i_{name}"
    difference = f"{variable} - {first}{suffix}" if up else f"{first}{suffix} - {variable}"
    return (f"for ({kind} {variable} = {first}{suffix}; {variable} {test} {end}{suffix}; {variable} {move}) {{",
            f"const long k_{name} = (long)({difference}) / {step};")


def spread_of(count):
    return sum((k * 7 + 3) % 31 for k in range(count))


@statement(12, team=True)
def loop(ctx, chance):
    # Clauses want variables that the team shares: an orphaned loop of main has none.
    name, path = ctx.name, ctx.path
    full = chance.random() < 0.4 and ctx.cost < 500  # with statements inside
    count = chance.randint(1, 9) if full else chance.choice([0, 1, 2, 5, 17, 64, 300]) if ctx.cost < 100 else chance.choice([0, 1, 5, 17])
    ordered = chance.random() < 0.2
    nowait = chance.random() < 0.4 and not ordered  # else a member that comes back is ahead of the others' ordered parts
    where = ctx.sum(spread_of(count), once=True)
    clauses, inside, after = "", [f"add(&{where}, (k_{name} * 7 + 3) % 31);"], []
    if ordered:
        ctx.frame.shared.append(f"long next_{name} = 0;")
        clauses += " ordered"
        more = block(ctx.once("o", count, locked=True), 0, 1) if full else []
        late = [f"if (k_{name} % 5 == 1)", *delay(chance, 1)] if count < 50 and ctx.cost < 60 else []
        inside += ["#pragma omp ordered", "{", *late, f'SAME("{path}", "ordered", next_{name} % {max(count, 1)}, k_{name});', f"next_{name}++;", *more, "}"]
    if not ctx.serial and not nowait and count and chance.random() < 0.25:
        ctx.frame.shared.append(f"long l_{name} = -1;")
        clauses += f" lastprivate(l_{name})"
        inside.append(f"l_{name} = k_{name};")
        after.append(f'SAME("{path}", "lastprivate", l_{name}, {count - 1});')
    if not ctx.serial and chance.random() < 0.25:
        ctx.frame.shared.append(f"long f_{name} = {count};")
        clauses += f" firstprivate(f_{name})"
        inside.append(f'SAME("{path}", "firstprivate", f_{name}, {count});')
    if not ctx.serial and chance.random() < 0.25:
        # Its variable is one of the whole team. A run that comes back resets it behind a barrier.
        ctx.frame.shared.append(f"long r_{name} = 0;")
        clauses += f" reduction(+ : r_{name})"
        inside.append(f"r_{name} += k_{name} + 1;")
        nowait = False
        after += [f'SAME("{path}", "reduction", r_{name}, {count * (count + 1) // 2});', "#pragma omp barrier", "#pragma omp single", f"r_{name} = 0;"]
    if full and not ordered:
        inside += block(ctx.once("b", count), 1, 2)
    elif chance.random() < 0.2 and count:
        inside.append(f"burn((int)(k_{name} % 5) * 300);")
    line, number = head(chance, name, count)
    return [f"#pragma omp for{schedule(chance, ordered)}{clauses}{' nowait' if nowait else ''}", line, number, *inside, "}", *after]


@statement(3, team=True)
def collapsed(ctx, chance):
    name = ctx.name
    counts = [chance.randint(1, 5) for _ in range(chance.randint(2, 3))]
    count = 1
    for each in counts:
        count *= each
    where = ctx.sum(spread_of(count), once=True)
    lines = [f"#pragma omp for collapse({len(counts)}){schedule(chance)}{chance.choice(['', ' nowait'])}"]
    number = "0"
    for depth, each in enumerate(counts):
        lines.append(f"for (int i{depth}_{name} = 0; i{depth}_{name} < {each}; i{depth}_{name}++)" + (" {" if depth == len(counts) - 1 else ""))
        number = f"({number} * {each} + i{depth}_{name})"
    return lines + [f"const long k_{name} = {number};", f"add(&{where}, (k_{name} * 7 + 3) % 31);", "}"]


@statement(3, team=True)
def chain(ctx, chance):
    """Equal static schedules give each run to the same member: no barrier is needed between the loops."""
    name, count = ctx.name, chance.choice([1, 4, 13, 50])
    ctx.frame.shared.append(f"long who_{name}[{count}];")
    kind = chance.choice(["static", f"static, {chance.randint(1, 6)}"])
    line = f"for (int i = 0; i < {count}; i++)"
    where = ctx.sum(count, once=True)
    return [f"#pragma omp for schedule({kind}) nowait", line, f"who_{name}[i] = omp_get_thread_num();", f"#pragma omp for schedule({kind}) nowait",
            line + " {", f'SAME("{ctx.path}", "member", who_{name}[i], omp_get_thread_num());', f"add(&{where}, 1);", "}"]


@statement(3, team=True, cost=300)
def doacross(ctx, chance):
    name, path = ctx.name, ctx.path
    kind = schedule(chance, True).replace("runtime", "dynamic")
    late = [f"if ((i + {chance.randint(0, 3)}) % 4 == 0)", *delay(chance, 1)] if ctx.cost < 60 else []
    if chance.random() < 0.5:
        count = chance.choice([1, 5, 40])
        distance = chance.randint(1, 3)
        ctx.frame.shared.append(f"long v_{name}[{count}];")
        where = ctx.sum(sum(k // distance + 1 for k in range(count)), once=True)
        return [f"#pragma omp for ordered(1){kind}", f"for (int i = 0; i < {count}; i++) {{", f"#pragma omp ordered depend(sink : i - {distance})", *late,
                f"v_{name}[i] = i >= {distance} ? v_{name}[i - {distance}] + 1 : 1;", "#pragma omp ordered depend(source)",
                f"add(&{where}, v_{name}[i]);", "}"]
    rows, columns = chance.randint(1, 6), chance.randint(1, 6)
    grid = [[1] * columns for _ in range(rows)]
    for i in range(1, rows):
        for j in range(1, columns):
            grid[i][j] = grid[i - 1][j] + grid[i][j - 1]
    ctx.frame.shared.append(f"long v_{name}[{rows}][{columns}];")
    where = ctx.sum(sum(map(sum, grid)), once=True)
    return [f"#pragma omp for ordered(2){kind}", f"for (int i = 0; i < {rows}; i++)", f"for (int j = 0; j < {columns}; j++) {{",
            "#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)", *late,
            f"v_{name}[i][j] = i && j ? v_{name}[i - 1][j] + v_{name}[i][j - 1] : 1;", "#pragma omp ordered depend(source)",
            f"add(&{where}, v_{name}[i][j]);", "}"]


@statement(3, team=True, cost=20)
def long_doacross(ctx, chance):
    """Many iterations with little to do: all kinds of steps, types and chunks. Each number follows from
    two before it."""
    name = ctx.name
    count, step = chance.choice([60, 150, 400]), chance.choice([1, 1, 2, 7])
    down = chance.random() < 0.3
    unsigned = not down and chance.random() < 0.3
    kind = chance.choice(["", " schedule(static)", " schedule(static, 1)", " schedule(static, 5)", " schedule(dynamic)", " schedule(dynamic, 3)", " schedule(guided)"])
    near, far, mask = 1, chance.choice([1, 2, 5]), 0xFFFFFF
    values = []
    for k in range(count):
        values.append(((values[k - near] if k >= near else 1) + (values[k - far] if k >= far else 2) + k) & mask)
    ctx.frame.shared.append(f"long v_{name}[{count}];")
    where = ctx.sum(sum(values), once=True)
    kinds = "unsigned long long" if unsigned else chance.choice(["int", "long"])
    first = step * (count - 1) if down else 16 * step  # no sink is below zero: the compiler does not expect that of an unsigned i
    last = -1 if down else first + step * count
    sign = "+" if down else "-"
    line = f"for ({kinds} i = {first}; i {'>' if down else '<'} {last}; i {'-=' if down else '+='} {step}) {{"
    number = f"({first} - i) / {step}" if down else f"(i - {first}) / {step}"
    sinks = " ".join(f"depend(sink : i {sign} {distance * step})" for distance in sorted({near, far}))
    return [f"#pragma omp for ordered(1){kind}", line, f"const long k = (long)({number});", f"#pragma omp ordered {sinks}",
            f"v_{name}[k] = ((k >= {near} ? v_{name}[k - {near}] : 1) + (k >= {far} ? v_{name}[k - {far}] : 2) + k) & {mask};",
            "#pragma omp ordered depend(source)", f"add(&{where}, v_{name}[k]);", "}"]


@statement(2, team=True)
def cancelled_loop(ctx, chance):
    name, path, count = ctx.name, ctx.path, chance.choice([3, 20, 100])
    ctx.frame.shared.append(f"long done_{name} = 0;")
    ctx.frame.checks.append(f'WITHIN("{path}", "runs", done_{name}, {ctx.times}, {count * ctx.times});')
    return [f"#pragma omp for{schedule(chance)}", f"for (int i = 0; i < {count}; i++) {{", f"add(&done_{name}, 1);",
            f"if (i == {chance.randrange(count)}) {{", "#pragma omp cancel for", "}", "#pragma omp cancellation point for", "}"]


@statement(3, roof=8, cost=60)
def parallel_for(ctx, chance):
    name, path, count = ctx.name, ctx.path, chance.choice([1, 7, 50])
    threads = chance.randint(1, min(5, max(1, 32 // ctx.threads)))
    where = ctx.sum(spread_of(count))
    line, number = head(chance, name, count)
    return [f"long r_{name} = 0;", f"#pragma omp parallel for num_threads({threads}){schedule(chance)} reduction(+ : r_{name})",
            line, number, f"r_{name} += (k_{name} * 7 + 3) % 31;", "}", f'SAME("{path}", "reduction", r_{name}, {spread_of(count)});',
            f"add(&{where}, r_{name});"]


@statement(2, team=True)
def scan(ctx, chance):
    """Prefix sums."""
    name, count = ctx.name, chance.choice([1, 6, 40])
    if ctx.serial:
        return []
    ctx.frame.shared += [f"long r_{name} = 0, v_{name}[{count}];"]
    inclusive = chance.random() < 0.5
    use, give = f"v_{name}[i] = r_{name};", f"r_{name} += i + 1;"
    parts = [give, f"#pragma omp scan inclusive(r_{name})", use] if inclusive else [use, f"#pragma omp scan exclusive(r_{name})", give]
    last = count * (count + 1) // 2 if inclusive else count * (count - 1) // 2
    where = ctx.sum(1)
    return [f"#pragma omp for reduction(inscan, + : r_{name})", f"for (int i = 0; i < {count}; i++) {{", *parts, "}",
            f'SAME("{ctx.path}", "prefix sum", v_{name}[{count - 1}], {last});', f'SAME("{ctx.path}", "reduction", r_{name}, {count * (count + 1) // 2});',
            "#pragma omp barrier", "#pragma omp single", f"r_{name} = 0;", f"add(&{where}, 1);"]


@statement(2, team=True)
def loop_of_tasks(ctx, chance):
    """A reduction of a loop in which the tasks that its runs make take part."""
    name, count = ctx.name, chance.choice([1, 5, 12])
    if ctx.serial or ctx.locked:
        return []
    ctx.frame.shared += [f"long r_{name} = 0;"]
    where = ctx.sum(1)
    return [f"#pragma omp for{schedule(chance)} reduction(task, + : r_{name})".replace("nonmonotonic:", ""), f"for (int i = 0; i < {count}; i++) {{", f"r_{name}++;",
            f"#pragma omp task in_reduction(+ : r_{name})", f"r_{name} += i;", "}", f'SAME("{ctx.path}", "reduction", r_{name}, {count * (count + 1) // 2});',
            "#pragma omp barrier", "#pragma omp single", f"r_{name} = 0;", f"add(&{where}, 1);"]


@statement(2, roof=8, cost=60)
def parallel_sections(ctx, chance):
    name, count = ctx.name, chance.randint(1, 4)
    where = ctx.sum(count)
    lines = [f"long r_{name} = 0;", f"#pragma omp parallel sections num_threads({chance.randint(1, 3)}) reduction(+ : r_{name})", "{"]
    for _ in range(count):
        lines += ["#pragma omp section", f"r_{name}++;"]
    return lines + ["}", f"add(&{where}, r_{name});"]
