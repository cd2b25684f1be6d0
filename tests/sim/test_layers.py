"""Layers: a policy says what lies on a node, another one inside the node distributes it there. Simulated machines, and the
decisions in traces."""
import collections
import statistics

from simulated import call, programs
from testing import expect
from traces import events, traced

MACHINE, PUS, PER_NODE = "numa:4 core:4", 16, 4
PLUGIN = "layers.so"


def steps(found, policy, function):
    """member -> its places by that function, in order."""
    places = collections.defaultdict(list)
    for event in found:
        if event.name == "place" and event.policy == policy and event.function == function:
            places[event.bubble, event.member].append(event.to)
    return places


def dealt_inside(found, outer, inner, function):
    """Each member that `outer` puts on a node in `function` gets a place inside that node from `inner`. Returns
    these members."""
    given, spread = steps(found, outer, function), steps(found, inner, "handed")
    expect(given and all(place[1] == PER_NODE for places in given.values() for place in places), f"{outer} puts on nodes: {given}")
    for member, places in given.items():
        inside = spread[member][:len(places)]
        expect(len(inside) == len(places), f"{member}: {places}, then {inside}")
        for (node, _), (pu, pus) in zip(places, inside):
            expect(pus == 1 and node <= pu < node + PER_NODE, f"{member}: on node {node}, then on PU {pu}")
    return set(given)


def evenly(found, inner, bubble):
    """The members of a team lie on as many PUs of each node as there are members there, or on all."""
    on_pu = collections.Counter(event.to[0] for event in found
                                if event.name == "place" and event.policy == inner and event.function == "handed" and event.bubble == bubble)
    for node in range(0, PUS, PER_NODE):
        counts = [on_pu[pu] for pu in range(node, node + PER_NODE)]
        expect(max(counts) - min(counts) <= 1, f"node {node}: {counts}")


def test_flat_teams_are_dealt_inside_each_node():
    """affinity gives each node its members, and cache each of these a PU: all as with affinity alone."""
    for inner in ("cache", "spread"):
        for size in (4, 6, 11, 24):
            words = ("barriers", "once", size, 1, 1)
            found, alone = (events(traced(MACHINE, policy, *words)) for policy in (f"affinity+numa:{inner}", "affinity"))
            members = {member for _, member in dealt_inside(found, "affinity", inner, "place")}
            expect(members == set(range(size)), f"{size}: {members}")
            seats, same = ({event.member: event.a for event in run if event.name == "seat"} for run in (found, alone))
            expect(seats == same, f"{inner}, {size}: {seats}, alone {same}")


def nested_range(found):
    """Member -> its level, by the layer."""
    return {event.member: event.to for event in found if event.name == "range" and event.function == "handed"}


def test_the_layer_gives_ranges():
    """One outer member on each node has it for its teams, which cache deals there."""
    found = events(traced(MACHINE, "affinity+numa:cache", "barriers", "even", 4, 8, 2))
    expect(sorted(nested_range(found).values()) == [(0, 4), (4, 4), (8, 4), (12, 4)], str(nested_range(found)))
    deciders = {(event.policy, event.function) for event in found if event.name in ("place", "burst") and event.policy}
    expect(("cache", "born") in deciders and ("affinity", "born") not in deciders, str(deciders))


def test_nested_teams_are_dealt_inside_each_node():
    """A plug-in puts the members of each nested team on the nodes in turn, and cache deals them inside each. The same where
    the plug-in starts cache itself, and where it ends and starts it in each region."""
    for scheduler in (f"{programs() / PLUGIN}+numa:cache,load=none", f"{programs() / PLUGIN},start=1", f"{programs() / PLUGIN},start=1,end=1"):
        found = events(traced(MACHINE, scheduler, "barriers", "even", 2, 17, 2))
        nested = {event.bubble for event in found if event.name == "place" and event.function == "born"}
        if "end=1" in scheduler:
            # The layers have ended before the function has: what is handed over lies on the nodes. Later the function may
            # run for two teams at a time, and the one starts the layers again before the other's members are handed over.
            expect(min(nested) not in {bubble for bubble, _ in steps(found, "cache", "handed")}, "cache is over")
            continue
        members = dealt_inside(found, "layers", "cache", "born")
        expect(len(members) == 6 * 16, f"{len(members)} members")
        for bubble in nested:
            evenly(found, "cache", bubble)
        expect(all(event.reason for event in found if event.name == "place"), "each has a reason")


def test_what_lies_on_a_node_is_handed_over():
    """The plug-in puts the members of a flat team on the nodes, starts cache there, and hands them over on the same nodes."""
    for size in (4, 11, 24):
        found = events(traced(MACHINE, f"{programs() / PLUGIN},late=1", "barriers", "once", size, 1, 1))
        given, spread = steps(found, "layers", "place"), steps(found, "cache", "handed")
        expect({member for _, member in given} == set(range(size)), f"{size}: {given}")
        for member, (put, handed) in given.items():
            (pu, pus), = spread[member]
            expect(put == handed and put[1] == PER_NODE, f"{size}, {member}: put on {put}, handed over on {handed}")
            expect(pus == 1 and put[0] <= pu < put[0] + PER_NODE, f"{size}, {member}: on node {put}, then on {pu} of {pus} PUs")


def median_of_seeds(scheduler):
    """Four teams of 16 with barriers: ns, the median of five seeds, because one run in a hundred begins a turn late."""
    took = []
    for seed in range(1, 6):
        result = call("-m", MACHINE, "--given", "--no-baseline", "--seed", seed, "--sched", scheduler, programs() / "barriers", "even", 4, 16, 4)
        expect(result.returncode == 0 and not result.stderr, result.stderr)
        took.append(float(result.stdout.split()[0]))
    return statistics.median(took)


def test_all_of_the_machine_works():
    """Each node gets 13 or 17 of the 64 members: the most are five on a PU, where four are the mean."""
    for scheduler in (f"{programs() / PLUGIN}+numa:cache,load=none", f"{programs() / PLUGIN},start=1"):
        took = median_of_seeds(scheduler)
        least = 4 * 16 * 4 * 400000 / PUS
        expect(least <= took < 5 / 4 * least, f"{scheduler}: {took:.0f} ns, at least {least:.0f}")


def test_a_layer_named_twice():
    """The plug-in starts a layer that FGOMP_SCHED names for the nodes, too: all goes on as with one of both. (Where FGOMP_SCHED
    names a policy with homes, simulated PUs pause for shorter. So times may differ a little.) With other options, or another policy, it
    is a mistake."""
    def run(inner):
        scheduler = f"{programs() / PLUGIN},start=1{inner}"
        return call("-m", MACHINE, "--given", "--no-baseline", "--sched", scheduler, programs() / "barriers", "even", 4, 16, 4)

    took, alone = (median_of_seeds(f"{programs() / PLUGIN},start=1{inner}") for inner in ("+numa:cache,load=none", ""))
    expect(abs(took - alone) < 0.1 * alone, f"{took:.0f} ns, and {alone:.0f} where it is named once")
    for inner in ("+numa:cache", "+numa:cache,load=learnt", "+numa:spread"):
        expect("where another one is at work" in run(inner).stderr, inner)


def test_mistakes_get_one_line_and_default():
    for options, inner, said in ((",start=1,how=1", "", "wants to start 'nobody'"), (",start=1,how=3", "", "has put"),
                                 (",start=1,how=4", "", "where another one is at work"),
                                 ("", f"+numa:{programs() / PLUGIN},how=2", "outside of its part"),
                                 ("", f"+numa:{programs() / PLUGIN},how=6", "outside of its part")):
        result = call("-m", MACHINE, "--given", "--no-baseline", "--sched", f"{programs() / PLUGIN}{options}{inner}", programs() / "barriers", "even",
                      4, 6, 3)
        lines = [line for line in result.stderr.splitlines() if "bubble scheduler layers" in line]
        expect(result.returncode == 0 and len(lines) == 1 and result.stderr.strip() == lines[0], f"{options}{inner}: {result.stderr}")
        expect(said in lines[0] and "default does its work" in lines[0], f"{options}{inner}: {lines[0]}")


def test_a_layer_that_starts_itself_ends():
    """It starts itself on the level that it was handed something on. The first instance may, the second may not. So one line."""
    result = call("-m", MACHINE, "--given", "--no-baseline", "--sched", f"{programs() / PLUGIN},start=1,how=5", programs() / "barriers", "even", 4, 6, 3)
    lines = [line for line in result.stderr.splitlines() if line]
    expect(result.returncode == 0 and 1 <= len(lines) <= 4 and all("where another one is at work" in line for line in lines), result.stderr)
