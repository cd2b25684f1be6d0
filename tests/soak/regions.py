"""Statements that open parallel regions, and processes that do."""
from generate import Context, Frame
from statements import block, statement


def sizes(ctx, chance):
    most = max(1, min(8, 32 // ctx.threads))
    return chance.choice([1, 2, 2, 3, 4, 5, 8, None]) if most > 4 else chance.randint(1, most)


@statement(11, roof=7, cost=60, outside=70)
def parallel(ctx, chance):
    name, path = ctx.name, ctx.path
    asked = sizes(ctx, chance)
    if ctx.regions > 3 or ctx.threads * (asked or 4) > 40 or ctx.cost * (asked or 4) > 300:
        asked = 1
    threads = asked or 4
    frame = Frame(ctx.program, name, f"n_{name}", ctx.frame.level + 1)
    inner = Context(frame, f"{path}.p", cost=ctx.cost * threads, threads=ctx.threads * threads, regions=ctx.regions + 1,
                    depth=ctx.depth, in_task=ctx.in_task)
    clauses, before, first, last, after = [], [], [], [], []
    wanted = "omp_get_active_level() < omp_get_max_active_levels()"
    if asked:
        clauses.append(f"num_threads({asked})")
    if chance.random() < 0.15:
        condition = chance.randint(0, 1)
        before.append(f"const int if_{name} = {condition};")
        clauses.append(f"if (if_{name})")
        wanted += f" && if_{name}"
    if chance.random() < 0.3:
        clauses.append(f"proc_bind({chance.choice(['close', 'spread', 'master', 'primary'])})")
    if chance.random() < 0.3:
        before.append(f"long f_{name} = {len(path)};")
        clauses.append(f"firstprivate(f_{name})")
        first.append(f'SAME("{path}", "firstprivate", f_{name}++, {len(path)});')
        last.append(f'SAME("{path}", "private copy", f_{name}, {len(path) + 1});')
    if chance.random() < 0.3:
        before.append(f"long r_{name} = 5, x_{name} = -1;")
        clauses.append(f"reduction(+ : r_{name}) reduction(max : x_{name})")
        last.append(f"r_{name} += 3;\nx_{name} = omp_get_thread_num();")
        after += [f'SAME("{path}", "reduction", r_{name}, 5 + 3 * n_{name});', f'SAME("{path}", "maximum", x_{name}, n_{name} - 1);']
    if ctx.tied and chance.random() < 0.15:
        ctx.program.globals += [f"static long in_{name};", f"#pragma omp threadprivate(in_{name})"]
        before += [f"const long v_{name} = fresh();", f"in_{name} = v_{name};"]
        clauses.append(f"copyin(in_{name})")
        first.append(f'SAME("{path}", "copyin", in_{name}, v_{name});')
    body = block(inner, 2, 6)
    exact = f'if (!soak_inexact && !omp_get_dynamic())\nSAME("{path}", "number of threads", n_{name}, w_{name});' if asked else ""
    lines = [*before, f"long n_{name} = 0;", f"const int w_{name} = {wanted} ? {threads} : 1;", f"(void)w_{name};", *frame.declare(),
             " ".join(["#pragma omp parallel", *clauses]), "{",
             f"__atomic_store_n(&n_{name}, omp_get_num_threads(), __ATOMIC_RELAXED);", *frame.private, *first, *body, *last, "}",
             exact, *after, *frame.checks]
    return [part for line in lines for part in line.split("\n") if part]


def thread_function(ctx, part):
    """A function for a pthread of the program's own."""
    path = f"{ctx.path}.{part}"
    frame = Frame(ctx.program, path.replace(".", "_"), "1", 0)
    inner = Context(frame, path, serial=True, cost=ctx.cost, threads=ctx.threads, regions=ctx.regions, depth=ctx.depth, in_task=ctx.in_task)
    body = block(inner, 1, 3)
    function = f"run_{frame.name}"
    ctx.program.functions += ["static void *", f"{function}(void *arg)", "{", "omp_set_max_active_levels(2);", *frame.declare(), *body, *frame.checks, "return arg;", "}"]
    return function


@statement(2, serial=True, roof=4, cost=4)
def fork(ctx, chance):
    """Outside of any region: the child may open regions of its own, on this libgomp."""
    where, name = ctx.sum(1), ctx.name
    count = chance.randint(1, 4)
    child = [f"long r_{name} = 0;", f"#pragma omp parallel num_threads({count}) reduction(+ : r_{name})", f"r_{name} += omp_get_num_threads();",
             f"_exit(r_{name} == {count * count} || soak_inexact || omp_get_dynamic() ? 7 : 1);"]
    return ["fflush(NULL);", f"const pid_t c_{name} = fork();", f"if (c_{name} == 0) {{", "alarm(60);", "if (soak_stock)", "_exit(7);", *child, "}",
            f"int status_{name} = 0;", f"while (waitpid(c_{name}, &status_{name}, 0) < 0 && errno == EINTR)", ";",
            f'SAME("{ctx.path}", "status of the child", status_{name}, 7 << 8);', f"add(&{where}, 1);"]


@statement(3, roof=8, cost=60)
def cancelled_region(ctx, chance):
    name, path = ctx.name, ctx.path
    threads, who = chance.randint(1, min(4, max(1, 32 // ctx.threads))), chance.randint(0, 3)
    where = ctx.sum(1)
    return [f"long a_{name} = 0, b_{name} = 0, n_{name} = 0;", f"#pragma omp parallel num_threads({threads})", "{",
            f"__atomic_store_n(&n_{name}, omp_get_num_threads(), __ATOMIC_RELAXED);", f"add(&a_{name}, 1);",
            f"if (omp_get_thread_num() == {who}) {{", "#pragma omp cancel parallel", "}", "#pragma omp cancellation point parallel",
            "#pragma omp barrier" if chance.random() < 0.5 else ";", f"add(&b_{name}, 1);", "}",
            f'SAME("{path}", "members", a_{name}, n_{name});', f'WITHIN("{path}", "members not cancelled", b_{name}, 0, n_{name});',
            f"if (!omp_get_cancellation() || n_{name} <= {who})", f'SAME("{path}", "members", b_{name}, n_{name});', f"add(&{where}, 1);"]


# Small regions that a member meets one after the other, and what they add to r.
SMALL = {
    "plain": (["#pragma omp parallel num_threads({k})", "{{", "add(&m, 1);", "#pragma omp atomic write", "r = omp_get_num_threads();", "}}", "r -= m;"], 0),
    "loop": (["#pragma omp parallel for num_threads({k}) schedule(dynamic)", "for (int i = 0; i < 8; i++) {{", "burn({work});", "add(&r, 1);", "}}"], 8),
    "tasks": (["#pragma omp parallel num_threads({k})", "#pragma omp single", "for (int i = 0; i < 4; i++) {{", "#pragma omp task shared(r)",
               "{{", "burn({work});", "add(&r, 1);", "}}", "}}"], 4),
    "taskloop": (["#pragma omp parallel num_threads({k})", "#pragma omp single", "#pragma omp taskloop grainsize(1)",
                  "for (int i = 0; i < 6; i++)", "add(&r, 1);"], 6),
    "barrier": (["#pragma omp parallel num_threads({k})", "{{", "burn({work});", "#pragma omp barrier", "#pragma omp single", "r += 3;", "}}"], 3),
    "critical": (["#pragma omp parallel num_threads({k})", "{{", "#pragma omp critical (small)", "m++;", "#pragma omp barrier",
                  "#pragma omp atomic write", "r = omp_get_num_threads();", "}}", "r -= m;"], 0),
}


@statement(4, roof=5, cost=8)
def looks(ctx, chance):
    """Members meet one small region after another, until the last one has slept and looked some times."""
    name, path = ctx.name, ctx.path
    ctx.program.features |= {"blocks", "spins"}
    size = chance.randint(2, min(4, max(2, 16 // ctx.threads)))
    kind = chance.choice(list(SMALL))
    lines, wanted = SMALL[kind]
    values = {"k": chance.randint(1, 3), "work": chance.choice([0, 100, 3000, 30000])}
    times, sleep = chance.randint(1, 5), chance.choice([100, 1000, 3000])
    where = ctx.sum(times)
    return [f"long over_{name} = 0, seen_{name} = 0;", f"#pragma omp parallel num_threads({size})", "if (omp_get_thread_num() == omp_get_num_threads() - 1) {",
            f"for (int i = 0; i < {times}; i++) {{", f"usleep({sleep});", f"seen_{name}++;", "}",
            f"__atomic_store_n(&over_{name}, 1, __ATOMIC_RELEASE);", "}", "else", f"while (!__atomic_load_n(&over_{name}, __ATOMIC_ACQUIRE)) {{",
            "long r = 0, m = 0;", "(void)m;", *(line.format(**values) for line in lines), f'SAME("{path}", "{kind}", r, {wanted});', "}",
            f"add(&{where}, seen_{name});"]


@statement(3, tied=True, roof=7, cost=60)
def rounding(ctx, chance):
    """Members take over the floating-point modes of the thread that meets the region. (In gcc's libgomp only new threads do.)"""
    name, path = ctx.name, ctx.path
    mode = chance.choice(["FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"])
    size = chance.randint(1, min(4, max(1, 32 // ctx.threads)))
    check = [f'SAME("{path}", "modes", soak_modes(), w_{name});']
    within = ["#pragma omp barrier"] if chance.random() < 0.4 else []
    if chance.random() < 0.3:
        within += ["#pragma omp parallel num_threads(2)", *check]
    where = ctx.sum(1)
    region = [f"#pragma omp parallel num_threads({size})", "if (!soak_stock) {", *check, *within, *check, "}"]
    return [f"const struct soak_modes m_{name} = soak_modes_set({mode}, {chance.randint(0, 1)});", "{", f"const int w_{name} = soak_modes();", *region, "}",
            f"soak_modes_back(m_{name});", *(["{", f"const int w_{name} = soak_modes();", *region, "}"] if chance.random() < 0.6 else []),
            f"add(&{where}, 1);"]


@statement(2, roof=6, cost=30)
def limited(ctx, chance):
    """All threads that a team of one stands between count for the limit."""
    name, path = ctx.name, ctx.path
    outer, inner = chance.randint(2, 4), chance.randint(2, 5)
    where = ctx.sum(1)
    return [f"long outer_{name} = 0, inner_{name} = 0;", f"#pragma omp parallel num_threads({outer})", "{", "#pragma omp master", "{",
            f"outer_{name} = omp_get_num_threads();", "#pragma omp parallel num_threads(1)", f"#pragma omp parallel num_threads({inner})",
            "#pragma omp master", f"inner_{name} = omp_get_num_threads();", "}", "#pragma omp barrier", "}",
            f'WITHIN("{path}", "threads", outer_{name} + inner_{name} - 1, 1, omp_get_thread_limit());', f"add(&{where}, 1);"]
