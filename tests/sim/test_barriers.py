"""Nested teams that meet barriers, with barriers.c, on 4 nodes of 4 PUs: all PUs work, phase after phase."""
import math
import re
import statistics
import subprocess

from simulated import call, programs
from testing import BUILD, ROOT, expect

MACHINE, PUS, WORK_NS = "numa:4 core:4 pu:1", 16, 400000
POLICIES = ("default", "affinity", "cache", "spread")


def barriers(policy, *words, seed=1):
    """What the program prints: times in nanoseconds."""
    result = call("--machine", MACHINE, "--given", "--sched", policy, "--seed", seed, programs() / "barriers", *words)
    expect(result.returncode == 0, result.stderr)
    lines = result.stdout.split("\n")
    return [float(line) for line in lines if line.isdigit()]


def test_every_pu_has_work():
    """The bound is that of teams that go on in step: each phase lasts as many turns as the PU with the most members. The beginning of a single
    run may cost some turns more. So the median of three seeds counts, or of nine where these three say no."""
    phases = 20

    def part(policy, outer, inner, seed):
        return phases * math.ceil(outer * inner / PUS) * WORK_NS / barriers(policy, "even", outer, inner, phases, seed=seed)[0]

    for outer, inner in ((4, 8), (2, 16), (8, 4), (1, 64), (3, 7), (5, 13), (2, 8)):
        for policy in POLICIES:
            parts = [part(policy, outer, inner, seed) for seed in (1, 2, 3)]
            if statistics.median(parts) <= 0.9:
                parts += [part(policy, outer, inner, seed) for seed in range(4, 10)]
            expect(statistics.median(parts) > 0.9, f"{outer} x {inner}, {policy}: {parts} of the bound")


def test_pus_of_a_team_that_ends():
    """Half of the machine is idle when a team of two ends: the other team has it within three barriers."""
    for policy in POLICIES:
        times = barriers(policy, "ends", 2, 16, 14)
        expect(max(times[8:]) < 1.1 * WORK_NS, f"{policy}: {times}")


def test_imbalance_that_appears_late():
    """From phase 5 on one of two teams of 16 has nearly all the work: each of its members has a PU within three
    barriers. At best a phase lasts as long as one member computes. One of five phases may last longer: the thread that
    met the region can run on its own PU only, and another member may be there."""
    for policy in POLICIES:
        times = barriers(policy, "late", 2, 16, 14)
        expect(sorted(times[8:])[-2] < 1.1 * 2 * WORK_NS, f"{policy}: {times}")


def test_demo():
    """`make demo-forest`: once team 0 has ended, each member of team 1 has a PU."""
    result = subprocess.run([ROOT / "examples" / "forest" / "demo.sh", BUILD], capture_output=True, text=True)
    expect(result.returncode == 0, result.stderr)
    times = [float(us) for us in re.findall(r"phase +\d+ of team 1: +([\d.]+) us", result.stdout)]
    expect(len(times) == 12 and "team 0 has ended" in result.stdout, result.stdout)
    expect(max(times[8:]) < 450, f"us: {times}")
    expect((BUILD / "forest.html").stat().st_size > 10000, "the page")
