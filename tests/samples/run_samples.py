#!/usr/bin/env python3
"""Tests the walker of samples: the decoder's lengths against objdump, and shares of accesses against instrumented twins.

  run_samples.py [--samples N] [--timer] [--filter TEXT] BUILD

N: so many samples of each thread and kernel (default: 400), and more of kernels whose loops differ in length. --timer: only signals
of timers of CPU time; it takes some minutes for a thousand samples. --filter: only kernels with this text in their names.
The table of shares stands in docs/measurements/memory.md."""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from testing import PATIENCE

LIBRARIES = ("libc.so.6", "libm.so.6", "libstdc++.so.6")


def path_of(library):
    """The file that the dynamic linker would take; None: there is none."""
    for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if words and words[0] == library and "x86-64" in line:
            return words[-1]
    return None


def lengths(build, library):
    objdump = subprocess.Popen(["objdump", "-d", "-w", library], stdout=subprocess.PIPE)
    done = subprocess.run([build / "tests" / "samples" / "samples_lengths", pathlib.Path(library).name], stdin=objdump.stdout,
                          timeout=100 * PATIENCE)
    objdump.wait()
    if done.returncode != 0:
        print(f"FAIL lengths in {library}: exit status {done.returncode}", flush=True)


def shares(build, options):
    command = [build / "tests" / "samples" / "samples_shares", str(options.samples), "timer" if options.timer else "signals", options.filter]
    done = subprocess.run(command, timeout=900 * PATIENCE)
    if done.returncode != 0:
        print(f"FAIL shares: exit status {done.returncode}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--timer", action="store_true")
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    if not (options.build / "tests" / "samples" / "samples_shares").exists():
        print("MISSING samples: Zydis (scripts/install-deps build), or the processor is no x86-64")
        return
    for library in filter(None, [str(options.build / "lib" / "libgomp.so.1"), *map(path_of, LIBRARIES)]):
        lengths(options.build, library)
    shares(options.build, options)


main()
