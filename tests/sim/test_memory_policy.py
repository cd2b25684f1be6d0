"""The policy `memory` on a simulated machine, with twisted.c: teams that work on the data of other teams."""
import re
from statistics import median

from simulated import call, programs
from testing import expect

MACHINE = "opteron-8347he"
SEEDS = (1, 2, 3)


def rounds(policy, twist, iterations, n, hints, seed=1, who="both", memory="hints"):
    """The nanoseconds of each round."""
    result = call("-m", MACHINE, "--given", "--no-baseline", "--seed", seed, "--sched", policy, programs() / "twisted", twist, iterations, n, hints,
                  who, env={"FGOMP_MEMORY": memory})
    said = re.findall(r"^sample round ns \d+ (\d+)$", result.stderr, re.M)
    expect(result.returncode == 0 and len(said) == n == len(result.stderr.splitlines()), result.stderr)
    return [int(ns) for ns in said]


def rates(policy, teams, inner, homes, n, hints=1):
    """The MB/s of the last round of stream.c, by kernel."""
    result = call("-m", MACHINE, "--given", "--no-baseline", "--sched", policy, programs() / "stream", teams, inner, homes, n, hints)
    found = dict(re.findall(r"^rate (\w+) (\d+)$", result.stderr, re.M))
    expect(result.returncode == 0 and len(found) == 5, result.stderr)
    return {kernel: int(rate) for kernel, rate in found.items()}


def first(policy, twist, iterations, hints):
    return median(rounds(policy, twist, iterations, 1, hints, seed)[0] for seed in SEEDS)


def test_threads_go_to_their_data():
    """Table VI: all data of each team are on another node. With hints the threads go there, from the first iteration on."""
    for iterations in (1, 2, 4):
        told, untold = (first("memory", 100, iterations, hints) for hints in (1, 0))
        others = {policy: first(policy, 100, iterations, 1) for policy in ("default", "affinity", "cache", "spread+numa:cache")}
        expect(told < 0.75 * min(others.values()), f"{iterations} iterations: {told} ns with hints, {others}")
        expect(abs(untold - others["default"]) < 0.05 * others["default"], f"{iterations} iterations: {untold} ns without hints, {others}")


def test_hints_outlive_their_region():
    """Hints of the first round hold for the others. Hints of inner regions alone hold for the members of the outer team, too, from the
    second round on: then each inner team has the thread that met it on its node."""
    always = rounds("memory", 100, 2, 4, 4)
    for who in ("both", "inner"):
        once = rounds("memory", 100, 2, 4, 1, who=who)
        expect(max(once[1:]) < 1.02 * always[-1], f"{who}: {once} ns, told each time {always}")
    inner = rounds("memory", 100, 2, 1, 1, who="inner")
    expect(inner[0] > 1.2 * always[0], f"the first round: {inner} ns, outer members told {always}")


def test_data_come_to_their_threads():
    """Table VII: one vector that is read and the written one are on another node, the third is here. Threads go to the two, and
    the third comes to them. It costs something once; from two iterations on it pays. It is never dearer than to bring
    both vectors to the threads. Of these two, the written one is worth more."""
    for iterations in (1, 2, 4):
        default, both, threads, data = (first(policy, 66, iterations, 1) for policy in
                                        ("default", "memory", "memory,data=none", "memory,threads=no"))
        expect(both < data, f"{iterations} iterations: {both} ns, {data} where only data move")
        expect(both < (1.2, 0.85, 0.7)[(1, 2, 4).index(iterations)] * default, f"{iterations} iterations: {both} ns, default {default}")
        expect(threads < 0.75 * default, f"{iterations} iterations: {threads} ns where only threads move, default {default}")
    written, read = (median(rounds(f"memory,threads=no,data={which}", 66, 1, 2, 2, seed)[1] for seed in SEEDS) for which in ("written", "read"))
    expect(written < 0.9 * read, f"once it is there: the written vector {written} ns, the one that is read {read}")
    _, after = rounds("memory", 66, 2, 2, 2)
    local = rounds("memory", 100, 2, 2, 2)[1]
    expect(after < 1.02 * local, f"once all is local: {after} ns, {local}")


def none_slower(found, by, than, what):
    expect(all(found[kernel] > by * max(other[kernel] for other in than) for kernel in found), f"{what}: {found}, {than}")


def test_an_idle_machine_has_data_round_its_nodes():
    """RenPar 2009, table 1, where the main thread has touched all data on its node. Four threads stay together there, and their data go
    round that node and its neighbours: not before the eighth time, because it gains little. 16 threads have theirs on their own nodes."""
    few = [rates("compact", 4, 0, homes, 2, 0) for homes in ("own", "near")]
    none_slower(few[1], 1.08, few[:1], "four threads, data round the nodes")
    memory = rates("memory", 4, 0, "main", 3)
    none_slower(memory, 0.94, few, "four threads")
    expect(memory["Read"] > 0.97 * few[1]["Read"], f"four threads that read: {memory}, {few}")
    for policy, n in (("memory,spread=no", 3), ("memory", 1)):
        at_home = rates(policy, 4, 0, "main", n)
        none_slower(few[1], 1.08, [at_home], f"{policy}, {n} rounds")
    full = [rates("spread", 16, 0, homes, 2, 0) for homes in ("own", "near")]
    none_slower(full[0], 1.5, full[1:], "16 threads, data at home")
    none_slower(rates("memory", 16, 0, "main", 3), 0.97, full, "16 threads")


def test_each_thread_counts_for_the_team_that_it_meets():
    """All data of four teams of four are on one node, which has room for one of the teams."""
    own = rates("spread", 16, 0, "own", 2, 0)
    none_slower(rates("memory", 4, 4, "main", 3), 0.97, [own], "four teams of four")
    none_slower(rates("memory", 1, 4, "main", 2), 0.97, [rates("compact", 4, 0, "own", 2, 0)], "a team of four in a region of one thread")


def test_samples_do_as_well_as_hints():
    """Where nothing is told, FGOMP_MEMORY=auto has moved the pages after ten iterations, and a further one takes at most 5% longer than with
    hints: under `memory`, and under the preset policy."""
    for twist in (100, 66):
        told = rounds("memory", twist, 1, 12, 12)
        for policy in ("memory", "default"):
            auto, off = (rounds(policy, twist, 1, 12, 0, memory=memory) for memory in ("auto", "off"))
            expect(max(auto[10:]) < 1.05 * told[-1], f"{twist}, {policy}: {auto}, told {told}")
            expect(min(off[10:]) > 1.5 * told[-1], f"{twist}, {policy}: {off} where nothing moves, told {told}")


def owners(policy, teams, inner, hints, sweeps=30, rounds=2):
    """The milliseconds of each round of owners.c, in which each thread has the data of another node's."""
    result = call("-m", MACHINE, "--given", "--no-baseline", "--sched", policy, programs() / "owners", teams, inner, sweeps, rounds, hints)
    said = re.findall(r"^sample owners ns \d+ (\d+)$", result.stderr, re.M)
    expect(result.returncode == 0 and len(said) == rounds == len(result.stderr.splitlines()), result.stderr)
    return [int(ns) / 1e6 for ns in said]


def test_threads_in_flight_follow_their_data():
    """Data change their owners while the region runs: the threads exchange their PUs, in a flat team and across nested ones. All but the
    root's and the one that would need its PU: 15/16 of the way. Nothing else is moved: neither where the data are, nor where nothing is told."""
    for teams, inner in ((16, 1), (4, 4)):
        stays, follows = (owners(policy, teams, inner, 1) for policy in ("memory,follow=no", "memory"))
        expect(follows[1] < 0.6 * stays[1], f"{teams} x {inner}: {follows} ms, {stays} where none follows")
        expect(follows[0] < 1.01 * stays[0], f"{teams} x {inner}, where the data are: {follows} ms, {stays} where none follows")
    untold = owners("memory", 4, 4, 0)
    expect(untold[1] > 0.95 * stays[1], f"untold: {untold} ms, {stays} where none follows")
