"""Traces that tell what a policy decided: the events must agree with what the policies do. Simulated machines, where a
run can be had again."""
import collections
import json
import tempfile

from simulated import programs
from testing import expect, forestgomp
from traces import BLOCK, EVENTS, RECORD, blocks, events, traced

MACHINE, PUS = "numa:4 core:4", 16
TEAMS = ("barriers", "late", 4, 6, 8)


def only_by(found, name, policy, *functions):
    decisions = [event for event in found if event.policy]
    expect(decisions and {event.policy for event in decisions} == {name}, f"{policy}: {set(event.policy for event in decisions)}")
    expect({event.function for event in decisions} <= set(functions), f"{policy}: {set(event.function for event in decisions)}")
    without = [event for event in decisions if not event.reason]
    expect(not without, f"{policy}: no reason: {without[:1]}")


def sizes(found):
    return {event.bubble: event.a for event in found if event.name == "team"}


def modes(found):
    return {event.bubble: event.b for event in found if event.name == "team"}


def thefts_had_victims(found):
    """The victim's runqueue held the entity before: the last place of a member that was set free or of a ready thread
    is that runqueue; of a member in its bubble, the bubble's. Returns the number of thefts."""
    lay, thefts = {}, 0
    for event in found:
        if event.name in ("put", "ready"):
            lay[event.bubble, None if event.name == "put" else event.member] = event.a, event.b
        elif event.name == "place" and event.function != "place":
            lay[event.bubble, event.member] = event.to
        elif event.name == "begin":
            lay.pop((event.bubble, event.member), None)
        elif event.name == "steal":
            where = lay.get((event.bubble, event.member)) or lay.get((event.bubble, None))
            expect(event.frm == where and event.frm[1] > 0, f"{event} lay at {where}")
            expect(event.to == (event.pu, 1) and event.frm != event.to, str(event))
            thefts += 1
    return thefts


def one_place_each(found, policy):
    """Each member that was set free in `born` has one place, unless `tuned` moves it to the node's runqueue."""
    size, placed = sizes(found), collections.Counter()
    burst = [event.bubble for event in found if event.name == "burst" and event.function == "born"]
    expect(len(burst) == len(set(burst)) > 4, f"{policy}: bursts {burst}")
    for event in found:
        if event.name == "place" and event.function == "born":
            placed[event.bubble, event.member] += 1
            expect(event.to[1] >= 1 and event.to[0] + event.to[1] <= PUS, str(event))
    expect(set(placed) == {(bubble, member) for bubble in burst for member in range(1, size[bubble])}, f"{policy}: members {placed}")
    expect(set(placed.values()) == {1}, f"{policy}: {placed}")


def test_members_set_free_have_a_place():
    for policy in ("affinity", "cache"):
        found = events(traced(MACHINE, policy, *TEAMS))
        only_by(found, policy, policy, "place", "born", "idle")
        one_place_each(found, policy)
        expect(thefts_had_victims(found) > 0, f"{policy}: no theft")
        nested = {bubble for bubble, mode in modes(found).items() if mode == 2}
        lying = {event.bubble for event in found if event.name == "burst" and event.function == "born"}
        whole = {event.bubble for event in found if event.name == "place_bubble" and event.function == "born"}
        expect(lying | whole == nested and not lying & whole, f"{policy}: each nested bubble is burst or put whole")


def test_affinity_deals_to_the_range():
    """4 outer members have a node each, from region to region: the members of a team lie on the node of the thread that
    met it."""
    found = events(traced(MACHINE, "affinity", *TEAMS))
    node = {event.member: event.to for event in found if event.name == "range" and event.function == "place"}
    parent = {event.bubble: event.member for event in found if event.name == "meet" and event.a}
    expect(sorted(node.values()) == [(0, 4), (4, 4), (8, 4), (12, 4)], f"ranges {node}")
    placed = [event for event in found if event.name == "place" and event.function == "born"]
    expect(placed, "nothing placed")
    for event in placed:
        first, n = node[parent[event.bubble]]
        expect(first <= event.to[0] < first + n, f"{event}: its node begins at PU {first}")


def test_cache_sends_back():
    """The second time a team is dealt, each member that the trace says went back lies where it had begun last."""
    found = events(traced(MACHINE, "cache,load=none", "barriers", "once", 4, 4, 2))
    parent, ran, back = {event.bubble: event.member for event in found if event.name == "meet"}, {}, 0
    nested = {bubble for bubble, mode in modes(found).items() if mode == 2}
    for event in found:
        if event.name == "begin" and event.bubble in nested:
            ran[parent[event.bubble], event.member] = event.pu
        elif event.name == "place" and event.function == "born" and event.reason == "went back where it ran last":
            expect(event.to == (ran[parent[event.bubble], event.member], 1), f"{event}: ran on {ran}")
            back += 1
    expect(back > 0, "none went back")


def test_tuned_shares_within_a_node():
    """16 threads have a PU each, and their teams lie there. With `tuned` some go to the node of that PU, and lighter ones are burst; else none."""
    for policy, shares in (("cache,load=told", False), ("cache,tuned,load=told", True)):
        found = events(traced(MACHINE, policy, "uneven", 16, 4, 2, "told"))
        shared = [event for event in found if event.reason == "the heaviest PU shares with its node"]
        expect({event.name for event in shared} == ({"place", "place_bubble", "burst"} if shares else set()), f"{policy}: {shared[:3]}")
        for event in shared:
            expect(event.name == "burst" or event.to[1] == 4 and 0 <= event.frm[0] - event.to[0] < 4 and event.frm[1] in (1, 4), str(event))


def test_default_steals_on_one_domain():
    """There is one cache and one node: bubbles stay where they are met."""
    found = events(traced("core:16", "default", *TEAMS))
    only_by(found, "default", "default", "idle", "place")
    expect(not [event for event in found if event.name in ("burst", "place_bubble") and event.function != "place"], "default deals nothing")
    expect(thefts_had_victims(found) > 4, "thefts")
    expect({event.reason for event in found if event.name == "steal"} <=
           {"the oldest bubble, nearest first", "the oldest ready thread, nearest first"}, "reasons")


def test_default_deals_teams_over_their_homes():
    found = events(traced(MACHINE, "default", *TEAMS))
    only_by(found, "default", "default", "born", "idle", "place")
    one_place_each(found, "default")
    thefts_had_victims(found)


def test_spread_goes_to_the_smallest_level():
    """6 threads need the machine, 4 a node, 2 of a node's PUs no smaller level."""
    for inner, level in ((6, 16), (4, 4), (2, 4)):
        found = events(traced(MACHINE, "spread", "barriers", "even", 4, inner, 2))
        only_by(found, "spread", "spread", "place", "born")
        put = {event.bubble: (event.a, event.b) for event in found if event.name == "put"}
        whole = [event for event in found if event.name == "place_bubble"]
        expect(len(whole) == list(modes(found).values()).count(2) > 0, f"{len(whole)} bubbles")
        for event in whole:
            expect(event.to[1] == level and put[event.bubble] == event.to and event.reason == "the smallest level with a PU for each member", str(event))
        expect(thefts_had_victims(found) == 0, "spread steals nothing")


def test_flat_teams_have_seats():
    """Each member has a seat, where the plan has placed it. The plan is one of a policy, and a team of all PUs goes
    round them."""
    for policy, size, by in (("compact", 3, 1), ("affinity", 4, 1), ("default", 4, 1), ("default", 16, 0)):
        found = events(traced(MACHINE, policy, "barriers", "once", size, 1, 1))
        seats = {(event.bubble, event.member): (event.a, event.b) for event in found if event.name == "seat"}
        plan = {(event.bubble, event.member): event.to for event in found if event.name == "place" and event.function == "place"}
        first = min(bubble for bubble, n in sizes(found).items() if n == size)
        expect({key for key in seats if key[0] == first} == {(first, k) for k in range(size)}, f"{policy}: {seats}")
        expect(all(seat[1] == by for key, seat in seats.items() if key[0] == first), f"{policy}: {seats}")
        expect(set(plan) == (set(seats) if by else set()), f"{policy}: plan {plan}, seats {seats}")
        expect(all(place == (seats[key][0], 1) for key, place in plan.items()), f"{policy}: plan {plan}, seats {seats}")


def test_hints_are_in_the_trace():
    """areas.c tells an area of a whole team, and an allocator makes and frees one; learnt.c tells loads."""
    found = events(traced("numa:2 core:2", programs() / "looks.so", "areas", "blocked"))
    areas = [(event.a, event.b) for event in found if event.name == "area"]
    expect(areas[:2] == [(5, 32768), (1, 32768)] and (6, 32768) in areas, str(areas))
    told = events(traced("core:2", "cache", "learnt", 4, 4, 2, "told"))
    loads = [event for event in told if event.name == "loads"]
    expect(loads and all(event.a > 0 and event.b > 0 for event in loads), str(loads))


def test_daemons_and_the_watchdog_are_in_the_trace():
    """A plug-in puts members aside and gives reasons; its daemon puts them on the machine. In the other run that does
    nothing, and the runtime brings them back."""
    for options, function, reason in (("", "daemon", "the daemon has come"), (",lazy=1", "runtime", "no PU looked where it lay")):
        found = events(traced("core:2", f"{programs() / 'aside.so'}{options}", "aside", 2))
        placed = [event for event in found if event.name == "place" and event.policy == "aside"]
        expect(placed[0].function == "born" and placed[0].to == (2, 0) and placed[0].reason == "aside until the daemon comes", str(placed[0]))
        expect(placed[1].function == function and placed[1].frm == (2, 0) and placed[1].to == (0, 2) and placed[1].reason == reason, str(placed[1]))
        expect(placed[1].bubble == placed[0].bubble and placed[1].member == 1, str(placed[1]))


def shown(file):
    with tempfile.NamedTemporaryFile(suffix=".fgt") as written:
        written.write(file)
        written.flush()
        table, text = forestgomp("trace", written.name, "--json"), forestgomp("trace", written.name)
        page = forestgomp("trace", written.name, "-o", "-")
    for result in (table, text, page):
        expect(result.returncode == 0 and not result.stderr, result.stderr)
    model = page.stdout.split('id="model">', 1)[1].split("</script>", 1)[0]
    return json.loads(table.stdout), text.stdout, json.loads(model)["processes"][0]


def test_the_readers_count_decisions():
    file = traced(MACHINE, f"{programs() / 'aside.so'}", "aside", 3)
    table, text, model = shown(file)
    counts = {(line["function"], line["event"], line["reason"]): line["count"] for line in table["decisions"] if line["policy"] == "aside"}
    expect(counts["born", "place", "aside until the daemon comes"] == 3 == counts["daemon", "place", "the daemon has come"], str(counts))
    expect(sum(line["count"] for line in table["decisions"]) == len([event for event in events(file) if event.policy]), "all are counted")
    expect(any(line.split()[:4] == ["3", "aside", "daemon", "place"] and line.endswith("the daemon has come") for line in text.splitlines()), text)
    expect(["aside", "daemon", "the daemon has come"] in model["deciders"], str(model["deciders"]))
    expect(["aside", "daemon", "place", "the daemon has come", 3] in model["decisions"], str(model["decisions"]))


def test_old_traces_stay_readable():
    """A file as versions without decisions wrote it: other events, thefts without a victim, no texts."""
    file = bytearray(traced(MACHINE, "affinity", *TEAMS))
    newest = list(EVENTS.values()).index("wake") + 1
    for at, kind, _, count, _ in list(blocks(file)):
        if kind == 6:
            file[at + 4:at + 8] = (77).to_bytes(4, "little")
        kept = 0
        for i in range(count if kind == 1 else 0):
            record = list(RECORD.unpack_from(file, at + BLOCK.size + i * RECORD.size))
            if record[1] > newest:
                continue
            if EVENTS[record[1]] == "steal":
                record[5:] = 0, 0
            RECORD.pack_into(file, at + BLOCK.size + kept * RECORD.size, *record)
            kept += 1
        if kind == 1:
            file[at + 16:at + 24] = kept.to_bytes(8, "little")
    table, text, model = shown(bytes(file))
    expect(not table["decisions"] and not model["decisions"] and not model["deciders"] and "decisions" not in text, str(table["decisions"]))
    expect(sum(region["steals"] for region in table["regions"]) > 0 and not table["note"], str(table["note"]))
