#!/usr/bin/env python3
"""How well each policy keeps teams together: 90 programs on simulated machines, each under each policy: bench/teams.py [options] [PATTERN]."""

import argparse
import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.pycache_prefix = str(ROOT / "build" / "bench" / "pycache")
sys.path[:0] = [str(HERE / "teams.d"), str(HERE / "papers.d")]

from lines import LINES  # noqa: E402
from running import Failed, Runner  # noqa: E402
from runs import Job, RunFailed, Runs  # noqa: E402
from table import Table  # noqa: E402

POLICIES = "default;affinity;cache;spread;spread+numa:cache"
WRITE_S = 5  # --json is written so often while runs come in


def arguments_parse():
    parser = argparse.ArgumentParser(
        prog="bench/teams.py", description="Runs programs of nested teams on simulated machines (docs/simulator.md) under several policies, and prints as "
        "Markdown how far each policy is from the best. Every run is exactly repeatable, and is kept in BUILD/bench/teams/runs.jsonl with the library's "
        "hash. So a series that was interrupted goes on, and a new library runs all again. All lines under five policies, 3 seeds: some 20 minutes of 2 PUs.")
    parser.add_argument("pattern", metavar="PATTERN", nargs="?", default="", help="only lines with this regular expression in their name")
    parser.add_argument("--list", action="store_true", help="list the lines and end")
    parser.add_argument("--policies", metavar="P;P...", default=POLICIES, help=f"with semicolons between them ({POLICIES})")
    parser.add_argument("--seeds", type=int, metavar="N", default=3, help="seeds 1 to N of each line (3)")
    parser.add_argument("--begins", action="store_true", help="also, of seed 1: do members begin where and when they were dealt?")
    parser.add_argument("--beside", type=Path, metavar="FILE", help="columns that --json has written, of another library perhaps, beside these; "
                        "they count for the best, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures, again and again as they come")
    parser.add_argument("--jobs", type=int, metavar="N", default=2, help="so many runs at a time (2)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="BUILD", help="build folder (build)")
    args = parser.parse_args()
    for name, value in (("--seeds", args.seeds), ("--jobs", args.jobs)):
        if value < 1:
            parser.error(f"{name} {value}: give 1 or more; nothing was run")
    try:
        args.lines = [line for line in LINES if re.search(args.pattern, line.name)]
    except re.error as error:
        parser.error(f"{args.pattern} is no regular expression: {error}; nothing was run")
    if not args.lines:
        parser.error(f"no line has {args.pattern} in its name (--list shows them); nothing was run")
    return args


def list_print(lines):
    for line in lines:
        print(f"{line.name:30} {line.machine:27} {line.text}{'   (higher is better)' if line.higher else ''}")


def beside_read(path, table):
    """Adds the columns of a file. A name that is there already gets the file's name behind it."""
    found = json.loads(path.read_text())
    names = {column: f"{column} ({path.stem})" if column in table.columns else column for column in found["columns"]}
    table.columns += names.values()
    texts = {line.name: line for line in table.lines}
    for entry in found["lines"]:
        line = texts.get(entry["line"])
        if line and (line.text, line.machine) == (entry["program"], entry["machine"]):
            for column, cell in entry["columns"].items():
                for seed, figure in cell["seeds"].items():
                    table.add(line, names[column], int(seed), {"figure": figure})
                if "begins" in cell:
                    table.add(line, names[column], 1, {"begins": cell["begins"]})


class Bar:
    """How far the runs are, on standard error, if that is a terminal."""

    def __init__(self, total):
        self.total, self.done, self.started = total, 0, time.monotonic()

    def show(self, job):
        self.done += 1
        if sys.stderr.isatty():
            portion = self.done / self.total
            left = (time.monotonic() - self.started) * (1 / portion - 1)
            print(f"\r\033[K[{'#' * int(portion * 30):30}] {portion * 100:3.0f} %, some {left:.0f} s left  {job.line.name}, {job.policy}", end="",
                  file=sys.stderr, flush=True)

    def clear(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def jobs_of(args):
    """Returns all jobs, the first seed of every line before the second one of any."""
    cells = [(line, policy) for line in args.lines for policy in args.policies.split(";")]
    begins = [Job(line, policy, 1, True) for line, policy in cells] if args.begins else []
    return [Job(line, policy, seed) for seed in range(1, args.seeds + 1) for line, policy in cells] + begins


def run_all(args, runs, table):
    """Fills the table. Returns what failed, as texts."""
    failures, fresh = [], []
    for job in jobs_of(args):
        record = runs.known(job)
        if record:
            table.add(job.line, job.policy, job.seed, record)
        else:
            fresh.append(job)
    bar, written = Bar(len(fresh)), time.monotonic()
    with ThreadPoolExecutor(args.jobs) as pool:
        futures = {pool.submit(runs.run, job): job for job in fresh}
        try:
            for future in as_completed(futures):
                job = futures[future]
                try:
                    record = future.result()
                    runs.kept.add(record)
                    table.add(job.line, job.policy, job.seed, record)
                except (RunFailed, ValueError) as error:
                    failures.append(f"{job.line.name}, {job.policy}, seed {job.seed}: {error}")
                bar.show(job)
                if args.json and time.monotonic() - written > WRITE_S:
                    json_write(args, runs, table)
                    written = time.monotonic()
        finally:
            pool.shutdown(cancel_futures=True)
            bar.clear()
    return failures


def json_write(args, runs, table):
    """A reader never sees half a file."""
    fresh = args.json.with_name(args.json.name + ".new")
    fresh.write_text(json.dumps({"library": runs.runtime_digest, "seeds": args.seeds, **table.figures()}, indent=1) + "\n")
    fresh.replace(args.json)


def main():
    args = arguments_parse()
    if args.list:
        list_print(args.lines)
        return 0
    os.nice(10)
    build = args.build.resolve()
    runs = Runs(Runner(build), build)
    table = Table(args.lines, args.policies.split(";"))
    runs.policies_check(table.columns)
    if args.beside:
        beside_read(args.beside, table)
    runs.prepare(args.lines)
    failures = run_all(args, runs, table)
    table.print(sys.stdout)
    for text in failures:
        print(f"\nNo figure: {text}")
    if args.json:
        json_write(args, runs, table)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError) as error:
        sys.exit(f"bench/teams.py: {error}")
    except KeyboardInterrupt:
        sys.exit("\nbench/teams.py: interrupted; what was run is kept")
