"""Regions of a pin file whose members change workers: where they sit, and what it costs. The program is seatings.c."""
import collections
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

import traces
from simulated import call, programs
from testing import expect, forestgomp

MACHINES = {"nehalem-ex-4x8": 32, "xeon-8375c-2x32": 64}


def codes(program, n):
    """What a pin file calls the first n regions."""
    symbols = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    offsets = {words[2]: int(words[0], 16) for words in map(str.split, symbols.splitlines()) if len(words) == 3}
    notes = subprocess.run(["readelf", "-n", program], check=True, capture_output=True, text=True).stdout
    build = notes.split("Build ID:")[1].split()[0]
    return [f"{build}+{offsets[f'region_{k}._omp_fn.0']:x}" for k in range(n)]


def machine_of(machine, folder):
    trace = folder / "data.fgt"
    result = call("-m", machine, "--given", "--no-baseline", "--trace", trace, programs() / "seatings", 2, 1, "data")
    expect(result.returncode == 0, result.stderr)
    return json.loads(forestgomp("pin", "-m", machine, "--from", trace, "--json").stdout)["machine"]


def seatings(machine, n, different, file, folder):
    """Writes a pin file with a layout for each of the first n regions. Returns these: one, or another each time."""
    members, chance = MACHINES[machine], random.Random(1)
    layouts = [[0, *(chance.sample(range(1, members), members - 1) if different and k else range(1, members))] for k in range(n)]
    lines = [f"region = {code} {' '.join(map(str, pus))}" for code, pus in zip(codes(programs() / "seatings", n), layouts)]
    default = " ".join(map(str, range(members)))
    file.write_text("\n".join(["pin = 1", f"machine = {machine_of(machine, folder)}", f"threads = {members}", f"default = {default}", *lines]) + "\n")
    return layouts


def ns(machine, n, file, *options):
    env = {"FGOMP_PIN": str(file)} if file else {}
    times = []
    for seed in range(1, 4):
        result = call("-m", machine, "--given", "--no-baseline", "--seed", seed, *options, programs() / "seatings", MACHINES[machine], n, env=env)
        expect(result.returncode == 0 and not result.stderr, f"{result.returncode}: {result.stderr}")
        times.append(float(result.stdout.split()[0]))
    return statistics.median(times)


def test_what_another_seating_costs():
    """A region costs the same if its members sit elsewhere than in the one before, and hardly more than without a pin file. 20 layouts are more
    than a root keeps. Without seatings another layout costs 1.27 to 1.33 times as much."""
    for machine in MACHINES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            file = folder / "seats.pin"
            none = ns(machine, 2, None)
            seatings(machine, 2, False, file, folder)
            same = ns(machine, 2, file)
            expect(same < 1.6 * none, f"{machine}: {same} ns with donors, {none} without")
            for n in 2, 20:
                seatings(machine, n, True, file, folder)
                other = ns(machine, n, file)
                expect(other < 1.15 * same, f"{machine}: {other} ns with {n} layouts, {same} with one")


def test_more_layouts_than_a_root_keeps():
    """By the trace: in each of 20 regions each member has the PU of the file."""
    machine = "nehalem-ex-4x8"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file, trace = folder / "seats.pin", folder / "run.fgt"
        layouts = seatings(machine, 20, True, file, folder)
        result = call("-m", machine, "--given", "--no-baseline", "--trace", trace, programs() / "seatings", MACHINES[machine], 20, env={"FGOMP_PIN": str(file)})
        expect(result.returncode == 0 and not result.stderr, f"{result.returncode}: {result.stderr}")
        seats = collections.defaultdict(dict)
        for event in traces.events(trace.read_bytes()):
            if event.name == "seat":
                seats[event.bubble][event.member] = event.a
        found = collections.Counter(tuple(pus[member] for member in sorted(pus)) for pus in seats.values())
        for k, pus in enumerate(layouts):
            expect(found[tuple(pus)] >= 20, f"region {k}: {found[tuple(pus)]} of 22 on {pus}")
