"""Large flat teams, whose workers form groups along the tree of the machine, with groups.c."""
from statistics import median

from simulated import call, programs
from testing import expect

SMALL, EPYC, LARGE = "opteron-8347he", "epyc-7r13-2x48", "numa:4 l3:4 core:16"


def lines(machine, *words, seed=1, policy="default", env=None):
    result = call("--sched", policy, "--machine", machine, "--given", "--no-baseline", "--seed", seed, programs() / "groups", *words, env=env)
    expect(result.returncode == 0, result.stdout + result.stderr)
    return result.stdout.splitlines()


def test_results():
    """Teams of as many members as PUs, of fewer, and of more."""
    for machine, sizes in ((SMALL, (16, 11)), ("numa:2 core:8", (16, 40)), ("core:20", (20,)), (EPYC, (96, 50, 200)), (LARGE, (256,))):
        for size in sizes:
            for seed in (1, 2) if size < 50 else (1,):
                found = lines(machine, "check", size, seed=seed)
                expect(found[0] == "right", f"{size} members on {machine}: {found[:5]}")


def test_cost():
    """A worker that read the lines of all others would need 1.4 us on 16 PUs, 14 on 96 and 33 on 256. If all workers
    read one line of the fork, a region would take .61, 1.43 and 1.50."""
    for machine, members, barrier, region in ((SMALL, 16, 800, 700), (EPYC, 96, 1600, 1300), (LARGE, 256, 2000, 1350)):
        for what, limit in (("barrier", barrier), ("region", region)):
            took = float(lines(machine, what, members)[0])
            expect(took < limit, f"a {what} of {members} members on {machine}: {took:.0f} ns")


def test_first():
    """One worker after the other would need 1 and 2.6 ms; three turns at one lock for each, 250 and 554 us."""
    for machine, members, limit in ((EPYC, 96, 200), (LARGE, 256, 480)):
        took = median(float(lines(machine, "first", members, seed=seed)[0]) for seed in (1, 2, 3)) / 1000
        expect(took < limit, f"the first region of {members} members on {machine}: {took:.0f} us")


def test_small_teams():
    """Small teams side by side, with a scheduler that gives each its own PUs: a region with 80 us of work. Teams of four
    share the runqueue of a cache. If parents that join took members of each other's teams, a region would take 11 us beside its
    work on 96 PUs, and 9 on 256."""
    for machine, inner, outer, limit in ((EPYC, 8, 12, 3), (EPYC, 4, 24, 3), (LARGE, 16, 16, 6), (LARGE, 4, 64, 3)):
        took = float(lines(machine, "teams", inner, outer, policy="spread")[0]) / 1000
        expect(took < limit, f"a team of {inner}, beside {outer - 1} others on {machine}: {took:.1f} us")


def test_large_teams():
    """With one counter for all members, a region of 24 would need 31 us beside its work, and one of 48 some 40. If the PUs of a
    cache did not fetch members for each other, they would need 14 and 16, and those of 64 on 256 PUs 13."""
    for machine, inner, outer, limit in ((EPYC, 24, 4, 10), (EPYC, 48, 2, 12), (LARGE, 64, 4, 11)):
        took = float(lines(machine, "teams", inner, outer, policy="spread")[0]) / 1000
        expect(took < limit, f"a team of {inner}, beside {outer - 1} others on {machine}: {took:.1f} us")


def test_sizes_by_turns():
    """A region of another size than the one before has a new layout. If the root read a line for that which each worker writes in each
    region, it would take 4.8 us on 64 PUs, and 12 on 96."""
    for machine, members, other, limit in (("xeon-8375c-2x32", 64, 32, 2000), (EPYC, 96, 48, 2800)):
        took = median(float(lines(machine, "sizes", members, other, seed=seed)[0]) for seed in (1, 2, 3))
        expect(took < limit, f"regions of {members} and {other} members on {machine}: {took:.0f} ns")


def test_wake_ups():
    """If the primary thread woke all others, a region after a sleep would take 263 us on 96 PUs and 644 on 256."""
    for machine, members, limit in ((EPYC, 96, 190_000), (LARGE, 256, 300_000)):
        took = float(lines(machine, "asleep", members, env={"FGOMP_SPIN": "100us"})[0])
        expect(took < limit, f"a region of {members} members who slept on {machine}: {took:.0f} ns")
