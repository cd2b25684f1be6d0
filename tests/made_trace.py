"""Makes the file of a trace, as src/trace/format.h has it."""
import pathlib
import re
import struct

from testing import ROOT

ALIGN = 65536
EVENTS = {name: number for number, name in enumerate(re.findall(r"^\tX\((\w+), ", (ROOT / "src/trace/events.h").read_text(), re.M), 1)}
BLOCK_EVENTS, BLOCK_MACHINE, BLOCK_FACTS, BLOCK_MODULES, BLOCK_NAMES = range(1, 6)
KIND_MACHINE, KIND_PU = 0, 8
FLAT = 1


def block(kind, count, body, lane=0):
    size = -(-(64 + len(body)) // ALIGN) * ALIGN
    head = struct.pack("<4sIQQQQI20x", b"BLOC", kind, size, count, 0, 0, lane)
    return (head + body).ljust(size, b"\0")


def text(kind, words):
    return block(kind, len(words), words.encode())


def machine(pus):
    """One level with these PUs, by the kernel's numbers."""
    levels = [struct.pack("<6I2Q", KIND_MACHINE, 1 << KIND_MACHINE, 0, 0, 0, len(pus), 0, 0)]
    levels += [struct.pack("<6I2Q", KIND_PU, 1 << KIND_PU, cpu, 1, place, 1, 0, 0) for place, cpu in enumerate(pus)]
    return block(BLOCK_MACHINE, len(levels), b"".join(levels))


def trace(path, pid, pus, records, clock="boot", wall=1, carrier="live", host="here", more="", module="/nowhere/program"):
    """Writes a file. records: (time in ns, event, PU, bubble, member, a, b) of one worker, in the order of time.
    `more`: further facts."""
    head = struct.pack("<8sIIQQQIIQQ", b"FGTRACE\n", 2, 32, records[0][0], records[-1][0], wall, pid, 1, 0, records[0][0])
    events = b"".join(struct.pack("<QHHIIIQ", time, EVENTS[name], *rest) for time, name, *rest in records)
    facts = f"command=./program-{pid}\nhost={host}\ncarrier={carrier}\nthreads=user\n{more}" + (f"clock={clock}\n" if clock else "")
    pathlib.Path(path).write_bytes(head.ljust(ALIGN, b"\0") + text(BLOCK_FACTS, facts) + machine(pus) + text(BLOCK_MODULES, f"800 2000 0 {module}\n")
                                   + block(BLOCK_EVENTS, len(records), events) + text(BLOCK_NAMES, "1000 work._omp_fn.0\n"))
    return path


def region(begin, end, *within, bubble=1):
    """The records of a region of two members, of which one is seen, with other records of its time."""
    return [(begin, "meet", 0, bubble, 0, 0, 0x1000), (begin, "team", 0, bubble, 0, 2, FLAT), (begin, "begin", 0, bubble, 0, 0, 0), *within,
            (end, "end", 0, bubble, 0, 0, 0), (end, "join", 0, bubble, 0, 0, 0)]
