"""Events of the hardware that are counted for bubbles, with counted.c."""
from simulated import programs, seen
from testing import expect, forestgomp


# The counts of counted.c: (whole, own) of the inner region, which ends first, and of the one around it.
COUNTED = {
    1: [(30, 30), (41, 11)],  # remote accesses: 3 times 10 lines of the other node; 7 and 4 in the members of the region around, with those inner 30
    2: [(45, 45), (58, 13)],  # misses: 3 times 5 of the own node, too; 2 of new pages. A line that was there already is no miss
    3: [(0, 0), (2, 2)],      # first touches of a page
}


def test_events_of_a_bubble():
    for event, wanted in COUNTED.items():
        lines = seen(f"3,event={event}", "nested", program="counted")
        expect([tuple(numbers) for numbers in lines["events"]] == wanted, f"event {event}: {lines['events']}")


def test_events_of_bubbles_at_once():
    """Two members on each of four PUs, with 500 misses each on the first, 1000 on the second, ..."""
    events = seen("3,event=2", "apart", program="counted")["events"]
    expect(sorted(events) == [[1000 * k, 1000 * k] for k in (1, 2, 3, 4)], str(events))


def test_events_on_a_live_run():
    """The kernel counts page faults by itself: of two members' pages, and few of the runtime's own. Where it does not,
    a line says so."""
    events = sorted(seen("3,event=3", "touched", program="counted", runner=())["events"])
    if all(number != number for numbers in events for number in numbers):
        result = forestgomp("run", "--sched", f"{programs() / 'sees.so'},measure=3,event=3", programs() / "counted", "touched",
                            env={"FGOMP_VERBOSE": "true"})
        expect("wants page faults counted for each thread, which cannot be done here" in result.stderr, result.stderr)
        return
    expect(len(events) == 4 and all(30 * k <= numbers[0] <= 30 * k + 12 for k, numbers in zip((1, 2, 3, 4), events)), str(events))


def test_events_that_are_not_known():
    """The scheduler asks for no event, or does not ask that threads be measured."""
    for asked in ("3", "2,event=1"):
        events = seen(asked, "nested", program="counted")["events"]
        expect(len(events) == 2 and all(number != number for numbers in events for number in numbers), f"measure={asked}: {events}")
