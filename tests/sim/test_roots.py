"""Threads of the program with flat teams, with roots.c, on 4 nodes of 4 PUs: each team is as fast as alone on its part."""
from simulated import call, programs
from testing import expect

MACHINE, WORK_NS = "numa:4 core:4 pu:1", 20000


def roots(*words, seed=1):
    """The times of the threads, in nanoseconds."""
    result = call("--machine", MACHINE, "--given", "--no-baseline", "--seed", seed, programs() / "roots", *words)
    expect(result.returncode == 0 and "\nright\n" in result.stdout, result.stderr + result.stdout)
    return [float(line) for line in result.stdout.split("\n") if line.isdigit()]


def test_teams_side_by_side():
    """The bound is the work of one member. Five teams of three do not fit the nodes."""
    for threads, size in ((1, 4), (4, 4), (2, 4), (8, 2), (5, 3)):
        for seed in (1, 2, 3):
            times = roots(threads, size, 50, 4, seed=seed)
            part = 50 * 4 * WORK_NS / max(times)
            expect(len(times) == threads and part > 0.95, f"{threads} teams of {size}: {part:.3f} of the bound")


def test_more_teams_than_room():
    """Teams that find no workers run as nested ones, and all members run."""
    expect(len(roots(4, 8, 20, 4)) == 4, "four threads")
