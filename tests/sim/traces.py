"""Traces of simulated runs, event by event. The file is read here by itself, as docs/tracing.md describes it."""
import collections
import re
import struct
import tempfile

from simulated import call, programs
from testing import ROOT, expect

RECORD = struct.Struct("<QHHIIIQ")
BLOCK = struct.Struct("<4sIQQQQI5I")
HEAD = 65536
EVENTS = dict(enumerate(re.findall(r"^\tX\((\w+), ", (ROOT / "src/trace/events.h").read_text(), re.M), 1))
DECIDERS = ("", "place", "born", "idle", "met", "woken", "blocked", "ended", "slice", "daemon", "changed", "runtime", "expired", "finished", "idles",
            "handed", "redistribute")
DECISIONS = ("steal", "burst", "place", "place_bubble", "gather", "range")
# `frm` and `to` are (first PU, number of PUs).
Event = collections.namedtuple("Event", "time name pu bubble member a b policy function reason frm to")


def blocks(file):
    """(offset, kind, bytes, count, lane) of each block."""
    at = HEAD
    while at + BLOCK.size <= len(file):
        magic, kind, size, count, _, _, lane, *_ = BLOCK.unpack_from(file, at)
        if magic != b"BLOC":
            return
        yield at, kind, size, count, lane
        at += size


def texts(file):
    said = {0: ""}
    for at, kind, _, count, _ in blocks(file):
        if kind == 6:
            lines = file[at + BLOCK.size:at + BLOCK.size + count].decode().split("\n")
            said.update((int(line.split(" ", 1)[0]), line.split(" ", 1)[1]) for line in lines if line)
    return said


def place(packed):
    return packed >> 16, packed & 0xffff


def events(file):
    """All of them, ordered by time."""
    said, found = texts(file), []
    for at, kind, _, count, lane in blocks(file):
        for i in range(count if kind == 1 else 0):
            time, event, pu, bubble, member, a, b = RECORD.unpack_from(file, at + BLOCK.size + i * RECORD.size)
            name, policy, function, reason, frm, to = EVENTS[event], "", "", "", (0, 0), (0, 0)
            if name in DECISIONS:
                policy, function, reason = said[a >> 20], DECIDERS[a >> 12 & 0xff], said[a & 0xfff]
                frm, to = place(b >> 32), place(b & 0xffffffff)
            found.append((time, lane, len(found), Event(time, name, pu, bubble, member, a, b, policy, function, reason, frm, to)))
    return [event for *_, event in sorted(found)]


def traced(machine, scheduler, *words, options=()):
    """The bytes of the trace of one of the programs."""
    with tempfile.NamedTemporaryFile(suffix=".fgt") as file:
        result = call("-m", machine, "--given", "--no-baseline", "--sched", scheduler, *options, programs() / words[0], *words[1:], env={"FGOMP_TRACE": file.name})
        expect(result.returncode == 0, result.stderr)
        with open(file.name, "rb") as written: # the library has made it anew
            return written.read()
