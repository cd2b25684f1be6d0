"""Whole subtrees of live bubbles go to a node that has become idle. subtrees.c has the trees: they are made while the PUs
of one node are busy, and a redistribution finds them all on the other. Nothing is ready then that a thief could take."""
import collections

from testing import expect
from traces import events, traced

MACHINE, PUS = "numa:2 core:4 pu:1", 4


def trees(policy, *shapes):
    """For each tree, by the number of the member that has opened it: its nodes by the path of numbers of members down to a
    thread, before and after. Also the threads that redistributions have sent, as such paths."""
    found = events(traced(MACHINE, policy, "subtrees", *shapes))
    above = {event.bubble: (event.a, event.member) for event in found if event.name == "meet"}
    root = [bubble for bubble, (parent, _) in above.items() if above.get(parent, (1, 0))[0] == 0 and parent
            and sum(1 for other, (up, _) in above.items() if up == bubble)][-1]

    def path(bubble, member):
        down = [member]
        while bubble != root:
            if bubble not in above:
                return None
            bubble, number = above[bubble]
            down.insert(0, number)
        while len(down) > 1 and down[-1] == 0:
            down.pop() # the thread is the one that met the region
        return tuple(down)

    ran, sent = collections.defaultdict(list), []
    for event in found:
        thread = path(event.bubble, event.member)
        if thread and event.name in ("begin", "resume"):
            ran[thread].append(event.pu // PUS)
        if thread and event.name == "place" and event.function == "redistribute":
            sent.append((thread, event.to[0] // PUS))
    return ran, sent


