"""Tasks that wait, as policies see them: how many, and where (fgomp_bubble_tasks)."""
import os
import statistics

from simulated import call, example, programs
from testing import expect

MACHINE = ("-m", "numa:2 core:4", "--given", "--no-baseline")


def counts(*words):
    """What plugins/counts.c tells while the tasks of waiting.c wait: on the machine, on node 0, on node 1."""
    env = {**os.environ, "OMP_MAX_TASK_PRIORITY": "1"}
    result = call(*MACHINE, "--sched", programs() / "counts.so", programs() / "waiting", *map(str, words), env=env)
    expect(result.returncode == 0, result.stderr)
    return [tuple(map(int, line.split())) for line in result.stderr.splitlines()]


def test_policies_see_how_many_tasks_wait_and_where():
    """A member makes 6 tasks, and 3 with a priority, which lie with no member. They all wait while the members compute."""
    for creator, there in ((2, (6, 0)), (5, (0, 6))):
        for prior in (0, 3):
            seen = counts(8, creator, 6, prior)
            expect(seen == [(6 + prior, *there)], f"member {creator}, {prior} with a priority: {seen}")
    expect(counts(8, 0, 0, 0) == [(0, 0, 0)], "tasks where there are none")


def hands(tasks, seed):
    result = call(*MACHINE, "--seed", str(seed), "--sched", f"{example('hands')},tasks={tasks}", programs() / "hands", 24, 400, 6, 64, 50)
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    return list(map(float, result.stdout.split()[:2]))


def test_an_idle_pu_goes_where_tasks_wait():
    """24 members compute for 400 us each; beside them a member of a team of 6 makes 64 tasks of 50 us. An idle PU that takes what is
    nearest finds the members that compute. If it counts tasks, it takes the others first: 6 PUs run the tasks, not 4. In one of forty runs
    the team ended with the 24 members, which is not traced. So medians count."""
    nearest, counted = (statistics.median(hands(tasks, seed)[1] for seed in (1, 2, 3, 4, 5)) for tasks in ("no", "yes"))
    expect(counted < 0.8 * nearest and counted < 1.2 * (64 * 50 / 6 + 50), f"{counted} us, {nearest} us without counts")
