#!/usr/bin/env python3
"""Compares OpenMP runtimes on the same programs: bench/run.py [options] NAME...; see bench/README.md."""

import argparse
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CACHE = ROOT / "build" / "bench"
sys.pycache_prefix = str(CACHE / "pycache")
sys.path.insert(0, str(HERE))

from driver.build import programs_build  # noqa: E402
from driver.cases import benches_list  # noqa: E402
from driver.chart import svg  # noqa: E402
from driver.machine import FAST_BELOW, SLOW_ABOVE, ForeignLoad, Machine, pus_pick  # noqa: E402
from driver.mpu import mpu_find  # noqa: E402
from driver.report import records, rigorous_lines, table  # noqa: E402
from driver.runner import Effort, Progress, Results, Runner  # noqa: E402
from driver.runtimes import runtimes_find, wanted_parse  # noqa: E402


def arguments_parse():
    parser = argparse.ArgumentParser(prog="bench/run.py", description="Runs the same gcc-built programs on every OpenMP "
                                     "runtime present, in turns, and prints minimum, median and ratios.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="benchmarks to run (--list shows them), or all")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and the runtimes found, and end")
    parser.add_argument("--quick", action="store_true", help="5 runs instead of 31: a first look, not a comparison")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each case on each runtime")
    parser.add_argument("--rigorous", action="store_true",
                        help="also say of each case, by the Speedup-Test at a risk of 5%%, whether ours is faster or it was chance")
    parser.add_argument("--budget", type=float, metavar="SECONDS",
                        help="a slow runtime gets fewer runs (3 at least) once a case has taken so long (30; quick 4)")
    parser.add_argument("--runtimes", metavar="LIST", help="comma-separated: libgomp, libomp, libiomp5, forestgomp, "
                        "or NAME=PATH[:VARIABLE=VALUE]... of any libgomp.so.1")
    parser.add_argument("--case", metavar="TEXT", help="only processes whose name holds TEXT")
    parser.add_argument("--pus", metavar="A,B", help="the two PUs to use (the first two allowed)")
    parser.add_argument("--modes", metavar="FAST,SLOW", help="line round trips in ns below which the machine counts as "
                        f"fast and above which as slow ({FAST_BELOW:g},{SLOW_ABOVE:g})")
    parser.add_argument("--json", metavar="FILE", help="write a list of {bench, case, runtime, unit, mode, min, "
                        "median, runs, commit, machine} ('-': standard output)")
    parser.add_argument("--chart", metavar="JSON", nargs="+", help="measure nothing: draw a picture of what --json of this and of bench/clients.py "
                        "wrote, as SVG on standard output")
    return parser.parse_args()


def about():
    """What each record says of its run: the commit and the machine."""
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()
    words = dict(line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().splitlines() if ":" in line)
    model = next((value.strip() for name, value in words.items() if name.strip() == "model name"), os.uname().machine)
    return {"commit": commit or "unknown", "machine": f"{os.cpu_count()} CPUs, {model}"}


def benches_choose(benches, names, text):
    """Returns the named ones, in the order of the list; `all` or nothing means all."""
    known = [b.name for b in benches]
    for name in names:
        if name not in known and name != "all":
            raise ValueError(f"there is no benchmark {name}: known are {', '.join(known)}, all; nothing was measured")
    chosen = [b for b in benches if not names or "all" in names or b.name in names]
    if text:
        for bench in chosen:
            bench.groups = [g for g in bench.groups if any(text in run.key for run in g)]
        chosen = [b for b in chosen if b.groups]
        if not chosen:
            raise ValueError(f"--case {text}: no process has this in its name; nothing was measured")
    return chosen


def modes_parse(text):
    if text is None:
        return FAST_BELOW, SLOW_ABOVE
    try:
        fast, slow = (float(word) for word in text.split(","))
        if 0 < fast <= slow:
            return fast, slow
    except ValueError:
        pass
    raise ValueError(f"--modes {text}: give two numbers of ns such as 200,240; nothing was measured")


def measuring_lock():
    """Two measurements at the same time would measure each other."""
    lock = open(CACHE / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError("another bench/run.py works in this checkout: wait for its end; nothing was measured") from None
    return lock


def main():
    args = arguments_parse()
    if args.chart:
        sys.stdout.write(svg([record for file in args.chart for record in json.loads(Path(file).read_text())]))
        return 0
    thresholds = modes_parse(args.modes)
    runs = args.runs if args.runs is not None else 5 if args.quick else 31
    if runs < 1:
        raise ValueError(f"--runs {args.runs}: give 1 or more; nothing was measured")
    effort = Effort(runs, args.budget if args.budget is not None else 4 if args.quick else 30)
    pus = pus_pick(args.pus)
    os.sched_setaffinity(0, pus)
    wanted = wanted_parse(args.runtimes) if args.runtimes else None

    out = sys.stderr if args.json == "-" else sys.stdout
    paths = programs_build(HERE / "programs", CACHE / "programs")
    chosen = benches_choose(benches_list(paths, mpu_find(ROOT)), args.names, args.case)
    lock = measuring_lock()
    runtimes = runtimes_find(ROOT, CACHE, paths["whoami"], wanted)
    if args.list:
        for bench in chosen:
            print(f"{bench.name:9} {bench.what}{'; ' + bench.absent if bench.absent else ''}", file=out)
    for runtime in runtimes:
        print(f"{runtime.name}: {runtime.note}", file=out, flush=True)
    if args.list:
        return 0
    folders = {r.name: r.folder for r in runtimes if r.folder}
    if not folders:
        raise ValueError("no OpenMP runtime was found; nothing was measured")

    machine = Machine(pus, paths["probe"], *thresholds)
    print(f"PUs {pus[0]} and {pus[1]}, {effort.runs} runs, cache line there and back: {machine.line_mode()} "
          f"({', '.join(f'{ns:.0f} ns' for _, ns in machine.seen) or 'the probe failed'})", file=out)
    for key in sorted(k for k in os.environ if k.startswith("FGOMP_")):
        print(f"note: {key}={os.environ[key]} is passed on", file=out)
    for line in machine.load_warnings():
        print(f"warning: {line}; figures will be worse and uneven", file=out, flush=True)

    runner = Runner(machine, paths, folders, effort, {r.name: r.env for r in runtimes})
    found = []
    for bench in chosen:
        if bench.absent:
            print(f"\n{bench.name}: {bench.absent}; left out", file=out, flush=True)
            continue
        results, progress, load = Results(), Progress(bench.name, len(bench.groups)), ForeignLoad(pus)
        for group in bench.groups:
            runner.group(group, results, progress.show)
            progress.clear(1)
        results.foreign = load.percent()
        print("", *table(bench, results, list(folders), effort), sep="\n", file=out, flush=True)
        if args.rigorous:
            print(*rigorous_lines(bench, results, list(folders)), sep="\n", file=out, flush=True)
        found += [{**record, **about()} for record in records(bench, results)]
        if args.json and args.json != "-":
            # It is written after each benchmark, so that an interrupted series is not lost.
            Path(args.json).write_text(json.dumps(found, indent=1) + "\n")
    if machine.seen:
        spread = sorted(ns for _, ns in machine.seen)
        print(f"\ncache line there and back over all {len(spread)} probes: {spread[0]:.0f} to {spread[-1]:.0f} ns, "
              f"median {spread[len(spread) // 2]:.0f}", file=out)
    if args.json == "-":
        print(json.dumps(found, indent=1))
    lock.close()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, RuntimeError, OSError) as error:
        sys.exit(f"bench/run.py: {error}")
    except KeyboardInterrupt:
        sys.exit("\nbench/run.py: interrupted")
