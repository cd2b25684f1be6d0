"""Statements that open parallel regions, and threads and processes that do."""
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


@statement(2, roof=4, cost=8)
def threads(ctx, chance):
    count, name = chance.randint(1, 3), ctx.name
    ctx.program.features.add("threads")
    functions = [thread_function(ctx, f"t{number}") for number in range(count)]
    lines = [f"pthread_t h_{name}[{count}];"]
    for number, function in enumerate(functions):
        lines += [f"if (pthread_create(&h_{name}[{number}], NULL, {function}, NULL) != 0)", "abort();"]
    lines += block(ctx.alone("w"), 0, 2)
    return lines + [f"for (int i = 0; i < {count}; i++)", f"pthread_join(h_{name}[i], NULL);"]


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
