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
    """Counts of members that a policy dealt to one PU before they began. In time: on that PU, and soon after their region began."""

    dealt: int = 0
    there: int = 0
    in_time: int = 0


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


def begins_count(path):
    """Reads a trace. A member of a flat team does not count, because it has a seat."""
    records, names = records_of(path, ("meet", "team", "place", "begin"))
    met, pu_of, found = {}, {}, Begins()
    for time, event, pu, bubble, member, _, b in records:
        name = names[event]
        if name == "meet":
            met[bubble], pu_of[bubble] = time, {}
        elif bubble not in met:
            continue
        elif name == "team" and b == FLAT:
            del met[bubble]
        elif name == "place" and b & 0xffff == 1:
            pu_of[bubble][member] = b >> 16 & 0xffff
        elif name == "begin" and member in pu_of[bubble]:
            found.dealt += 1
            if pu_of[bubble].pop(member) == pu:
                found.there += 1
                found.in_time += time - met[bubble] <= SOON_NS
    return found
