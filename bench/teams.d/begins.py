"""Where and when the members of nested teams begin, out of a trace of the simulated machine. Called by runs.py."""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

EVENTS = Path(__file__).resolve().parents[2] / "src/trace/events.h"
# The file: src/trace/format.h.
HEAD_BYTES, BLOCK_BYTES, ALIGN = 64, 64, 65536
BLOCK = struct.Struct("<4sIQQQQI20x")
RECORD = struct.Struct("<QHHIIIQ")
EVENTS_KIND = 1
FLAT = 1  # b of the event `team`
SOON_NS = 5000


@dataclass
class Begins:
    """Counts of members that a policy dealt to one PU before they began. In time: on that PU, and soon after their region was met. Idle: PUs that
    had run something before, and were idle when members were dealt to them. A PU whose kernel thread is not made yet does not count. Idle in time: those that began one of these members in time."""

    dealt: int = 0
    there: int = 0
    in_time: int = 0
    idle: int = 0
    idle_in_time: int = 0


def numbers_of_events():
    names = re.findall(r"\bX\((\w+), \"", EVENTS.read_text())
    return {name: number for number, name in enumerate(names, 1)}


def blocks(data):
    at = ALIGN
    while at + BLOCK_BYTES <= len(data):
        magic, kind, length, count, sequence, lost, _ = BLOCK.unpack_from(data, at)
        if magic != b"BLOC" or length < BLOCK_BYTES:
            return
        if kind == EVENTS_KIND:
            if lost:
                raise ValueError("the trace has lost events")
            yield data[at + BLOCK_BYTES:at + BLOCK_BYTES + min(count, (length - BLOCK_BYTES) // RECORD.size) * RECORD.size]
        at += length


def records_of(path, names):
    """Returns the records of these events by time. At one time they stand in the order of `names`."""
    data = Path(path).read_bytes()
    if data[:8] != b"FGTRACE\n":
        raise ValueError("it is no trace")
    numbers = numbers_of_events()
    order = {numbers[name]: place for place, name in enumerate(names)}
    found = [record for block in blocks(data) for record in RECORD.iter_unpack(block) if record[1] in order]
    return sorted(found, key=lambda record: (record[0], order[record[1]])), {number: names[place] for number, place in order.items()}


class Counting:
    """What is known at one time of a trace."""

    def __init__(self):
        self.found = Begins()
        self.met, self.dealt_to = {}, {}  # bubble -> time; (bubble, member) -> PU
        self.busy, self.used = set(), set()  # PUs that run something; that ever did
        self.expected = {}  # PU -> members that were dealt to it and have not begun
        self.chances = set()  # (bubble, PU): the PU was idle when it got the first of these members

    def forget(self, bubble):
        """The bubble's number comes again, or its members have seats."""
        self.met.pop(bubble, None)
        for key in [key for key in self.dealt_to if key[0] == bubble]:
            self.withdraw(key)
        self.chances = {chance for chance in self.chances if chance[0] != bubble}

    def withdraw(self, key):
        pu = self.dealt_to.pop(key)
        self.expected[pu] -= 1
        return pu

    def deal(self, key, pu):
        if key in self.dealt_to:
            self.withdraw(key)
        if pu in self.used - self.busy and not self.expected.get(pu) and (key[0], pu) not in self.chances:
            self.chances.add((key[0], pu))
            self.found.idle += 1
        self.dealt_to[key] = pu
        self.expected[pu] = self.expected.get(pu, 0) + 1

    def begin(self, key, pu, time):
        self.found.dealt += 1
        if self.withdraw(key) != pu:
            return
        in_time = time - self.met[key[0]] <= SOON_NS
        self.found.there += 1
        self.found.in_time += in_time
        self.found.idle_in_time += in_time and (key[0], pu) in self.chances
        self.chances.discard((key[0], pu))

    def record(self, name, time, pu, bubble, member, b):
        if name == "meet":
            self.forget(bubble)
            self.met[bubble] = time
        elif name == "team" and b == FLAT:
            # The members were placed in a plan.
            self.found.idle -= sum(chance[0] == bubble for chance in self.chances)
            self.forget(bubble)
        elif name == "place" and bubble in self.met and b & 0xffff == 1:
            self.deal((bubble, member), b >> 16 & 0xffff)
        elif name == "begin" and (bubble, member) in self.dealt_to:
            self.begin((bubble, member), pu, time)
        if name in ("begin", "resume"):
            self.busy.add(pu)
            self.used.add(pu)
        # The thread that met the region goes on after the end of member 0.
        elif name == "suspend" or (name == "end" and member):
            self.busy.discard(pu)


def begins_count(path):
    """Reads a trace. A member of a flat team does not count, because it has a seat."""
    records, names = records_of(path, ("suspend", "end", "meet", "team", "place", "resume", "begin"))
    counting = Counting()
    for time, event, pu, bubble, member, _, b in records:
        counting.record(names[event], time, pu, bubble, member, b)
    return counting.found
