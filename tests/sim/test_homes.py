"""Teams have homes: members begin where they were dealt, teams are not torn, and whole teams move. On 4 nodes of 4 PUs."""
import collections

from testing import expect
from traces import events, traced

MACHINE, NODE_PUS = "numa:4 core:4 pu:1", 4
WITH_HOMES = ("default", "affinity", "cache", "cache,tuned=yes")
BALANCED = ("families", "barriers", 4, 4, 12, 100000, 65536)
MOVED = "a whole team, from where there are more"


def node(pu):
    return pu // NODE_PUS


def given(machine, scheduler, *words):
    return events(traced(machine, scheduler, *words))


def test_members_begin_where_they_were_dealt():
    for scheduler in WITH_HOMES:
        dealt, began = {}, 0
        for event in given(MACHINE, scheduler, *BALANCED):
            if event.name == "place" and event.function == "born":
                dealt[event.bubble, event.member] = event.to
            elif event.name == "begin" and (event.bubble, event.member) in dealt:
                first, pus = dealt.pop((event.bubble, event.member))
                expect(first <= event.pu < first + pus, f"{scheduler}: {event} was dealt to {pus} PUs from {first}")
                began += 1
        expect(began >= 3 * 4 * 3 and not dealt, f"{scheduler}: {began} members began, and {dealt} did not")


def torn(scheduler, *words):
    """Thefts across nodes, and teams whose members begin on several nodes."""
    found, nodes = given(MACHINE, scheduler, *words), collections.defaultdict(set)
    for event in found:
        if event.name == "begin" and event.member:
            nodes[event.bubble].add(node(event.pu))
    far = [event for event in found if event.name == "steal" and node(event.frm[0]) != node(event.to[0])]
    return len(far), sum(len(on) > 1 for on in nodes.values())


def test_teams_are_not_torn():
    """The outer team alone is spread over the nodes, where 4 teams have 4 or 8 members each. `steal` tears them."""
    for inner in (4, 8):
        words = "families", "regions", 4, inner, 12, 20000, 65536
        for scheduler in WITH_HOMES:
            expect(torn(scheduler, *words) == (0, 1), f"4 x {inner}, {scheduler}: thefts across nodes, torn teams: {torn(scheduler, *words)}")
        far, teams = torn("steal", *words)
        expect(far > 0 and teams > 1, f"4 x {inner}, steal: {far} thefts across nodes, {teams} torn teams: the program shows nothing")


def test_whole_teams_move():
    """Of 8 teams the first two, which share a node, are left after phase 3. One of them moves, all its threads with it, to PUs of
    their own. Only member 0 may stay, because team 0's is a thread of the program. Then each team has a node to the end.
    (`tuned` moves members to the node's runqueue. One may lie there so long that any PU takes it.)"""
    for scheduler in WITH_HOMES[:3]:
        found = given(MACHINE, scheduler, "families", "barriers", 8, 4, 24, 100000, 0, "live=2")
        moved = [event for event in found if event.reason == MOVED]
        threads = {(event.bubble, event.member): event.to for event in moved}
        expect(len(threads) > 1 and len({node(to[0]) for to in threads.values()}) == 1, f"{scheduler}: moved: {threads}")
        expect(len(set(threads.values())) == len(threads), f"{scheduler}: moved to {threads}")
        on = collections.defaultdict(set)
        for event in found:
            if event.name == "wait" and event.member and event.time > moved[-1].time + 200000:
                on[event.bubble].add(node(event.pu))
        # What has lain for 0.2 ms may have gone to a third node since.
        expect(len(on) == 2 and sum(len(nodes) == 1 for nodes in on.values()) >= 1, f"{scheduler}: then teams are on nodes {dict(on)}")
        expect(2 <= len(set().union(*on.values())) <= 3, f"{scheduler}: then teams are on nodes {dict(on)}")


def test_a_pu_whose_thread_left_helps():
    """Of 8 teams 4 end after phase 3. One of two that share a node moves, with the thread of the outer team that met its region. The team that stays
    has the PUs of both then, that of this thread among them."""
    for scheduler in WITH_HOMES[:3]:
        found = given("opteron-8347he", scheduler, "families", "barriers", 8, 4, 24, 20000, 262144, "alternate")
        moved = [event.time for event in found if event.reason == MOVED]
        expect(moved, f"{scheduler}: no team moved")
        ends = {event.bubble: event.time for event in found if event.name == "join"}
        teams = sorted(ends, key=ends.get)[-5:-1]  # the outer team is the last to end
        middle, at = (moved[-1] + ends[teams[0]]) / 2, {}
        for event in found:
            if event.name == "wait" and event.time < middle:
                at[event.bubble, event.member] = event.pu
        for team in teams:
            pus = {pu for (bubble, _), pu in at.items() if bubble == team}
            expect(len(pus) == 4, f"{scheduler}: a team of 4 meets a barrier on PUs {pus}")


def test_one_domain():
    """Nobody deals nested teams, and thieves take what `steal` takes."""
    def told(scheduler, machine):
        found = given(machine, scheduler, *BALANCED)
        thefts = {(event.name, event.function, event.reason) for event in found if event.name == "steal"}
        return thefts, {event.function for event in found if event.policy}
    for machine in ("core:8", "l3:1 core:8", "l3:8 core:1"):
        thefts, functions = told("default", machine)
        expect(thefts and thefts == told("steal", machine)[0], f"{machine}: {thefts}")
        expect("born" not in functions, f"{machine}: {functions}")


def test_a_seat_is_kept_free():
    """3 teams of 5 on 4 nodes of 4 PUs: in each phase a member of a team goes to the free node. A member of the outermost team waits for its
    region on its own PU. If that PU takes a member from afar meanwhile, the region ends some 0.1 ms after its last member.
    (After 50 us of idling the PU does so nevertheless: 0 to 3 times in a run. With `steal` 10 regions of a run end late.)"""
    for scheduler in WITH_HOMES[:2]:
        late, far = [], 0
        for seed in range(1, 6):
            ended = {}
            for event in events(traced("opteron-8347he", scheduler, "families", "regions", 3, 5, 24, 100000, 65536, options=("--seed", seed))):
                far += event.name == "steal" and node(event.frm[0]) != node(event.to[0])
                if event.name == "end":
                    ended[event.bubble] = event.time
                elif event.name == "join" and event.time - ended.get(event.bubble, event.time) > 20000:
                    late.append(event)
        expect(far > 150, f"{scheduler}: only {far} members went to another node")
        expect(len(late) < 10, f"{scheduler}: {len(late)} regions of 5 runs end long after their members: {late[:3]}")


def thefts_between_nodes(seed):
    free = events(traced(MACHINE, "default", "families", "barriers", 6, 6, 100, 100000, 0, options=("--seed", seed)))
    return sum(event.name == "steal" and node(event.frm[0]) != node(event.to[0]) for event in free)


def test_what_a_theft_costs_is_learnt():
    """6 teams of 6 on 4 nodes of 4 PUs. Without data their members go to any node that has PUs to spare. With 256 KB to read in each phase, on
    a machine with caches, the members that were tried go home, and then no member goes away."""
    far = [thefts_between_nodes(seed) for seed in range(1, 6)]
    expect(min(far) > 50, f"without data: {far} thefts across nodes")
    dear = given("opteron-8347he", "default", "families", "barriers", 3, 5, 100, 20000, 262144)
    home = [event.time for event in dear if event.reason == "it is dear to be away from home"]
    tried = [event.time for event in dear if event.reason == "a thread, to learn what it costs"]
    expect(home and tried and len(tried) < 10, f"with data: {len(tried)} tried, {len(home)} went home")
    late = [event for event in dear if event.name == "steal" and event.time > home[0] + 2000000 and node(event.frm[0]) != node(event.to[0])]
    expect(not late, f"with data: {len(late)} thefts across nodes: {late[:3]}")
