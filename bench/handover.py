#!/usr/bin/env python3
"""A PU is taken from a running program, and given back: how soon is it free, and used again? bench/handover.py [options]

The program meets barriers on two PUs. Another process takes one of them by masks, as `taskset -ap` sets them, and looks at the
threads from outside, every quarter of a millisecond. `free`: a thread of the program was last on that PU. `alone`: two threads
were last busy, so from then on one kernel thread carries all members. `used`: a thread was busy on the PU that is back.
Milliseconds since the masks were set: least, median and most. Wanted: `alone` at most 60, `used` at most 10."""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINDS = ["barrier", "phases", "computing", "sleeping", "tasks"]
TIMES = ["free", "alone", "used"]


def measure(folder, environment, kind, members, repeats, seconds):
    work = subprocess.Popen([f"{folder}/taken", kind, str(repeats * seconds * 2 + 2), str(members)], env=environment,
                            stdout=subprocess.DEVNULL)
    time.sleep(0.2)  # a program that starts without the PU never has it
    try:
        text = subprocess.run([f"{folder}/handover", str(work.pid), str(repeats), str(seconds)], stdout=subprocess.PIPE, text=True,
                              check=True, timeout=repeats * seconds * 10 + 10).stdout
    finally:
        work.kill()
        work.wait()
    return list(zip(*(map(float, line.split()) for line in text.splitlines())))


def main():
    parser = argparse.ArgumentParser(prog="bench/handover.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", default=str(HERE.parent / "build" / "lib"), help="folder with libgomp.so.1; 'stock': the system's")
    parser.add_argument("--repeats", type=int, default=30, help="times that the PU is taken and given (30)")
    parser.add_argument("--seconds", type=float, default=0.1, help="between two changes (0.1)")
    parser.add_argument("--members", default="2,4", help="sizes of the teams (2,4)")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="all of " + " ".join(KINDS))
    options = parser.parse_args()
    wrong = [kind for kind in options.kinds if kind not in KINDS]
    if wrong:
        parser.error(f"no such kind: {wrong[0]} (accepted: {', '.join(KINDS)})")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    if options.lib != "stock":
        environment["LD_LIBRARY_PATH"] = options.lib
    with tempfile.TemporaryDirectory() as folder:
        for name in ("taken", "handover"):
            subprocess.run(["gcc", "-O2", "-fopenmp", "-o", f"{folder}/{name}", str(HERE / "programs" / f"{name}.c")], check=True)
        print(f"{'work':10} {'members':>7}" + "".join(f"{time:>24}" for time in TIMES))
        for kind in options.kinds or KINDS:
            for members in options.members.split(","):
                times = measure(folder, environment, kind, members, options.repeats, options.seconds)
                print(f"{kind:10} {members:>7}" + "".join(f"{min(t):8.2f}{statistics.median(t):8.2f}{max(t):8.2f}" for t in times),
                      flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
