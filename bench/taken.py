#!/usr/bin/env python3
"""A PU is taken from a running program, and given back: what does its team lose? bench/taken.py [options]

Each kind of work runs on one PU and on two from its start (`one`, `two`). Then it runs on two PUs of which one is taken
after 20 ms, by masks as `taskset -ap` sets them (`taken`), and with that PU taken and given back all the time (`flips`).
Times are minima of the runs, in microseconds for each operation. The ratios are of `taken` to `one`, and of `flips` to half
the time at the pace of `one` and half at that of `two`. Wanted: at most 1.5."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
KINDS = ["barrier", "region", "for", "phases", "nested", "tasks"]
LIMIT = 60


def mask_all(pid, cpus):
    """As taskset -ap does."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(task), cpus)
    except OSError:
        pass  # a thread has ended meanwhile, or the process has


def run(command, environment, cpus, masks):
    """Runs the command on these CPUs. `masks` yields (seconds until then, CPUs) for the time that it runs."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    over = threading.Event()

    def change():
        for seconds, wanted in masks:
            if over.wait(seconds):
                return
            mask_all(process.pid, wanted)

    changer = threading.Thread(target=change)
    changer.start()
    try:
        return float(process.communicate(timeout=LIMIT)[0])
    except subprocess.TimeoutExpired:
        process.kill()
        return float("inf")
    finally:
        over.set()
        changer.join()


def flips(seconds, one, two):
    while True:
        yield seconds, one
        yield seconds, two


def main():
    parser = argparse.ArgumentParser(prog="bench/taken.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", default=str(ROOT / "build" / "lib"), help="folder with libgomp.so.1; 'stock': the system's")
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (5)")
    parser.add_argument("--seconds", type=float, default=0.6, help="of one run (0.6)")
    parser.add_argument("--period", type=float, default=3, help="milliseconds between two flips (3)")
    parser.add_argument("--members", default="2,4", help="sizes of the teams (2,4)")
    parser.add_argument("--others", default="0", help="further threads of the program that have had a region before (0)")
    parser.add_argument("--json", metavar="FILE", help="write a list of {kind, members, one, two, taken, flips} ('-': standard output)")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="all of " + " ".join(KINDS))
    options = parser.parse_args()
    wrong = [kind for kind in options.kinds if kind not in KINDS]
    if wrong:
        parser.error(f"no such kind: {wrong[0]} (accepted: {', '.join(KINDS)})")
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        print("bench/taken.py: needs two CPUs", file=sys.stderr)
        return 1
    one, two = {cpus[0]}, set(cpus)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    if options.lib != "stock":
        environment["LD_LIBRARY_PATH"] = options.lib
    results = []
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/taken"
        subprocess.run(["gcc", "-O2", "-fopenmp", "-o", program, str(HERE / "programs" / "taken.c")], check=True)
        print(f"{'work':8} {'members':>7} {'one':>10} {'taken':>10} {'ratio':>6} {'two':>10} {'flips':>10} {'ratio':>6}")
        for kind in options.kinds or KINDS:
            for members in options.members.split(","):
                command = [program, kind, str(options.seconds), members, options.others]
                best = dict.fromkeys(("one", "two", "taken", "flips"), float("inf"))
                for _ in range(options.runs):
                    for case, start, masks in (("one", one, []), ("two", two, []), ("taken", two, [(0.02, one)]),
                                               ("flips", two, flips(options.period / 1000, one, two))):
                        best[case] = min(best[case], run(command, environment, start, masks))
                        time.sleep(0.01)
                mixed = 2 / (1 / best["one"] + 1 / best["two"])
                results.append({"kind": kind, "members": int(members), **best})
                print(f"{kind:8} {members:>7} {best['one']:10.3f} {best['taken']:10.3f} {best['taken'] / best['one']:6.2f} "
                      f"{best['two']:10.3f} {best['flips']:10.3f} {best['flips'] / mixed:6.2f}", flush=True)
    if options.json:
        text = json.dumps(results, indent=1)
        if options.json == "-":
            print(text)
        else:
            Path(options.json).write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
