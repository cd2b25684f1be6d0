"""Explicit tasks. Those that a statement makes may outlive it, but never the region."""
from generate import delay
from statements import block, statement


@statement(9, unlocked=True, roof=8, cost=600)
def task(ctx, chance):
    name, path = ctx.name, ctx.path
    clauses, tied, included = [], ctx.tied, ctx.included
    if chance.random() < 0.15:
        clauses.append(f"if ({chance.randint(0, 1)})")
    if chance.random() < 0.1:
        clauses.append("final(1)")
        included = True
    if chance.random() < 0.15:
        clauses.append("untied")
        tied = False
    if chance.random() < 0.15:
        clauses.append(f"priority({chance.randint(0, 5)})")
    if chance.random() < 0.1:
        clauses.append("mergeable")
    count = chance.choice([1, 1, 2, 5])
    late = delay(chance, 0.2) if ctx.cost < 100 else []
    body = block(ctx.alone("t", count, tied=tied, included=included, in_task=True), 1, 2)
    lines = [f"for (int j_{name} = 0; j_{name} < {count}; j_{name}++) {{", f"long f_{name} = j_{name} + fresh() * 0;",
             " ".join(["#pragma omp task", f"firstprivate(f_{name}, j_{name})", *clauses]), "{",
             f'SAME("{path}", "firstprivate", f_{name}, j_{name});', *late, *body, f'SAME("{path}", "private copy", f_{name}, j_{name});', "}",
             "" if "mergeable" in clauses else f"f_{name} = -1;", "}"]
    if chance.random() < 0.4:
        lines.append("#pragma omp taskwait")
    return [line for line in lines if line]


@statement(3, unlocked=True, roof=8, cost=600)
def taskgroup(ctx, chance):
    """All tasks that were made inside are done behind it."""
    name, count = ctx.name, chance.randint(1, 6)
    body = block(ctx.alone("g", in_task=ctx.in_task), 0, 2)
    late = delay(chance, 0.5) if ctx.cost < 100 else []
    return [f"long done_{name} = 0;", "#pragma omp taskgroup", "{", *body, f"for (int j = 0; j < {count}; j++) {{",
            f"#pragma omp task shared(done_{name})", "{", f"#pragma omp task shared(done_{name})", "{", *late, f"add(&done_{name}, 1);", "}", f"add(&done_{name}, 1);", "}", "}", "}",
            f'SAME("{ctx.path}", "tasks done", done_{name}, {2 * count});']


@statement(3, unlocked=True, cost=600, serial=False)
def task_reduction(ctx, chance):
    """Not outside of regions: gcc's libgomp frees there what it did not allocate."""
    name, count = ctx.name, chance.randint(1, 6)
    where = ctx.sum(count)
    return [f"long r_{name} = 0;", f"#pragma omp taskgroup task_reduction(+ : r_{name})", "{", f"for (int j = 0; j < {count}; j++) {{",
            f"#pragma omp task in_reduction(+ : r_{name})", f"r_{name}++;", "}", "}", f"add(&{where}, r_{name});"]


@statement(4, unlocked=True, roof=8, cost=600)
def taskloop(ctx, chance):
    name, count = ctx.name, chance.choice([1, 3, 12])
    clause = chance.choice(["", " grainsize(2)", " num_tasks(3)", " nogroup", " untied", " priority(2)", " if (0)", " grainsize(strict : 2)"])
    if clause != " nogroup" and not ctx.serial and chance.random() < 0.3:
        where = ctx.sum(count)
        return [f"long r_{name} = 0;", f"#pragma omp taskloop{clause} reduction(+ : r_{name})", f"for (int i = 0; i < {count}; i++)",
                f"r_{name}++;", f"add(&{where}, r_{name});"]
    body = block(ctx.alone("l", count, in_task=True, tied=False), 1, 1)
    return [f"#pragma omp taskloop{clause}", f"for (int i_{name} = 0; i_{name} < {count}; i_{name}++) {{", *body, "}"]


@statement(4, unlocked=True, cost=300)
def depend(ctx, chance):
    """Each variable holds the number of the task that wrote it last, which is known."""
    name, path = ctx.name, ctx.path
    variables, count = chance.randint(1, 3), chance.randint(2, 12)
    written = [0] * variables
    lines = [f"long v_{name}[{variables}] = {{0}};"]
    for number in range(1, count + 1):
        inside, clauses = [], []
        for variable in chance.sample(range(variables), chance.randint(1, variables)):
            kind = chance.choice(["in", "in", "out", "inout"])
            clauses.append(f"depend({kind} : v_{name}[{variable}])")
            inside.append(f'SAME("{path}", "last writer", v_{name}[{variable}], {written[variable]});')
            if kind != "in":
                inside.append(f"v_{name}[{variable}] = {number};")
                written[variable] = number
        inside = delay(chance, 0.4) + inside
        if chance.random() < 0.1:
            clauses.append("if (0)")
        lines += [f"#pragma omp task shared(v_{name}) " + " ".join(clauses), "{", *inside, "}"]
        if chance.random() < 0.1:
            variable = chance.randrange(variables)
            lines += [f"#pragma omp taskwait depend(in : v_{name}[{variable}])", f'SAME("{path}", "last writer", v_{name}[{variable}], {written[variable]});']
    lines.append("#pragma omp taskwait")
    return lines + [f'SAME("{path}", "last writer", v_{name}[{variable}], {written[variable]});' for variable in range(variables)]


@statement(2, unlocked=True, cost=300)
def exclusive(ctx, chance):
    """mutexinoutset: in any order, one at a time."""
    name, count = ctx.name, chance.randint(2, 8)
    where = ctx.sum(count)
    late = chance.choice(["burn(20);", "burn(3000);", "usleep(20);"])
    return [f"long v_{name} = 0;", f"for (int j = 0; j < {count}; j++) {{", f"#pragma omp task shared(v_{name}) depend(mutexinoutset : v_{name})",
            "{", f"const long old = v_{name};", late, f"v_{name} = old + 1;", "}", "}", "#pragma omp taskwait", f"add(&{where}, v_{name});"]


@statement(2, unlocked=True, cost=60)
def recursion(ctx, chance):
    depth = chance.choice([1, 5, 9])
    a, b = 0, 1
    for _ in range(depth):
        a, b = b, a + b
    where = ctx.sum(a)
    return [f"add(&{where}, fib({depth}));"]


@statement(3, unlocked=True, cost=100)
def detach(ctx, chance):
    name, path = ctx.name, ctx.path
    inside = "usleep(30);" if chance.random() < 0.3 else ";"
    where = ctx.sum(1)
    if ctx.included or ctx.serial:  # the task runs at once, and its maker waits for the event
        inside, ending = f"omp_fulfill_event(e_{name});", ";"
    else:
        ending = chance.choice([f"omp_fulfill_event(e_{name});", f"soak_fulfil_elsewhere(e_{name});",
                                f"#pragma omp task firstprivate(e_{name})\nomp_fulfill_event(e_{name});"])
    return [f"omp_event_handle_t e_{name};", f"long d_{name} = 0;", f"#pragma omp task detach(e_{name}) shared(d_{name}) depend(out : d_{name})", "{", inside, f"d_{name} = 1;", "}",
            *ending.split("\n"), f"#pragma omp task shared(d_{name}) depend(inout : d_{name})",
            f"d_{name} += 2;", "#pragma omp taskwait", f'SAME("{path}", "tasks done", d_{name}, 3);', f"add(&{where}, 1);"]


@statement(2, unlocked=True, cost=300)
def cancelled_group(ctx, chance):
    name, path, count = ctx.name, ctx.path, chance.choice([2, 10, 40])
    return [f"long done_{name} = 0;", "#pragma omp taskgroup", "{", f"for (int j = 0; j < {count}; j++) {{", f"#pragma omp task shared(done_{name}) firstprivate(j)", "{",
            "#pragma omp cancellation point taskgroup", f"add(&done_{name}, 1);", f"if (j == {chance.randrange(count)}) {{", "#pragma omp cancel taskgroup", "}", "}", "}", "}",
            f'WITHIN("{path}", "tasks", done_{name}, 1, {count});', "if (!omp_get_cancellation())", f'SAME("{path}", "tasks", done_{name}, {count});']
