"""Plans from recordings: `forestgomp pin --from FILE`, and what `forestgomp pin` plans on a simulated machine. The program is pairs.c;
uses.c has counts that are derived by hand."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree

from simulated import call, programs
from test_pin import MACHINE, PUS, pin
from testing import expect, forestgomp


def copied(folder, name):
    """A copy of a program: other tests may build it anew meanwhile."""
    return pathlib.Path(shutil.copy2(programs() / name, pathlib.Path(folder) / name))


def record(folder, program, *words, env=None):
    """The trace of a simulated run."""
    trace = pathlib.Path(folder) / "recorded.fgt"
    result = call("-m", MACHINE, "--given", "--no-baseline", "--trace", trace, program, *words, env=env)
    expect(result.returncode == 0, result.stderr)
    return trace


def planned(trace, *words, machine=MACHINE):
    result = forestgomp("pin", "-m", machine, "--from", trace, "--json", *words)
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    return json.loads(result.stdout)


def pairs_of(numbers, rest=0):
    """The pairs of members whose weight is not `rest`, with it."""
    return {(i, k): numbers[PUS * i + k] for i in range(PUS) for k in range(i) if numbers[PUS * i + k] != rest}


def test_counts_by_hand():
    """3 regions x 8 members x (128 own + 64 of the partner + 64 of the table) = 6,144 records, and each unit of 8 bytes."""
    passes = 40
    with tempfile.TemporaryDirectory() as folder:
        plan = planned(record(folder, copied(folder, "uses"), passes))
        expect(plan["records"] == 6144 and plan["lost_bytes"] == 0, str(plan["records"]))
        expect(len(plan["regions"]) == 3 and plan["follows"] == [0, 1, 0, 0, 0, 1, 0, 0, 0], str(plan["follows"]))
        for region, partner in zip(plan["regions"], (4, 1, 2)):
            expect(region["records"] == 2048, str(region["records"]))
            expect(region["reads"] == PUS * (128 + 64 + 64) * 8 * passes, f"reads {region['reads']}")
            expect(region["writes"] == PUS * 128 * 8 * passes, f"writes {region['writes']}")
            # Twice 64 lines, which one of the two writes and the other reads; for SM the 64 lines of the table on top, for all pairs.
            pairs = {(k, k ^ partner): 2 * 64 * 8 * passes for k in range(PUS) if k > k ^ partner}
            table = 64 * 8 * passes
            expect(pairs_of(region["rwm"]) == pairs, str(pairs_of(region["rwm"])))
            expect(pairs_of(region["sm"], table) == {pair: weight + table for pair, weight in pairs.items()},
                   str(pairs_of(region["sm"], table)))


def test_three_pairings():
    """With many passes regions have seats of their own. With one pass, or with little sharing, they have not, because moved members leave
    their lines behind. What is planned is the fastest that is measured."""
    with tempfile.TemporaryDirectory() as folder:
        trace = record(folder, copied(folder, "pairs"), 64, 10, 1, 50, 100, 100)
        expect(not planned(trace)["moves"], "one pass: regions move")
        trace = record(folder, copied(folder, "pairs"), 256, 3, 4, 1, 1, 1)
        expect(not planned(trace)["moves"], "1% is shared: regions move")
        for passes in (4, 16):
            words = (64, 4, passes, 50, 100, 100)
            plan = planned(record(folder, copied(folder, "pairs"), *words))
            expect(plan["moves"], f"{passes} passes: no region moves")
            for region, partner in zip(plan["regions"][1:], (4, 1, 2)):
                pus = region["pus"]
                expect(all(pus[k] // 4 == pus[k ^ partner] // 4 for k in range(PUS)), f"{passes} passes, k ^ {partner}: {pus}")
        verdict, file = pin(64, 10, 4, 50, 100, 100, folder=folder)
        least = {one["name"]: min(one["times_ns"]) for one in verdict["candidates"] if one["times_ns"]}
        fixed = min(time for name, time in least.items() if "by region" not in name)
        expect(least["planned, by region"] <= 0.70 * fixed and "region = " in file.read_text(), str(least))


def test_a_recording_serves_another_machine():
    """It tells how much members share. Where they sit is planned for the machine that is asked for."""
    with tempfile.TemporaryDirectory() as folder:
        trace = record(folder, copied(folder, "pairs"), 64, 3, 4, -1, 100, -1)
        plan = planned(trace, machine="numa:4 core:2")
        for k in range(PUS):
            expect(plan["pus"][k] // 2 == plan["pus"][k ^ 1] // 2, str(plan["pus"]))
        result = forestgomp("pin", "-m", "numa:2 core:2", "--from", trace)
        expect(result.returncode == 2 and "teams of 8, and there are 4 PUs" in result.stderr, result.stderr)
        result = forestgomp("pin", "-m", MACHINE, "--given", "--from", trace, programs() / "pairs", 64, 3, 4, -1, 100, -1, 4)
        expect(result.returncode == 1 and "is of teams of 8, and" in result.stderr and result.stderr.count("\n") == 1, result.stderr)


def test_words_and_a_drawing():
    with tempfile.TemporaryDirectory() as folder:
        trace, svg = record(folder, copied(folder, "pairs"), 64, 3, 4, 50, 100, 100), pathlib.Path(folder) / "sharing.svg"
        result = forestgomp("pin", "-m", MACHINE, "--from", trace, "--svg", svg)
        expect(result.returncode == 0 and not result.stderr, result.stderr)
        expect("most: 0-4, 1-5, 2-6, 3-7" in result.stdout and "most: 0-1, 2-3, 4-5, 6-7" in result.stdout, result.stdout)
        expect("Nothing was measured" in result.stdout, result.stdout)
        drawing = xml.etree.ElementTree.parse(svg).getroot()
        arcs = [one for one in drawing.iter() if one.tag.endswith("path") and one.get("class", "").startswith("arc")]
        expect(len(arcs) == 3 * 2 * 4, f"{len(arcs)} arcs: 3 regions, compact and planned, 4 pairs each")
        result = forestgomp("pin", "-m", MACHINE, "--from", trace, "--svg", pathlib.Path(folder) / "none" / "x.svg")
        expect(result.returncode == 2 and "cannot write" in result.stderr, result.stderr)


def test_recordings_that_do_not_fit():
    """One line each."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = copied(folder, "pairs")
        words = (64, 3, 4, 50, 100, -1)
        trace = record(folder, program, *words)
        whole = trace.read_bytes()

        def fails(status, said, file, *more):
            result = forestgomp("pin", "-m", MACHINE, "--given", "--from", file, *more)
            lines = result.stderr.splitlines()
            expect(result.returncode == status and len(lines) == 1 and said in lines[0] and not result.stdout, f"{said}: {result}")

        for size in (len(whole) // 2, len(whole) - 70000, 100, 10):
            (folder / "cut.fgt").write_bytes(whole[:size])
            fails(2 if size < 64 else 1, "cut.fgt", folder / "cut.fgt", program, *words)
        fails(2, "none.fgt", folder / "none.fgt", program, *words)
        fails(2, "tells no data", record(folder, copied(folder, "learnt")), program, *words)
        trace.write_bytes(whole)
        fails(1, "is of another program", trace, programs() / "uses", 4)
        fails(2, "--output needs a program", trace, "-o", folder / "x.pin")
        record(folder, program, 64, 400, 4, 50, 100, -1, env={"FGOMP_TRACE_SIZE": "64K"})
        fails(1, "a part of the run only", trace, program, *words)
        record(folder, program, *words)
        subprocess.run(["strip", program], check=True)
        fails(1, "was written after", trace, program, *words)
