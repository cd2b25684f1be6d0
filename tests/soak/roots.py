"""Statements with threads of the program's own that open regions, and with the ways in which such a thread ends."""
from regions import thread_function
from statements import block, statement


def started(ctx, count, function, argument):
    """Lines that start threads."""
    name = ctx.name
    return [f"pthread_t h_{name}[{count}];", f"for (long i = 0; i < {count}; i++)",
            f"if (pthread_create(&h_{name}[i], NULL, {function}, {argument}) != 0)", "abort();"]


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


@statement(2, serial=True, outside=6, roof=4, cost=8)
def flat_roots(ctx, chance):
    """Each thread has one flat region after the other, all of one size: its members keep their threadprivate data."""
    name, path = ctx.name, ctx.path
    count, size, rounds = chance.randint(1, 3), chance.randint(1, 4), chance.choice([1, 10, 60])
    ctx.program.features.add("threads")
    between = chance.choice([";", "burn(3000);", "usleep(300);", "sched_yield();"])
    inside = chance.choice([";", "burn(3000);", "usleep(30);", "#pragma omp barrier"])
    ctx.program.globals += [f"static long own_{name};", f"#pragma omp threadprivate(own_{name})"]
    ctx.program.functions += [
        "static void *", f"roots_{name}(void *arg)", "{", "const long base = 100 * ((long)arg + 1);", "omp_set_dynamic(0);",
        "omp_set_max_active_levels(2);", f"#pragma omp parallel num_threads({size})", f"own_{name} = base + omp_get_thread_num();",
        f"for (int round = 0; round < {rounds}; round++) {{", "long members = 0;",
        f"#pragma omp parallel num_threads({size}) reduction(+ : members)", "{", "members++;", inside, "if (!soak_inexact)",
        f'SAME("{path}", "threadprivate", own_{name}, base + omp_get_thread_num());', "}", "if (!soak_inexact)",
        f'SAME("{path}", "members", members, {size});', between, "}", "return arg;", "}"]
    where = ctx.sum(1)
    return [*started(ctx, count, f"roots_{name}", "(void *)i"), *block(ctx.alone("w"), 0, 2), f"for (int i = 0; i < {count}; i++)",
            f"pthread_join(h_{name}[i], NULL);", f"add(&{where}, 1);"]


# No statement in these meets a point of cancellation.
WHOLE = {
    "barrier": (["#pragma omp parallel num_threads(4) reduction(+ : sum)", "{", "burn(5000);", "#pragma omp barrier", "sum++;", "}"], None),
    "loop": (["#pragma omp parallel for num_threads(3) schedule(dynamic, 2) reduction(+ : sum)", "for (int i = 0; i < 20; i++)", "sum++;"], 20),
    "tasks": (["#pragma omp parallel num_threads(3)", "#pragma omp single", "for (int i = 0; i < 10; i++) {", "#pragma omp task shared(sum)",
               "add(&sum, 1);", "}"], 10),
    "nested": (["#pragma omp parallel for num_threads(2)", "for (int i = 0; i < 4; i++) {", "long own = 0;",
                "#pragma omp parallel num_threads(3)", "{", "#pragma omp for", "for (int k = 0; k < 6; k++)", "add(&own, 1);", "}",
                "add(&sum, own);", "}"], 24),
    "queries": (["char text[99];", 'omp_capture_affinity(text, sizeof text, "%H %A %n");', "sum = omp_get_num_places() >= 0;"], 1),
}


@statement(2, roof=4, cost=8)
def ends(ctx, chance):
    """A thread whose cancellation is pending goes through its regions, and ends at its next point of cancellation. Or it
    ends by pthread_exit."""
    name, path = ctx.name, ctx.path
    ctx.program.features.add("threads")
    pending = chance.random() < 0.7
    kinds = [chance.choice(list(WHOLE)) for _ in range(chance.randint(1, 4))]
    lines = []
    for kind in kinds:
        body, wanted = WHOLE[kind]
        check = [f'SAME("{path}", "{kind}", sum, {wanted});'] if wanted else ["if (!soak_inexact)", f'SAME("{path}", "{kind}", sum, 4);']
        lines += ["{", "long sum = 0;", *body, *check, "}"]
    last = ["for (;;)", "pthread_testcancel();"] if pending else ["pthread_exit(PTHREAD_CANCELED);"]
    ctx.program.functions += ["static void *", f"ends_{name}(void *arg)", "{", *(["pthread_cancel(pthread_self());"] if pending else []),
                              "omp_set_max_active_levels(2);", *lines, "add(arg, 1);", *last, "return arg;", "}"]
    where = ctx.sum(1)
    return [f"long ran_{name} = 0;", f"void *result_{name} = NULL;", *started(ctx, 1, f"ends_{name}", f"&ran_{name}"),
            f"pthread_join(h_{name}[0], &result_{name});", f'SAME("{path}", "end", result_{name} == PTHREAD_CANCELED, 1);',
            f"add(&{where}, ran_{name});"]
