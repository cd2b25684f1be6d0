"""Statements to which all members of a team come, besides loops."""
from statements import block, statement


def add_member_count(ctx):
    """A count of the runs of this statement by this member, from 1."""
    ctx.frame.private.append(f"long runs_{ctx.name} = 0;")
    if ctx.serial:
        ctx.frame.shared.append(ctx.frame.private.pop())
    return f"++runs_{ctx.name}"


@statement(5, team=True)
def barrier(ctx, chance):
    name = ctx.name
    ctx.frame.shared.append(f"long came_{name} = 0;")
    return [f"const long r_{name} = {add_member_count(ctx)};", f"add(&came_{name}, 1);", "#pragma omp barrier",
            f'SAME("{ctx.path}", "members that came", came_{name}, r_{name} * omp_get_num_threads());', "#pragma omp barrier"]


@statement(5, team=True)
def single(ctx, chance):
    name, path = ctx.name, ctx.path
    if chance.random() < 0.35:
        value = chance.randrange(1, 1000)
        body = block(ctx.once("s"))
        return [f"long c_{name} = 0, d_{name}[2] = {{0}};", f"#pragma omp single copyprivate(c_{name}, d_{name})", "{", *body,
                f"c_{name} = {value};", f"d_{name}[1] = omp_get_thread_num();", "}", f'SAME("{path}", "copyprivate", c_{name}, {value});',
                f'WITHIN("{path}", "copyprivate", d_{name}[1], 0, omp_get_num_threads() - 1);']
    return ["#pragma omp single" + chance.choice(["", " nowait"]), "{", *block(ctx.once("s")), "}"]


@statement(4, team=True)
def masked(ctx, chance):
    what = chance.choice(["master", "masked", "masked filter(omp_get_num_threads() - 1)", "masked filter(0)"])
    return [f"#pragma omp {what}", "{", *block(ctx.once("s")), "}"]


@statement(4, team=True)
def sections(ctx, chance):
    name, count = ctx.name, chance.randint(1, 5)
    clauses, after, lines = [], [], []
    last = ""
    nowait = chance.random() < 0.4
    if chance.random() < 0.3 and not nowait and not ctx.serial:
        ctx.frame.shared.append(f"long l_{name} = 0;")
        clauses.append(f"lastprivate(l_{name})")
        last = f"l_{name} = {count};"
        after.append(f'SAME("{ctx.path}", "lastprivate", l_{name}, {count});')
    lines += [" ".join(["#pragma omp sections", *clauses, *(["nowait"] if nowait else [])]), "{"]
    for number in range(count):
        lines += ["#pragma omp section", "{", *block(ctx.once(f"s{number}"), 1, 2), last if number == count - 1 else "", "}"]
    return [line for line in lines + ["}"] + after if line]


@statement(3, team=True, cost=200)
def meeting(ctx, chance):
    """Members wait for each other in the C library."""
    name = ctx.name
    ctx.program.features.add("blocks")
    ctx.frame.shared.append(f"struct soak_meeting meet_{name} = SOAK_MEETING;")
    return [f"soak_meet(&meet_{name}, {add_member_count(ctx)} * omp_get_num_threads());"]


@statement(2, team=True, cost=100)
def pipe(ctx, chance):
    """The first member reads what the last one writes."""
    name, path = ctx.name, ctx.path
    ctx.program.features.add("blocks")
    ctx.frame.shared += [f"int pipe_{name}[2];", f"if (pipe(pipe_{name}) != 0)", "abort();"]
    ctx.frame.checks += [f"close(pipe_{name}[0]);", f"close(pipe_{name}[1]);"]
    return ["char c = 'p';", "if (omp_get_thread_num() == omp_get_num_threads() - 1) {", f"burn({chance.choice([10, 3000])});",
            f'SAME("{path}", "written", write(pipe_{name}[1], &c, 1), 1);', "}", "if (omp_get_thread_num() == 0)",
            f'SAME("{path}", "read", read(pipe_{name}[0], &c, 1), 1);']


@statement(2, team=True, cost=24)
def spin(ctx, chance):
    """Members compute until the last one has come: each takes a time slice, so not too many, nor too often."""
    if ctx.threads > 8:
        return barrier(ctx, chance)
    name = ctx.name
    ctx.program.features.add("spins")
    ctx.frame.shared.append(f"long spun_{name} = 0;")
    inside = chance.choice([";", "sched_yield();", "burn(100);"])
    return [f"const long r_{name} = {add_member_count(ctx)} * omp_get_num_threads();", f"add(&spun_{name}, 1);",
            f"while (__atomic_load_n(&spun_{name}, __ATOMIC_RELAXED) < r_{name})", inside]


@statement(2, team=True)
def cancelled_sections(ctx, chance):
    name, path = ctx.name, ctx.path
    ctx.frame.shared.append(f"long done_{name} = 0;")
    ctx.frame.checks.append(f'WITHIN("{path}", "sections", done_{name}, 0, {3 * ctx.times});')
    return ["#pragma omp sections", "{", "#pragma omp section", f"add(&done_{name}, 1);", "#pragma omp section", "{",
            "#pragma omp cancel sections", f"add(&done_{name}, 1);", "}", "#pragma omp section", "{",
            "#pragma omp cancellation point sections", f"add(&done_{name}, 1);", "}", "}"]


@statement(2, team=True)
def scope(ctx, chance):
    """A block with a reduction over the members, run by all."""
    name = ctx.name
    if ctx.serial:
        return barrier(ctx, chance)
    # The variable grows with each run. So no member may look before the barrier at its end, nor run on before all have
    # looked.
    ctx.frame.shared.append(f"long r_{name} = 0;")
    return [f"const long runs = {add_member_count(ctx)};", f"#pragma omp scope reduction(+ : r_{name})", f"r_{name} += 2;",
            f'SAME("{ctx.path}", "reduction", r_{name}, 2 * runs * omp_get_num_threads());', "#pragma omp barrier"]
