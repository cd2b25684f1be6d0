#!/usr/bin/env python3
"""How long a thread takes that a policy sends to another PU, beside a futex wake-up of the same run. bench/send.py [options]

programs/send.c says what each figure is. Times in microseconds: for each case the least of the runs' minima, and the median
of their medians."""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT = 60


def build(library, folder):
    flags = ["gcc", "-O2", "-fopenmp"]
    subprocess.run([*flags, "-shared", "-fPIC", "-o", folder / "send_module.so", HERE / "programs" / "send_module.c"], check=True)
    subprocess.run([*flags, "-o", folder / "send", HERE / "programs" / "send.c", f"-L{library}", "-l:libgomp.so.1", "-ldl"], check=True)


def run(library, folder, count):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library), "FGOMP_SPIN": "10s", "FGOMP_SCHED": str(folder / "send_module.so")}
    lines = subprocess.run([folder / "send", str(count)], env=environment, check=True, capture_output=True, text=True, timeout=LIMIT).stdout
    return [line.split()[1:5] for line in lines.splitlines() if line.startswith("sample ")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", type=Path, default=HERE.parent / "build" / "lib", help="folder of libgomp.so.1")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--count", type=int, default=100, help="samples of each case in a run")
    options = parser.parse_args()
    if not (options.lib / "libgomp.so.1").exists():
        print(f"bench/send.py: there is no libgomp.so.1 in {options.lib} (make builds one); nothing was measured", file=sys.stderr)
        return 2
    cases = {}
    with tempfile.TemporaryDirectory() as name:
        build(options.lib.resolve(), Path(name))
        for _ in range(options.runs):
            for case, _unit, least, median in run(options.lib.resolve(), Path(name), options.count):
                cases.setdefault(case, []).append((float(least), float(median)))
    print(f"{'case':<10} {'minimum':>8} {'median':>8}  us")
    for case, runs in cases.items():
        print(f"{case:<10} {min(least for least, _ in runs):8.2f} {statistics.median(median for _, median in runs):8.2f}")
    return 0


sys.exit(main())
