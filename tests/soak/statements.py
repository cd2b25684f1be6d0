"""The kinds of statements that generated programs are made of: the list of them, and those that fit no other file."""
from generate import Frame

KINDS = []


def statement(weight, team=False, unlocked=False, tied=False, roof=99, cost=3000, serial=None, outside=None):
    """Registers a kind. team: all members of the team come there. unlocked: not while a lock is held. tied: not in an
    untied task. roof: so many statements around it at most. cost: runs at most so often. serial: only outside (True),
    inside (False) of regions. outside: another weight there."""
    def register(make):
        def fits(ctx):
            return ((ctx.team or not team) and not (ctx.locked and unlocked) and (ctx.tied or not tied)
                    and ctx.depth <= roof and ctx.cost <= cost and serial in (None, ctx.serial))
        KINDS.append((lambda ctx: outside if ctx.serial and outside else weight, fits, make))
        return make
    return register


def one(ctx):
    """One statement."""
    program = ctx.program
    if ctx.path in program.drop:
        return []
    chance = ctx.chance()
    kinds = [kind for kind in KINDS if kind[1](ctx)]
    if not kinds:
        return []
    make = chance.choices([kind[2] for kind in kinds], [kind[0](ctx) for kind in kinds])[0]
    program.paths.append(ctx.path)
    inner = ctx.at("", depth=ctx.depth + 1)
    inner.path = ctx.path
    return ["{ " + f"/* {ctx.path}: {make.__name__} */", *make(inner, chance), "}"]


def block(ctx, least=1, most=3):
    """Some statements, fewer deep inside."""
    count = ctx.at("count").chance().randint(least, most)
    if ctx.depth > 5 or ctx.cost > 400:
        count = 1
    return [line for number in range(count) for line in one(ctx.at(number))]


def main_body(program):
    frame = Frame(program, "m", "1", 0)
    ctx = Context_of_main(frame)
    chance = ctx.chance()
    levels = chance.choice([1, 2, 2, 3, 8])
    body = block(ctx, 4, 8)
    return [f"omp_set_max_active_levels({levels});", *frame.declare(), *body, *frame.checks]


def Context_of_main(frame):
    from generate import Context
    return Context(frame, "m", serial=True)


@statement(14)
def work(ctx, chance):
    unit, name = chance.randrange(1, 1000), ctx.name
    where = ctx.sum(unit)
    burn = [f"burn({chance.choice([10, 100, 1000, 5000])});"] if chance.random() < 0.4 and ctx.cost < 500 else []
    form = chance.randrange(10)
    if form == 0:
        order = chance.choice(["", " relaxed", " seq_cst", " acq_rel"])
        return burn + [f"#pragma omp atomic update{order}", f"{where} += {unit};"]
    if form == 1:
        return burn + ["long before;", "#pragma omp atomic capture", "{", f"before = {where};", f"{where} += {unit};", "}",
                       f'SAME("{ctx.path}", "remainder", before % {unit}, 0);']
    if form == 2:
        hint = chance.choice(["", " hint(omp_sync_hint_contended)"])
        return ["#pragma omp critical" + (f" (work){hint}" if hint else ""), "{", *burn, f"{where} += {unit};", "}"]
    if form in (3, 4):
        kind = chance.choice(["", "_nest"])
        ctx.program.globals.append(f"static omp{kind}_lock_t lock_{name};")
        ctx.program.begin.append(f"omp_init{kind}_lock(&lock_{name});")
        depth = chance.randint(1, 3) if kind else 1
        if form == 3:
            take = [f"omp_set{kind}_lock(&lock_{name});"]
        else:
            take = [f"while (!omp_test{kind}_lock(&lock_{name}))", chance.choice(["sched_yield();", "usleep(10);"])]
        return [*(take * depth), *burn, f"{where} += {unit};", *([f"omp_unset{kind}_lock(&lock_{name});"] * depth)]
    if form == 5:
        return burn + [f"long old = __atomic_load_n(&{where}, __ATOMIC_RELAXED);",
                       f"while (!__atomic_compare_exchange_n(&{where}, &old, old + {unit}, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))", ";"]
    return burn + [f"add(&{where}, {unit});"]


@statement(4, unlocked=True)
def critical(ctx, chance):
    inner = ctx.alone("c", locked=True)
    return [f"#pragma omp critical (c_{ctx.name})", "{", *block(inner, 1, 2), "}"]


@statement(3, roof=6, cost=400)
def repeat(ctx, chance):
    runs = chance.randint(2, 4)
    body = block(ctx.at("r", times=ctx.times * runs, cost=ctx.cost * runs))
    return [f"for (int r_{ctx.name} = 0; r_{ctx.name} < {runs}; r_{ctx.name}++) {{", *body, "}"]


@statement(6)
def system(ctx, chance):
    calls = [f"usleep({chance.choice([1, 20, 200])});", "sched_yield();", "poll(NULL, 0, 1);", "if (getppid() < 0)\nabort();",
             'if (write(soak_null, "x", 1) != 1)\nabort();', "syscall(SYS_getpid);", "free(malloc(5000));", "omp_get_wtime();",
             "volatile char *p = malloc(300000);\np[299999] = 1;\nfree((void *)p);", "#pragma omp flush",
             'FILE *f = fopen("/dev/null", "w");\nfprintf(f, "%d", 1);\nfclose(f);', "#pragma omp taskyield"]
    if not ctx.in_task:
        calls.append('if (open("/does/not/exist", O_RDONLY) >= 0)\nabort();')
    return ["{", *chance.choice(calls).split("\n"), "}"]


@statement(5, tied=True)
def kept(ctx, chance):
    """Data of a thread stay with it over each statement."""
    name, path = ctx.name, ctx.path
    form = chance.randrange(4)
    body = block(ctx.at("k"))
    if form == 0:
        ctx.program.globals.append(f"static __thread long own_{name};")
        return [f"const long v_{name} = fresh();", f"own_{name} = v_{name};", *body, f'SAME("{path}", "thread_local", own_{name}, v_{name});']
    if form == 1:
        ctx.program.globals += [f"static long own_{name};", f"#pragma omp threadprivate(own_{name})"]
        return [f"const long v_{name} = fresh();", f"own_{name} = v_{name};", *body, f'SAME("{path}", "threadprivate", own_{name}, v_{name});']
    if form == 2:
        return [f"const int t_{name} = omp_get_thread_num();", *body, f'SAME("{path}", "thread number", omp_get_thread_num(), t_{name});',
                f'WITHIN("{path}", "thread number", omp_get_thread_num(), 0, omp_get_num_threads() - 1);']
    return [f"const pthread_t t_{name} = pthread_self();", *body, f'SAME("{path}", "pthread_self", pthread_equal(t_{name}, pthread_self()) != 0, 1);']


@statement(4, tied=True)
def errno_kept(ctx, chance):
    name, value = ctx.name, chance.randrange(1, 120)
    over = [[f"#pragma omp critical (e_{name})", "burn(50);"], ["#pragma omp taskyield"], ["omp_get_num_threads();"]]
    if not ctx.locked:
        over += [["#pragma omp task", "burn(50);", "#pragma omp taskwait"], ["#pragma omp taskgroup", "{", "#pragma omp task", "burn(9);", "}"]]
    if ctx.team:
        over += [["#pragma omp barrier"], ["#pragma omp single", "burn(90);"], ["#pragma omp for schedule(dynamic)", "for (int i = 0; i < 9; i++)", "burn(9);"]]
    where = ctx.sum(1)
    # Put back: the thread may have come here in a task that it runs while another such statement waits.
    return [f"const int e_{name} = soak_errno();", f"soak_errno_set({value});", *chance.choice(over),
            f'SAME("{ctx.path}", "errno", soak_errno(), {value});', f"soak_errno_set(e_{name});", f"add(&{where}, 1);"]


@statement(4)
def query(ctx, chance):
    path, level = ctx.path, ctx.frame.level
    lines = [f'SAME("{path}", "level", omp_get_level(), {level});',
             f'SAME("{path}", "ancestor", omp_get_ancestor_thread_num({level}), omp_get_thread_num());',
             f'SAME("{path}", "team size", omp_get_team_size({level}), omp_get_num_threads());',
             f'SAME("{path}", "ancestor 0", omp_get_ancestor_thread_num(0), 0);',
             f'SAME("{path}", "ancestor above", omp_get_ancestor_thread_num({level + 1}), -1);']
    return chance.sample(lines, 2)


@statement(2)
def setting(ctx, chance):
    number = chance.randint(1, 6)
    calls = [("omp_set_num_threads", "omp_get_max_threads", number, number), ("omp_set_dynamic", "omp_get_dynamic", number & 1, number & 1),
             ("omp_set_max_active_levels", "omp_get_max_active_levels", number, number)]
    call, get, value, result = chance.choice(calls)
    lines = [f"{call}({value});", f'SAME("{ctx.path}", "{get}", {get}(), {result});']
    if chance.random() < 0.3:
        kind = chance.choice(["static", "dynamic", "guided", "auto"])
        lines.append(f"omp_set_schedule(omp_sched_{kind}, {chance.randint(0, 4)});")
    return lines


import loops  # noqa: E402,F401  (they register their kinds)
import regions  # noqa: E402,F401
import roots  # noqa: E402,F401
import tasks  # noqa: E402,F401
import teams  # noqa: E402,F401
