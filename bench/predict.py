#!/usr/bin/env python3
"""How well `forestgomp sim` predicts the time of two PUs of this very machine: measured, predicted, and the ratio of the two.

Usage: bench/predict.py [--runs N] [--seconds N] [--build BUILD] [CASE...]    CASE: the beginning of a name such as octree, mpu, multizone, tasks

A virtual machine may move its two PUs: to one core, to cores that share a cache, farther apart. So a cache line is timed before and
after each run, and a run counts only if that was the same and nobody else has used the PUs; the machine is calibrated (`forestgomp sim
--calibrate`) anew wherever the line takes a time that was not met before, and each such mode has a row of its own. Runs and predictions
take turns; ratios are of medians and of minima."""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from driver.machine import ForeignLoad  # noqa: E402
SAME_MODE = 1.4  # times the time of a line
FOREIGN = 3      # percent of the PUs
OURS = 0.97      # of each PU, before and after a run
HEAD = "/usr/share/doc/invesalius-examples/examples/Cranium.inv3"
CLEAN = {name: value for name, value in os.environ.items() if not re.match("(OMP|GOMP|FGOMP|FGSIM|LD)_", name)}


def sample(output):
    """Returns the median of the first `sample` line. The unit does not matter."""
    return float(output.split("sample ", 1)[1].split("\n", 1)[0].split()[3])


def refinement(output):
    records = (json.loads(line) for line in output.splitlines() if line.startswith("{"))
    return statistics.median(record["seconds"] * 1e3 for record in records if record.get("phase") == "refine")


def loop(output):
    """These programs print the time beyond the body's: 10 ns of each iteration, 20 ns on two PUs."""
    return sample(output) + 10


def cases(programs, build):
    yield "octree serial", [programs / "octree", "serial"], sample
    yield "octree one level", [programs / "octree", "one"], sample
    yield "octree all levels", [programs / "octree", "all"], sample
    for outer, inner in ((1, 1), (2, 1), (1, 2), (2, 2), (4, 4), (8, 8)):
        yield f"multizone {outer}x{inner}", [programs / "multizone", str(outer), str(inner), "steps=12"], sample
    mpu = build / "bin" / "mpu"
    if mpu.exists() and os.path.exists(HEAD):
        yield "mpu all levels", [mpu, "--json", HEAD, "--repeat", "3", "--variant", "nested"], refinement
        yield "mpu tasks", [mpu, "--json", HEAD, "--repeat", "3", "--variant", "tasks"], refinement
    for case in ("fib", "nqueens", "uts", "empty_one", "empty_all"):
        yield f"tasks {case}", [programs / "tasks_tree", case], sample
    for case in ("nqueens", "uts"):
        yield f"tasks {case} fresh", [programs / "tasks_tree", case, "fresh"], sample
    for case in ("sort", "strassen", "sparselu", "health"):
        yield f"tasks {case}", [programs / "tasks_work", case], sample
    for case in ("dynamic", "dynamic_4", "monotonic", "ordered"):
        yield f"schedule {case}", [programs / "schedule", case], loop
    for case in ("alone", "dynamic", "ordered", "barrier", "parallel", "tasks"):
        for length in (45, 180, 450, 900, 1800):
            yield f"grain {case} {length}", [programs / "grain", case, str(length)], sample
    for case in ("parallel", "barrier", "for", "reduction"):
        yield f"sync {case}", [programs / "sync", case], sample


def run(command, **variables):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, env={**CLEAN, **variables})
    if done.returncode != 0:
        sys.exit(f"bench/predict.py: {' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Modes:
    """The machine files of the modes that were met, by the time of a line there and back."""

    def __init__(self, programs, forestgomp, folder):
        self.probe, self.forestgomp, self.folder = programs / "probe", forestgomp, pathlib.Path(folder)
        self.machines = {}
        self.pus = sorted(os.sched_getaffinity(0))[:2]

    def line(self):
        return float(run([self.probe, "line", *map(str, self.pus)]).split()[2])

    def undisturbed(self):
        return min(map(float, run([self.probe, "share", *map(str, self.pus)]).split()[1:])) >= OURS

    def now(self):
        """Returns the time of a line in this mode, which names the mode. None: others use the PUs, or the mode changed during
        the calibration."""
        before = self.line()
        if not self.undisturbed():
            return None
        for line in self.machines:
            if alike(line, before):
                return line
        machine = run([self.forestgomp, "sim", "--calibrate"])
        if not alike(before, self.line()):
            return None
        path = self.folder / f"{before}.machine"
        path.write_text(machine)
        self.machines[before] = path
        return before


def alike(a, b):
    return 1 / SAME_MODE < a / b < SAME_MODE


def compare(modes, build, command, read, runs, seconds):
    """Returns {line: (measured, predicted)} of one program. The lists have as many runs as the time allows in each mode."""
    found, end = {}, time.monotonic() + seconds
    while time.monotonic() < end and not any(len(measured) >= runs for measured, _ in found.values()):
        before = modes.now()
        if not before:
            continue
        foreign = ForeignLoad(modes.pus)
        figure = read(run(command, LD_LIBRARY_PATH=str(build / "lib")))
        if foreign.percent() < FOREIGN and modes.now() == before:
            measured, predicted = found.setdefault(before, ([], []))
            measured.append(figure)
            predicted.append(read(run([modes.forestgomp, "sim", "--no-baseline", "-m", modes.machines[before], *command])))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60, help="at most so long for a case (default 60)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    programs = options.build / "bench" / "programs"
    programs.mkdir(parents=True, exist_ok=True)
    for name in ("grain", "multizone", "octree", "probe", "schedule", "sync", "tasks_tree", "tasks_work"):
        subprocess.run(["gcc", "-O2", "-fopenmp", "-o", programs / name, ROOT / "bench" / "programs" / f"{name}.c", "-lm"], check=True)
    forestgomp = options.build / "bin" / "forestgomp"
    print(f"{'':20} {'line ns':>7} {'runs':>4} {'measured':>10} {'predicted':>10} {'ratio':>6} {'min':>10} {'predicted':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        modes = Modes(programs, forestgomp, folder)
        for name, command, read in cases(programs, options.build):
            if options.case and not any(name.startswith(case) for case in options.case):
                continue
            for line, figures in sorted(compare(modes, options.build, command, read, options.runs, options.seconds).items()):
                (real, said), (real_min, said_min) = map(statistics.median, figures), map(min, figures)
                print(f"{name:20} {line:7.0f} {len(figures[0]):4} {real:10.4g} {said:10.4g} {said / real:6.2f} "
                      f"{real_min:10.4g} {said_min:10.4g} {said_min / real_min:6.2f}", flush=True)


main()
