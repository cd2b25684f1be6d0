"""Redistribution: when a plug-in is asked to rearrange what is in flight, and what it may do then. plugins/period.c does it, on
simulated machines, where a run can be had again."""
import collections

from simulated import call, programs
from testing import expect
from traces import events, traced

MACHINE = "numa:4 core:4 pu:1"
TEAM_BEGAN, TEAM_ENDED, PU_IDLE, MACHINE_CHANGED, HINTS, COUNTERS, PERIOD = range(7)


def nested(found):
    """Bubbles of nested teams in the order of their regions, with their sizes."""
    return {event.bubble: event.a for event in found if event.name == "team" and event.b == 2}


def where(found, bubble):
    """member -> the PUs on which it has run, in order."""
    ran = collections.defaultdict(list)
    for event in found:
        if event.bubble == bubble and event.name in ("begin", "resume", "go") and event.pu not in ran[event.member][-1:]:
            ran[event.member].append(event.pu)
    return ran


def told(options, *words, machine=MACHINE):
    result = call("-m", machine, "--given", "--no-baseline", "--sched", f"{programs() / 'period.so'}{options}", programs() / words[0], *words[1:])
    expect(result.returncode == 0, result.stderr)
    lines = result.stderr.splitlines()
    calls = [[int(word) for word in line.split()[1:]] for line in lines if line.startswith("redistribute ")]
    return calls, [line for line in lines if line and not line.startswith("redistribute ")]


def test_a_period():
    """A policy with a period of 3 ms is called each 3 ms, and on other occasions besides."""
    calls, others = told("", "barriers", "even", 2, 4, 20)
    times = [time for why, time, _ in calls if why == PERIOD]
    expect(not others, str(others))
    expect(len(times) > 3 and all(2900000 < b - a < 5100000 for a, b in zip(times, times[1:])), str(times))
    expect({TEAM_BEGAN, PU_IDLE} <= {why for why, *_ in calls}, f"occasions: {set(why for why, *_ in calls)}")


def test_a_policy_that_redistributes_for_ever():
    """One line; and what does not help is tried half as often: the period of 3 ms becomes longer and longer."""
    calls, others = told(",sends=1", "barriers", "even", 2, 4, 40)
    expect(len(others) == 1 and "has redistributed threads 8 times in a row" in others[0], str(others))
    times = [time for why, time, _ in calls if why == PERIOD]
    gaps = [b - a for a, b in zip(times, times[1:])]
    expect(gaps[0] < 3100000 and gaps[-1] > 11000000, f"gaps {gaps}")


def test_a_policy_says_what_helps():
    """Its strain becomes less, so each call has helped, though no fewer PUs are idle: the period stays, and nothing is said. A strain that
    stays is as idle PUs that stay idle."""
    calls, others = told(",sends=1,strain=1", "barriers", "even", 2, 4, 40)
    times = [time for why, time, _ in calls if why == PERIOD]
    gaps = [b - a for a, b in zip(times, times[1:])]
    expect(not others and len(gaps) > 3 and max(gaps) < 5100000, f"{others}, gaps {gaps}")
    calls, others = told(",sends=1,strain=2", "barriers", "even", 2, 4, 40)
    expect(len(others) == 1 and "its strain was no less" in others[0], str(others))


def test_members_that_run_are_gathered():
    """Two teams of 4, each on the PU where it was met, for no PU steals. The members that run are sent to the machine's
    runqueue, so in the end they run on PUs of their own. Events after the first end of a member do not count."""
    found = events(traced(MACHINE, f"{programs() / 'period.so'},gather=1", "barriers", "even", 2, 4, 20))
    gathered = {event.bubble for event in found if event.name == "gather" and event.function == "redistribute"}
    last = list(nested(found))[-2:]
    expect(set(last) <= gathered, f"{last}, gathered {gathered}")
    over = min(event.time for event in found if event.bubble in last and event.name == "end")
    found = [event for event in found if event.time < over]
    for bubble in last:
        ends = {member: pus[-1] for member, pus in where(found, bubble).items()}
        expect(len(set(ends.values())) == 4, f"bubble {bubble}: {ends}")


def test_a_bubble_gets_a_range():
    """The range of a bubble in flight is that of its members, and is in the trace."""
    found = events(traced(MACHINE, f"{programs() / 'period.so'},range=1", "barriers", "even", 2, 4, 20))
    ranges = [event for event in found if event.name == "range" and event.function == "redistribute"]
    expect(ranges and all(event.to == (12, 4) for event in ranges), str(ranges[:3]))
