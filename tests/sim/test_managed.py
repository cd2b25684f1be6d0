"""The calls of forestgomp/memory.h on simulated machines (managed.c)."""
import tempfile

from simulated import call, made_up, programs
from testing import ROOT, expect

NODE, INTERLEAVED, WEIGHTED, BLOCKS = 1, 4, 5, 6


def run(machine, *words):
    """The lines that the program prints: lists of words by the first one."""
    result = call("--machine", machine, "--no-baseline", "--given", programs() / "managed", *words)
    expect(result.returncode == 0, result.stderr)
    lines = {}
    for line in result.stdout.splitlines():
        word, *rest = line.split() or [""]
        lines.setdefault(word, []).append(rest)
    return lines


def test_managed_pages_lie_as_wanted():
    """Of 400 KiB: by the placement before, on node 1 after. A move costs a call and each page, and some lines of the
    library's own; the library says so, too."""
    with made_up("topology = numa:2 core:2\nmemory.read = 100 250\nmove.call = 30000\nmove.page = 2000\n") as file:
        for how, before in ((NODE, (100, 0)), (INTERLEAVED, (50, 50)), (WEIGHTED, (25, 75)), (BLOCKS, (50, 50))):
            lines = run(file.name, how, 0, 400)
            expect(lines["pages"] == [["0", *map(str, before)], ["0", "0", "100"]], f"{how}: {lines['pages']}")
            ns = int(lines["moved"][0][1])
            expect(abs(ns - 30000 - 2000 * before[0]) <= 500, f"{how}: {before[0]} pages moved in {ns} ns")
            local, remote, price = map(int, lines["cost"][0])
            expect(local == 10 and remote == 25 and abs(price - 30000 - 200000) <= 500, str(lines["cost"]))


def small(kib):
    """A description of two nodes, of which the first has so little memory."""
    text = (ROOT / "tests" / "data" / "machines" / "offline.xml").read_text()
    file = tempfile.NamedTemporaryFile("w", suffix=".xml")
    file.write(text.replace('local_memory="8589934592"', f'local_memory="{kib << 10}"', 1))
    file.flush()
    return file


def test_managed_node_is_full():
    """Node 0 has room for 64 pages. The other one stands in, or the call is refused; pages that find no room lie there."""
    with small(256) as file:
        lines = run(file.name, NODE, 0, 256)
        expect(lines["room"][0][0] == "256" and lines["room"][1][0] == "0" and lines["pages"][0] == ["0", "64", "0"], str(lines))
        expect(run(file.name, NODE, 0, 260)["pages"][0] == ["0", "0", "65"], "node 0 has no room for 65 pages")
        expect(run(file.name, NODE, 1, 260)["error"] == [["ENOMEM"]], "node 0 has no room for 65 pages, strictly")
        expect(run(file.name, BLOCKS, 1, 512)["pages"][0] == ["0", "64", "64"], "each block finds room")
        expect(run(file.name, 0, 0, 512)["pages"][0] == ["0", "64", "64"], "where they are touched, while there is room")
