"""The benchmarks: for each its processes, their binding, their time limits, and the targets of our runtime."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from driver.multizone import Multizone
from driver.runtimes import OURS

PEERS = "best peer"


@dataclass
class Run:
    """One process. `openmp` False: it uses no OpenMP runtime and is measured once a round, as runtime `none`.
    `bound`: one thread per PU by OMP_PLACES and OMP_PROC_BIND. `parse` reads the output of a program that does not print
    `sample` lines: text -> {case: (unit, minimum, median, resolution)}."""

    key: str
    command: list
    openmp: bool = True
    bound: bool = False
    env: dict = field(default_factory=dict)
    limit_s: float = 10.0
    parse: Callable | None = None


@dataclass
class Wanted:
    """A target: `case` of ours is at most `limit` (one figure, or one per mode) x the figure of `other` (None: the same case;
    several: the best of them) on the runtime `against`, or on the best peer. Without `against`, `limit` is the figure itself."""

    case: str
    limit: float | dict
    against: str | None = PEERS
    other: str | tuple | None = None


@dataclass
class Bench:
    """Processes of one group take turns; groups follow each other."""

    name: str
    what: str
    groups: list
    wanted: list = field(default_factory=list)
    absent: str = ""


def _each(program, names, **how):
    return [[Run(name, [program, *name.split()], **how)] for name in names]


def _sync():
    fast = [Wanted(c, 0.6) for c in ("parallel", "parallel_for", "barrier", "reduction")]
    fast += [Wanted(c, 0.7) for c in ("for", "single")]
    equal = [Wanted(c, 1.03) for c in ("critical", "lock", "contended_lock", "atomic", "atomic_wide")]
    return Bench("sync", "overheads of the constructs, 2 threads (EPCC method)",
                 _each("sync", [w.case for w in fast + equal], bound=True), fast + equal)


def _oversub():
    return Bench("oversub", "barrier and empty parallel region of N threads on 2 PUs",
                 _each("oversub", ["2", "4", "8", "16", "32", "64"], bound=True),
                 [Wanted("barrier_64", {"fast": 1.3, "slow": 1.8}, None),
                  Wanted("parallel_64", {"fast": 1.5, "slow": 2.2}, None)])


def _nested():
    return Bench("nested", "2 outer x K inner threads, wall time per inner region (throughput of both); lone: latency",
                 _each("nested", ["both 2", "both 4", "both 8", "both 16", "lone 4"]),
                 [Wanted("K_4", 0.11, None), Wanted("K_16", 0.26, None)])


def _octree():
    return Bench("octree", "divide and conquer, 200,000 nodes of about 2 us, 25,000 regions of 4 threads",
                 [[Run("serial", ["octree", "serial"], openmp=False), Run("one", ["octree", "one"], limit_s=15),
                   Run("all", ["octree", "all"], limit_s=15)]],
                 [Wanted("all_levels", 1.0, PEERS, "one_level"), Wanted("all_levels", 0.52, "none", "serial")])


def _multizone():
    cases = tuple("2x1 1x2 2x2 2x4 4x1 4x2 4x4 8x1 8x2 8x4 8x8".split())
    solver = Multizone()

    def run(case, **how):
        return Run(case, ["multizone", *case.split("x")], limit_s=30, parse=solver.parse, **how)

    return Bench("multizone", "24 steps of a solver on 256 zones, the largest 25 x the smallest, outer x inner threads",
                 [[run("1x1", openmp=False), *(run(case) for case in cases)]],
                 [Wanted(case, 1.05, OURS, cases) for case in cases])


def _spin():
    return Bench("spin", "50 rounds of busy waiting for a flag that another member sets",
                 _each("spin", ["ring 2", "ring 4", "ring 8", "meet 2", "meet 4", "meet 8"], bound=True, limit_s=20),
                 [Wanted("ring_8", 0.8, "libgomp")])


def _schedule():
    kinds = ["dynamic", "monotonic", "dynamic_4", "runtime", "ordered", "guided", "monotonic_guided"]
    return Bench("schedule", "cost per chunk of dynamic loops, overhead of a guided loop of 1024 iterations, 2 threads",
                 _each("schedule", kinds, bound=True, env={"OMP_SCHEDULE": "dynamic,1"}),
                 [Wanted(kind, 1.03) for kind in kinds])


def _locks():
    runs = ["1024 2", "64 2", "4 2", "1024 8", "64 8"]
    return Bench("locks", "random short updates behind many locks", _each("locks", runs, bound=True),
                 [Wanted("cells_{}_threads_{}".format(*run.split()), 1.03) for run in runs])


def _tasks(paths):
    tree, work = ["fib", "nqueens", "uts", "empty_one", "empty_all"], ["sort", "strassen", "sparselu", "health"]
    chains = ["chain", "chain_delay", "chain_work", "chain_private", "chain_region", "chain_pair", "chain_one"]
    if0 = ["if0", "if0_private", "if0_copied", "if0_depend", "if0_follows", "if0_alone"]
    groups = [group for program, names in (("tasks_tree", tree), ("tasks_work", work), ("tasks_clauses", chains + if0))
              for group in _each(program, names, bound=True)]
    wanted = [Wanted(case, 1.0) for case in tree + work + chains + if0]
    if "fib_tbb" in paths:
        groups[0].append(Run("fib_tbb", ["fib_tbb"], openmp=False))
        wanted.insert(1, Wanted("fib", 1.0, "none", "fib_tbb"))
    return Bench("tasks", "trees of small tasks without a cut-off; tasks with some work; chains of tasks; if(0); 2 threads", groups, wanted)


def _order():
    names = ["ordered", "doacross", "doacross_block", "grid", "grid_block", "conditional"]
    groups = [group for threads in (2, 8) for group in _each("order", [f"{name} {threads}" for name in names], bound=True)]
    return Bench("order", "ordered regions, doacross loops, tasks with if(0); 2 and 8 threads on 2 PUs", groups,
                 [Wanted(f"{name}_{threads}", 1.0) for threads in (2, 8) for name in names])


def _startup(paths):
    child, plain = paths.get("startup_child", ""), paths.get("startup_plain", "")
    return Bench("startup", "process start to the end of its first region; first nested regions; a process without a region",
                 [[Run("region", ["startup", "region", child])],
                  [Run("nested", ["startup", "nested", paths.get("startup_nested", "")], limit_s=20)],
                  [Run("none", ["startup", "none", child]),
                   Run("plain", ["startup", "none", plain], openmp=False)]],
                 [Wanted("first_region", 1.03), Wanted("no_region", 1.03),
                  Wanted("nested_each", 3.0, OURS, "nested_late_each"), Wanted("nested_thousand", 3.0, OURS, "nested_late")])


def _wake():
    return Bench("wake", "a region of 2 threads after a pause in which the workers may sleep",
                 _each("wake", ["100 5", "300 2"], bound=True),
                 [Wanted("after_100_ms", 1.0, "libgomp"), Wanted("after_300_ms", 1.0, "libgomp")])


def _memory():
    return Bench("memory", "memory per blocked thread of a team of 258, and of an idle runtime after a region",
                 _each("memory", ["blocked 258", "idle"]),
                 [Wanted("blocked_thread", 1.0, "libgomp"), Wanted("idle_cpu", 1.0, None)])


def _mpu(mpu):
    what = "surface reconstruction, refinement of the octree on the head CT"
    if mpu is None or mpu.absent:
        return Bench("mpu", what, [], [], mpu.absent if mpu else "")

    def run(case, *words, openmp=True):
        return Run(case, [*mpu.command, "--repeat", "3", *words], openmp, limit_s=60, parse=partial(mpu.parse, case))

    return Bench("mpu", what,
                 [[run("serial", "--variant", "serial", openmp=False), run("ideal", "--ideal", "2", openmp=False),
                   run("tbb", "--variant", "tbb", openmp=False), run("one_level", "--variant", "nested", "--levels", "1"),
                   run("all_levels", "--variant", "nested"), run("tasks", "--variant", "tasks")]],
                 [Wanted("all_levels", 1.05, "none", "ideal"), Wanted("all_levels", 1.0, "none", "tbb")])


def benches_list(paths=None, mpu=None):
    """Returns all benchmarks in the order in which they run. `paths`: program -> built file."""
    return [_sync(), _oversub(), _nested(), _octree(), _multizone(), _mpu(mpu), _spin(), _schedule(), _locks(), _order(),
            _tasks(paths or {}), _startup(paths or {}), _wake(), _memory()]
