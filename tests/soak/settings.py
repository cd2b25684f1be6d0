"""Environments that generated programs run in."""


class Setting:
    """`under`: a command that starts the program."""

    def __init__(self, env, one_cpu=False, under=()):
        self.env, self.one_cpu, self.under = env, one_cpu, list(under)

    def __str__(self):
        return " ".join([*(["taskset -c 0"] if self.one_cpu else []), *self.under,
                         *(f"'{key}={value}'" for key, value in self.env.items())])


# Rules of tests/hostile/filter.c.
SANDBOXES = (["EPERM:membarrier"], ["ENOSYS:membarrier,perf_event_open"], ["EPERM:perf_event_open,timer_create"], ["ENOSYS:rt_tgsigqueueinfo"],
             ["KILL:membarrier"], ["KILL:perf_event_open,membarrier,move_pages,get_mempolicy"])


def surroundings(chance, env, sandbox):
    """The command for half of the runs: refused calls, all signals blocked; and few arenas of malloc."""
    if chance.random() < 0.3:
        env["MALLOC_ARENA_MAX"] = "1"
    kind = chance.random()
    if kind < 0.25:
        return [str(sandbox), *chance.choice(SANDBOXES), "--"]
    return ["env", "--block-signal"] if kind < 0.5 else []


def common(chance):
    env = {}

    def perhaps(name, probability, *values):
        if chance.random() < probability:
            env[name] = str(chance.choice(values))

    perhaps("OMP_NUM_THREADS", 0.9, 1, 2, 2, 3, 4, 5, 8, "4,2", "2,3,2")
    perhaps("OMP_CANCELLATION", 0.7, "true")
    perhaps("OMP_SCHEDULE", 0.5, "static", "static,2", "dynamic,3", "guided", "auto", "nonmonotonic:dynamic", "monotonic:guided,2")
    perhaps("OMP_STACKSIZE", 0.2, "128K", "1M", "8M")
    perhaps("OMP_MAX_TASK_PRIORITY", 0.3, 3, 10)
    if chance.random() < 0.06:
        env["OMP_DYNAMIC"] = "true"
        env["SOAK_INEXACT"] = "1"
    if chance.random() < 0.1:
        env["OMP_THREAD_LIMIT"] = str(chance.choice([2, 5, 9]))
        env["SOAK_INEXACT"] = "1"
    return env, perhaps


def stock(chance):
    env, perhaps = common(chance)
    env["OMP_WAIT_POLICY"] = "passive"  # members that spin, many times as many as CPUs, take for ever
    env["SOAK_STOCK"] = "1"
    return Setting(env)


def ours(chance, features, library, sums, sandbox=None):
    """sums: the file that some of the runs write their sums to, as `run --stats` does."""
    env, perhaps = common(chance)
    perhaps("OMP_WAIT_POLICY", 0.4, "active", "passive")
    perhaps("OMP_PROC_BIND", 0.3, "true", "false", "close", "spread", "primary", "spread,close")
    perhaps("OMP_PLACES", 0.25, "threads", "cores", "sockets", "{0}", "{0},{0}", "{0:1}")
    perhaps("FGOMP_SCHED", 0.4, "spread", "steal")
    perhaps("FGOMP_SPIN", 0.4, "0", "1us", "100us", "50ms")
    perhaps("FGOMP_STACKSIZE", 0.2, "128K", "1M")
    perhaps("FGOMP_TRACE", 0.1, "/dev/null")
    # Without a time slice no signal preempts members that spin, and one kernel thread cannot wait for itself.
    alone = features & {"blocks", "spins"}
    perhaps("FGOMP_SLICE", 0.4, "100us", "1ms", "20ms", *([] if "spins" in features else ["0"]))
    carrier = chance.random()
    if carrier < 0.15:
        env["FGOMP_THREADS"] = "kernel"
    elif carrier < 0.35 and not alone and "threads" not in features:
        env["FGOMP_CARRIER"] = f"virtual:{chance.randrange(1, 10000)}"
        perhaps("FGOMP_TOPOLOGY", 0.5, "node:2 core:2 pu:1", "core:3 pu:2", "node:4 l3:1 core:2 pu:2")
    perhaps("FGOMP_STATS", 0.15, sums)
    one_cpu = chance.random() < 0.15
    env["LD_LIBRARY_PATH"] = str(library)
    return Setting(env, one_cpu, surroundings(chance, env, sandbox) if sandbox else [])
