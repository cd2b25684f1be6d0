"""Schedulers in virtual time: areas that they see, counters, daemons, time slices, and teams that follow their data."""
import json

from simulated import call, made_up, programs, sim
from testing import complains, expect, forestgomp


def looked(machine, options, *words):
    """The figures that plugins/looks.c was shown in a run of areas.c, line by line."""
    result = call("-m", machine, "--given", "--no-baseline", "--sched", f"{programs() / 'looks.so'}{options}", programs() / "areas", *words)
    expect(result.returncode == 0, result.stderr)
    return [[line.split()[0], *(float(number) for number in line.split()[1:])] for line in result.stderr.splitlines()]


def test_areas_lie_on_simulated_nodes():
    """Of 10 pages thread 0 touches 3, on node 0, thread 3 the next 5, on node 1. Two pages from 100 bytes behind the
    third's start on: 3996 bytes of that, a page, and 100 bytes."""
    lines = looked("numa:2 core:2", "", "touched")
    expect(lines == [["memory", 40960, 12288, 20480], ["memory", 8192, 3996, 4196]], str(lines))


def test_allocators_place_on_simulated_nodes():
    """Thread 3, on node 1, asks for 32768 bytes. In front of them are 32 of the allocator's: 9 pages. `blocked`: the
    first 5 pages are node 0's. Before a touch they are on no node. Mapped anew, the same pages are on the node of
    thread 0, which touches them."""
    for partition, nodes in (("nearest", [0, 32768]), ("blocked", [5 * 4096 - 32, 3 * 4096 + 32]), ("interleaved", [16384, 16384])):
        lines = looked("numa:2 core:2", "", partition)
        expect(lines == [["area", 1, 32768], ["memory", 32768, 0, 0], ["memory", 32768, *nodes], ["area", 0, 0], ["memory", 32768, 32768, 0]],
               f"{partition}: {lines}")


def even_machine(topology):
    """100 ns and 10 ns a line from local memory, 150 ns and 15 ns from another node's; next to no cache."""
    return made_up(f"topology = {topology}\nmemory.read = 100 150\nmemory.bandwidth.core = 6400\nmemory.bandwidth.node = 80000\ncache.l2 = 64\n")


def test_counters_in_virtual_time():
    """PU 1 goes through 1,000,000 lines of the other node at 15 ns each, for 15 ms; PU 2 as long through its own, at
    10. The first look only gives the begin. A look falls within a page, 64 lines, and takes a look at the clock, 20
    ns."""
    for period in (3000000, 5000000):
        with even_machine("numa:2 core:2") as file:
            remote = [line[1:] for line in looked(file.name, f",event=1,period={period}", "rate", 1000000) if line[0] == "counters"]
            missed = [line[1:] for line in looked(file.name, f",event=2,period={period}", "rate", 1000000) if line[0] == "counters"]
        expect([line[0] // 1000 for line in remote] == [n * period // 1000 for n in range(2, 15000000 // period + 1)], f"times: {remote}")
        for _, pu, rate, node in remote:
            expect(pu == 1 and rate == node and abs(rate - 1e9 / 15) <= 64e9 / period, f"remote accesses: {remote}")
        first = [line for line in missed if line[0] // 1000 == 2 * period // 1000]
        expect([line[1] for line in first] == [1, 2] and abs(first[1][2] - 1e8) <= 64e9 / period, f"misses: {missed}")


def test_daemons_in_virtual_time():
    """A daemon is called each 5 ms, first at 2. At 2, 7 and 12 ms it puts the members of three regions, of 1 ms each,
    where PUs find them. Another daemon does nothing: the runtime brings the members back when they have lain there for
    2 s at two looks, 2 ms apart, and after that `default` goes on."""
    words = ("-m", "core:2", "--given", "--no-baseline", "--sched")
    result = call(*words, programs() / "aside.so", programs() / "aside", 3)
    took = [int(line.split()[1]) for line in result.stdout.splitlines() if line.startswith("step ")]
    expect(not result.stderr and 1950 < took[0] < 2000 and all(abs(us - 5000) < 2 for us in took[1:]), f"{took} {result.stderr}")
    result = call(*words, f"{programs() / 'aside.so'},lazy=1", programs() / "aside", 3)
    took = [int(line.split()[1]) for line in result.stdout.splitlines() if line.startswith("step ")]
    expect("aside has left 1 entities for 2 s" in result.stderr and len(result.stderr.strip().splitlines()) == 1, result.stderr)
    expect(2000000 <= took[0] < 2006000 and max(took[1:]) < 1100, str(took))


def test_slices_in_virtual_time():
    """Two teams have three members, each of which computes for 9 ms on its team's PU. Looks come each 2 ms. The one at
    10 sees that the second member has begun. Those at 12 to 18 see that it is still there, while the third waits. The
    first member is that of the outer team, which is flat."""
    result = call("-m", "core:2", "--given", "--no-baseline", "--sched", programs() / "looks.so", programs() / "given", "stays")
    slices = [[int(word) for word in line.split()[1:]] for line in result.stderr.splitlines() if line.startswith("slice ")]
    expect([(time // 1000, pu, members) for time, pu, members in slices] == [(1000 * ms, pu, 1) for ms in (12, 14, 16, 18) for pu in (0, 1)], str(slices))


def test_who_oversees_keeps_nobody_waiting():
    """The counters are not read in each period of an hour that the program sleeps, and a program that waits for ever is
    still found."""
    scheduler = f"{programs() / 'looks.so'},event=1,period=2e6"
    outcome = sim("opteron-8347he", "waits", "sleeps", options=["--sched", scheduler])
    expect(3600e9 <= outcome["time_ns"] < 3601e9, str(outcome["time_ns"]))
    complains(call("-m", "core:2", "--sched", scheduler, programs() / "waits", "stuck"), 1, "every thread sleeps")


def test_teams_follow_their_data():
    """Each of 4 teams goes through 3 x 4096 lines a round, all on the node behind its own (follow.c). By areas the
    scheduler sends it there before it begins. By the team's own events it tries all nodes, of which three are wrong. By
    counters it sends the team on when the node's PUs are above the threshold at a look: the first such look is at 4 ms,
    of some 12."""
    rounds, part = 200, 4 * 3 * 4096
    remote = {}
    with even_machine("numa:4 core:4") as file:
        for by in ("nothing", "areas", "events", "counters"):
            scheduler = f"{programs() / 'follows.so'},by={by}"
            result = call("-m", file.name, "--given", "--no-baseline", "--json", "--sched", scheduler, programs() / "follow", rounds)
            expect(result.returncode == 0 and not result.stderr, result.stderr)
            outcome = json.loads(result.stdout)
            remote[by] = sum(pu["remote"] for pu in outcome["per_pu"])
            expect(outcome["repeatable"], "repeatable")
    expect(remote["nothing"] == rounds * part and remote["areas"] == 0 and remote["events"] == 3 * part, str(remote))
    expect(remote["counters"] < 0.45 * remote["nothing"], str(remote))


def test_threads_are_sent():
    """plugins/sends.c sends each member of two teams to a PU of its own, out of one PU for each team. A thread that was
    sent runs on that PU from then on, and the phases are shorter. So it is if it is stopped before it has left."""
    words = ("-m", "numa:4 core:4 pu:1", "--given", "--no-baseline", "--sched")
    for step, stops in ((1, 0), (5, 1), (5, 0)):
        result = call(*words, f"{programs() / 'sends.so'},step={step},stops={stops}", programs() / "barriers", "even", 2, 4, 20)
        lines = [line.split() for line in result.stderr.splitlines()]
        expect(result.returncode == 0 and {line[0] for line in lines} == {"tree", "thread"}, result.stderr)
        runs = [(pu, target) for _, _, _, state, pu, target, sent in (line for line in lines if line[0] == "thread") if (state, sent) == ("0", "0")]
        expect(len(runs) > 10 and all(pu == target for pu, target in runs), f"running threads, and where they were sent: {runs}")
        for bubbles, threads, *states in (line[1:] for line in lines if line[0] == "tree"):
            expect(int(threads) == sum(map(int, states)), f"{threads} threads: {states}")
        expect(("3", "8") in {tuple(line[1:3]) for line in lines if line[0] == "tree"}, "the team around, and two in it")
    stays = call(*words, f"{programs() / 'sends.so'},step=0", programs() / "barriers", "even", 2, 4, 20)
    spread = int(result.stdout.split()[0])
    expect(spread < 0.6 * int(stays.stdout.split()[0]), f"{spread} ns with threads that were sent; without: {stays.stdout}")


def sent_members(runner, what, member, first, members):
    """[(came, sent)] of the member, as plugins/exchanges.c tells it in a run of docked.c."""
    scheduler = f"{programs() / 'exchanges.so'},member={member},first={first}"
    result = forestgomp(*runner, "--sched", scheduler, programs() / "docked", what, members, 150)
    expect(result.returncode == 0, f"{what} {runner}: {result.stdout}{result.stderr}")
    lines = [line.split() for line in result.stderr.splitlines() if line and not line.startswith("libgomp:")]
    expect("1" not in {line[1] for line in lines if line[0] == "root"}, f"{what} {runner}: the root was sent")
    return [(came, sent) for word, _, came, sent in (line for line in lines if line[0] != "root") if word == what]


def test_docked_members_are_sent():
    """plugins/exchanges.c sends a member of a flat team, at each call of its daemon, 2 ms apart: one that has its worker's
    kernel thread, one of a crew, and one that has met a nested region. It is where it was sent at the next call; live, at
    five of them, because the machine may be busy.
    The root cannot be sent. No member is lost: docked.c counts. The first case needs three PUs."""
    simulated, live = ("sim", "-m", "core:4", "--given", "--no-baseline"), ("run",)
    for runner, what, member, first, members in ((simulated, "flat", 1, 1, 4), (simulated, "flat", 6, 0, 8), (simulated, "met", 1, 1, 4),
                                                 (live, "flat", 3, 0, 4), (live, "met", 1, 1, 2)):
        seen = sent_members(runner, what, member, first, members)
        expect(len(seen) > 8 and all(sent == "1" for _, sent in seen), f"{runner} {what} {member}: {seen}")
        arrived = sum(came == "1" for came, _ in seen[1:])
        expect(arrived >= (0.9 * len(seen[1:]) if runner == simulated else 5), f"{runner} {what} {member}: {seen}")
