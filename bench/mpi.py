#!/usr/bin/env python3
"""Two MPI ranks with teams of two threads, on two PUs and not bound: bench/mpi.c, for each MPI that is installed.

  bench/mpi.py [--runs N] [--mpi openmpi|mpich] [BUILD]

Each line is a work: the parts of both ranks, and how long a step takes ideally. Each column is a way to run it: the
system's libgomp, ForestGOMP, with --mpi, and also with FGOMP_SHARE=on. The ways take turns. Told are the least and the
median of the runs, in ms for a step. The last lines tell the time of a message and of an MPI_Allreduce in us, between
ranks on different PUs."""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
START = {"openmpi": ["mpirun.openmpi", "--mca", "btl", "self,vader", "--mca", "pml", "ob1"], "mpich": ["mpirun.mpich"]}
ANYWHERE = {"openmpi": ["--bind-to", "none"], "mpich": ["-bind-to", "none"]}
APART = {"openmpi": ["--bind-to", "core", "--map-by", "core"], "mpich": ["-bind-to", "core"]}
WAYS = ("libgomp", "ours", "--mpi", "--mpi, share")
WORKS = (("3,1", 20), ("3,1", 60), ("1,1", 20))  # parts; ms of a PU for a part
STEPS, REGIONS, TURNS = 10, 20, 20000
LIMIT = 120


def ways(command):
    return {"libgomp": [], "ours": [command, "run"], "--mpi": [command, "run", "--mpi"], "--mpi, share": [command, "run", "--mpi", "--share", "on"]}


def run(mpi, where, ranks, words):
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run([*START[mpi], *where[mpi], "-np", str(ranks), *map(str, words)], capture_output=True, text=True, timeout=LIMIT,
                          check=True, env=env)
    return [float(word) for word in done.stdout.split()]


def told(values):
    return f"{min(values):.2f}, {statistics.median(values):.2f}"


def measure(mpi, program, command, runs):
    pace = max(run(mpi, ANYWHERE, 1, [program, "pace"])[0] for _ in range(5))
    print(f"\n{mpi}, 2 ranks of 2 threads, {runs} runs: least, median; load {os.getloadavg()[0]:.1f}\n")
    print(f"| work | ideal | {' | '.join(WAYS)} |\n|---|---|{'---|' * len(WAYS)}")
    for parts, ms in WORKS:
        got = {way: [] for way in WAYS}
        for _ in range(runs):
            for way, start in ways(command).items():
                got[way] += run(mpi, ANYWHERE, 2, [*start, program, "steps", STEPS, int(pace * ms), REGIONS, parts])
        ideal = sum(map(float, parts.split(","))) * ms / 2
        print(f"| {parts.replace(',', ' : ')}, ms | {ideal:.0f} | {' | '.join(told(got[way]) for way in WAYS)} |", flush=True)
    got = {way: [] for way in WAYS}
    for _ in range(runs):
        for way, start in ways(command).items():
            got[way].append(run(mpi, APART, 2, [*start, program, "latency", TURNS]))
    for number, name in enumerate(("message", "MPI_Allreduce")):
        print(f"| {name}, us | | {' | '.join(told([pair[number] for pair in got[way]]) for way in WAYS)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mpi", choices=list(START))
    options = parser.parse_args()
    command = options.build.resolve() / "bin" / "forestgomp"
    found = [mpi for mpi in START if options.mpi in (None, mpi) and shutil.which(f"mpicc.{mpi}")]
    if not found:
        sys.exit("bench/mpi.py: there is no MPI here; scripts/install-deps test brings Open MPI and MPICH")
    with tempfile.TemporaryDirectory() as folder:
        for mpi in found:
            program = pathlib.Path(folder) / mpi
            subprocess.run([f"mpicc.{mpi}", "-O2", "-fopenmp", "-o", program, ROOT / "bench" / "mpi.c"], check=True)
            measure(mpi, program, command, options.runs)


main()
