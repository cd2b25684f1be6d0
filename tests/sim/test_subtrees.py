"""Whole subtrees of live bubbles go to a node that has become idle. subtrees.c has the trees: they are made while the PUs
of one node are busy, and a redistribution finds them all on the other. Nothing is ready then that a thief could take. The
tests look at its first plan, and at where the threads were. (When all compute again, idle PUs take some elsewhere.)"""
from testing import expect
from traces import events, traced

MACHINE, PUS, PLAN_NS = "numa:2 core:4 pu:1", 4, 50000
SEEDS = range(1, 11)


def trees_of(policy, seed, shapes):
    """The nodes of each tree's threads, by the number of the tree: before the first plan, and as it sends them. A thread is
    known by its path: the numbers of members down to it."""
    found = events(traced(MACHINE, f"{policy},redistribute=yes", "subtrees", *shapes, options=("--seed", seed)))
    above = {event.bubble: (event.a, event.member) for event in found if event.name == "meet"}
    outer = [bubble for bubble, (parent, _) in above.items() if parent == 0][-1]
    root = next(bubble for bubble, (parent, member) in above.items() if (parent, member) == (outer, 0))

    def path(bubble, member):
        down = [member]
        while bubble != root:
            if bubble not in above:
                return None
            bubble, number = above[bubble]
            down.insert(0, number)
        while len(down) > 1 and down[-1] == 0:
            down.pop() # it is the thread that met the region
        return tuple(down)

    plan = next((event.time for event in found if event.function == "redistribute" and path(event.bubble, event.member)), None)
    expect(plan, f"{policy}, {shapes}: no plan")
    before, after = {}, {}
    for event in found:
        thread = path(event.bubble, event.member)
        if thread and event.time <= plan and event.name in ("begin", "resume"):
            before[thread] = event.pu // PUS
        if thread and event.function == "redistribute" and event.time < plan + PLAN_NS:
            after[thread] = event.to[0] // PUS
    after = before | after
    return [[{there[thread] for thread in there if thread[0] == tree} for tree in range(1, len(shapes) + 1)] for there in (before, after)]


def trees(policy, *shapes):
    """The nodes of each tree's threads as the first plan sends them, in a run in which all began on node 0. A thief of that
    node may be sooner than the PU that was dealt a member of the other team. So another seed must do then."""
    for seed in SEEDS:
        before, after = trees_of(policy, seed, shapes)
        if before == [{0}] * len(shapes):
            break
    expect(before == [{0}] * len(shapes), f"{policy}: all begin on node 0: {before}")
    return after


def test_a_whole_subtree():
    """Two trees of 2 x 2 threads: one of them goes to the other node, with all of its threads."""
    for policy in ("affinity", "cache"):
        after = trees(policy, "2x2", "2x2")
        expect(after in ([{0}, {1}], [{1}, {0}]), f"{policy}: each has a node: {after}")


def test_which_is_burst():
    """Trees of 4, 4 and 3 threads, and the thread that computes: 6 for each node. So one tree is burst. affinity bursts the
    smallest, cache one of the largest."""
    for policy, burst in (("affinity", [2]), ("cache", [0, 1])):
        after = trees(policy, "4x1", "4x1", "3x1")
        parts = [tree for tree in range(3) if len(after[tree]) > 1]
        expect(len(parts) == 1 and parts[0] in burst, f"{policy}: {after}")
