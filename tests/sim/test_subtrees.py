"""Whole teams and whole subtrees go to a node that has become idle. subtrees.c has the trees: they are made while the PUs of one node are busy, so
all are at home on the other. Then all compute. The tests look at the first move, and at where the threads were."""
from testing import expect
from traces import events, traced

MACHINE, PUS, MOVE_NS = "numa:2 core:4 pu:1", 4, 20000
MOVED = "a whole team, from where there are more"
WITH_HOMES = ("default", "affinity", "cache")
SEEDS = range(1, 11)


def trees_of(policy, seed, shapes):
    """The nodes of each tree's threads, by the number of the tree: before the first move, and as it sends them. A thread is
    known by its path: the numbers of members down to it."""
    found = events(traced(MACHINE, policy, "subtrees", *shapes, options=("--seed", seed)))
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

    move = next((event.time for event in found if event.reason == MOVED and path(event.bubble, event.member)), None)
    expect(move, f"{policy}, {shapes}: no team was moved")
    before, after = {}, {}
    for event in found:
        thread = path(event.bubble, event.member)
        if thread and event.time < move and event.name in ("begin", "resume"):
            before[thread] = event.pu // PUS
        if thread and event.reason == MOVED and event.time < move + MOVE_NS:
            after[thread] = event.to[0] // PUS
    after = before | after
    return [[{there[thread] for thread in there if thread[0] == tree} for tree in range(1, len(shapes) + 1)] for there in (before, after)]


def trees(policy, *shapes):
    """The nodes of each tree's threads after the first move, in a run in which all began on node 0. Something may have lain there
    for so long that any PU took it. So another seed must do then."""
    for seed in SEEDS:
        before, after = trees_of(policy, seed, shapes)
        if before == [{0}] * len(shapes):
            break
    expect(before == [{0}] * len(shapes), f"{policy}: all begin on node 0: {before}")
    return after


def test_a_whole_subtree():
    """Two trees of 2 x 2 threads, each of three teams: one of them goes to the other node, with all of its threads."""
    for policy in WITH_HOMES:
        after = trees(policy, "2x2", "2x2")
        expect(after in ([{0}, {1}], [{1}, {0}]), f"{policy}: each has a node: {after}")


def test_a_subtree_without_room():
    """Two trees of 4 x 2 threads, for nodes of 4 PUs: one team of 2 goes first."""
    for policy in WITH_HOMES:
        after = trees(policy, "4x2", "4x2")
        expect(sorted(map(len, after)) == [1, 2], f"{policy}: one is burst: {after}")


def test_a_whole_team():
    """Two teams of 4 threads: one of them goes to the other node, with all of its threads."""
    for policy in WITH_HOMES:
        after = trees(policy, "4x1", "4x1")
        expect(after in ([{0}, {1}], [{1}, {0}]), f"{policy}: each has a node: {after}")


def test_one_at_a_time():
    """Of teams of 4, 4 and 3 threads one moves first, whole."""
    for policy in WITH_HOMES:
        after = trees(policy, "4x1", "4x1", "3x1")
        expect(sorted(map(tuple, after)) == [(0,), (0,), (1,)], f"{policy}: {after}")
