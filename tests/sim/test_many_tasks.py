"""Tasks of large teams, with many_tasks.c: each runs once, and what waits for them waits for all. One producer feeds
the machine as far as the lines between its PUs allow."""
import statistics

from simulated import call, programs
from testing import expect

MACHINES = {16: "opteron-8347he", 64: "xeon-8375c-2x32", 96: "epyc-7r13-2x48", 256: "numa:4 l3:4 core:16"}
KINDS = "producer", "taskloop", "tree", "group", "wait"


def efficiency(kind, pus, tasks, ns, seed=1):
    words = "--machine", MACHINES[pus], "--given", "--no-baseline", "--seed", seed
    result = call(*words, programs() / "many_tasks", kind, pus, tasks, ns)
    said = [line for line in result.stdout.split("\n") if line.startswith(("efficiency", "wrong"))]
    expect(result.returncode == 0 and len(said) == 1, f"{kind} on {pus}, seed {seed}: {said}{result.stderr}")
    return float(said[0].split()[1])


def test_each_task_once():
    for pus, kinds in ((16, KINDS), (96, KINDS), (256, ("group",))):
        for kind in kinds:
            efficiency(kind, pus, 5 * pus if pus < 256 else pus, 2000)


def test_producer_of_large_teams():
    """The members of a group do not all look at the producer's deque, and it leaves batches in their mailbox."""
    for pus, least in ((16, .6), (96, .5)):
        found = efficiency("producer", pus, 30 * pus, 10000)
        expect(found > least, f"on {pus}: {found}")


def test_taskloop_of_large_teams():
    """Several threads make the tasks."""
    for pus, least in ((16, .6), (96, .4)):
        found = efficiency("taskloop", pus, 30 * pus, 10000)
        expect(found > least, f"on {pus}: {found}")


def test_taskloop_of_few_long_tasks():
    """One task for each of 64 members, and four. If a member that has taken several kept them while it runs the first, 40 to 64 members would
    need six rounds for one each."""
    for tasks, least in ((64, .3), (256, .53)):
        found = statistics.median(efficiency("taskloop", 64, tasks, 20000, seed) for seed in (1, 2, 3))
        expect(found > least, f"{tasks} tasks on 64 PUs: {found}")


def test_mailboxes():
    """All that waits for tasks sees those in mailboxes, too."""
    for seed, cancellation in ((1, "false"), (2, "true")):
        words = "--machine", MACHINES[96], "--given", "--no-baseline", "--seed", seed
        result = call(*words, programs() / "mailboxes", env={"OMP_CANCELLATION": cancellation})
        expect(result.returncode == 0 and "not so" not in result.stdout + result.stderr,
               f"seed {seed}, cancellation {cancellation}: {result.stderr[-300:]}")


def test_mailboxes_of_busy_groups():
    """Idle members take the tasks in the mailboxes of all groups. The tasks are 1 ms of work for the idle ones, and the others
    compute for 20 ms."""
    for seed in (1, 2):
        words = "--machine", MACHINES[96], "--given", "--no-baseline", "--seed", seed
        result = call(*words, programs() / "busy_groups")
        expect(result.returncode == 0, result.stderr[-300:])
        us, ran = result.stdout.split()[:2]
        expect(int(ran) == 400 and float(us) < 2000, f"seed {seed}: {ran} of 400 tasks, the last after {us} us")
