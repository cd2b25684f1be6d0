#!/usr/bin/env python3
"""Random OpenMP programs whose results are known, on gcc's libgomp and on ours, under random settings.

Each program is built once by gcc, run on gcc's libgomp, then several times on ours, each time in another environment.
It fails if it crashes, does not end, finds a wrong result, or prints another checksum than it must. `--seed S` repeats
a soak; program N of it is the one that `generate.py S.N` writes, and draws its environments from that word."""
import argparse
import concurrent.futures
import itertools
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from generate import Program  # noqa: E402
import running  # noqa: E402
from settings import ours, stock  # noqa: E402


class Case:
    """A program, built in a folder."""

    def __init__(self, seed, folder, drop=()):
        self.seed, self.drop = seed, tuple(drop)
        program = Program(seed, drop)
        self.text, self.features, self.paths = program.text(), program.features, program.paths
        self.wanted = f"checksum {program.checksum():016x}"
        self.source, self.binary, self.sums = folder / f"{seed}.c", folder / f"{seed}", folder / f"{seed}.fgs"
        self.source.write_text(self.text)
        command = ["gcc", "-O2", "-g", "-fopenmp", "-I", str(HERE), "-o", str(self.binary), str(self.source), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.trouble = done.stderr if done.returncode else None


def execute(case, setting, options):
    """Runs it once. Returns what went wrong, or None."""
    env = dict(running.clean_environment(), **setting.env)
    _, reason, output = running.execute([*setting.under, case.binary], env, options.limit, 1 if setting.one_cpu else None, options.gdb)
    if reason is None and output.split("\n")[0] != case.wanted and case.wanted not in output.split("\n"):
        reason = f"does not print '{case.wanted}'"
    return reason and reason + "\n" + "".join(f"    {line}\n" for line in output.splitlines()[:12])


def crash_site(case, setting, options):
    """The stack at the crash, if it comes again under the debugger."""
    environment = [f"-iex=set environment {key} {value}" for key, value in setting.env.items()]
    command = ["gdb", "-batch", "-return-child-result", *environment, "-ex", "set confirm off", "-ex", "handle SIGURG nostop noprint",
               "-ex", "run", "-ex", "bt 20", str(case.binary)]
    for _ in range(5):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, env=running.clean_environment())
        except subprocess.TimeoutExpired:
            continue
        if "received signal" in done.stdout:
            return "".join(f"    {line}\n" for line in done.stdout.splitlines()[-22:])
    return ""


def shrink(case, setting, options, folder):
    """Leaves out statements, the largest first, as long as it still fails. Returns the smallest case and how it
    fails."""
    end = time.monotonic() + options.shrink
    tries = 4
    smallest, reason = case, None
    for _ in range(tries * 2):
        reason = reason or execute(case, setting, options)
    if not reason:
        return case, None
    for path in case.paths:
        if path not in smallest.paths or time.monotonic() > end:
            continue
        smaller = Case(case.seed, folder, (*smallest.drop, path))
        if smaller.trouble:
            continue
        for _ in range(tries):
            again = execute(smaller, setting, options)
            if again:
                smallest, reason = smaller, again
                break
    Case(case.seed, folder, smallest.drop)
    return smallest, reason


class Soak:
    def __init__(self, options):
        self.options, self.lock = options, threading.Lock()
        self.passed = self.failed = self.stock_failed = self.runs = 0
        self.began = time.monotonic()
        self.folder = Path(tempfile.mkdtemp(prefix="soak-"))
        self.ending = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.end)

    def end(self, *_):
        """Asked to end: after the programs that run now."""
        self.ending = True

    def say(self, text):
        with self.lock:
            if sys.stdout.isatty():
                print("\r\033[K", end="")
            print(text, flush=True)

    def progress(self):
        if sys.stdout.isatty():
            with self.lock:
                print(f"\r\033[K{time.monotonic() - self.began:.0f} s: {self.passed} programs passed, {self.failed} failed; {self.runs} runs",
                      end="", flush=True)

    def one(self, number):
        options, seed = self.options, f"{self.options.seed}.{number}"
        case = Case(seed, self.folder)
        if case.trouble:
            return self.fail(case, None, "does not compile\n" + case.trouble)
        chance = random.Random(seed)
        if not options.no_stock:
            setting = stock(chance)
            reason = execute(case, setting, options)
            if reason:
                self.stock_failed += 1
                self.say(f"note {seed}: on gcc's libgomp: {reason.splitlines()[0]}, with {setting}")
        for _ in range(options.runs):
            if self.ending:
                break
            setting = ours(chance, case.features, options.lib, case.sums, options.sandbox)
            if options.roams:
                setting.env["FGOMP_SCHED"] = str(options.roams)
            reason = execute(case, setting, options)
            self.runs += 1
            if reason:
                if reason.startswith("killed") and options.gdb:
                    reason += crash_site(case, setting, options)
                return self.fail(case, setting, reason)
        self.passed += 1
        if not sys.stdout.isatty() and not options.quiet:
            self.say(f"PASS {seed}")
        self.progress()
        for file in (case.source, case.binary, case.sums):
            file.unlink(missing_ok=True)
        return None

    def fail(self, case, setting, reason):
        self.failed += 1
        self.say(f"FAIL {case.seed}: {reason}")
        if setting:
            self.say(f"    with {setting}")
        keep = self.options.keep
        if not keep:
            return
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{case.seed}.c").write_text(case.text)
        report = f"{reason}\nwith {setting}\n"
        if setting and self.options.shrink:
            with tempfile.TemporaryDirectory() as folder:
                smallest, again = shrink(case, setting, self.options, Path(folder))
            if again:
                (keep / f"{case.seed}.small.c").write_text(smallest.text)
                report += f"\n{len(smallest.paths)} of {len(case.paths)} statements are left, with\n--drop {','.join(smallest.drop)}\nand it fails so:\n{again}\n"
            else:
                report += "\nit did not fail again\n"
            self.say(f"    {case.seed}: kept in {keep}" + (f", {len(smallest.paths)} of {len(case.paths)} statements" if again else ", did not fail again"))
        (keep / f"{case.seed}.txt").write_text(report)

    def run(self):
        options = self.options
        numbers = iter(options.only) if options.only else itertools.count()
        taking = threading.Lock()

        def take():
            with taking:
                over = self.ending or options.minutes and time.monotonic() - self.began > options.minutes * 60
                number = None if over else next(numbers, None)
                return None if number is None or (options.programs and number >= options.programs) else number

        def work():
            for number in iter(take, None):
                self.one(number)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for job in [pool.submit(work) for _ in range(options.jobs)]:
                job.result()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.say(f"{self.runs} runs; {self.stock_failed} programs failed on gcc's libgomp")
        self.say(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", type=Path, default=HERE.parent.parent / "build" / "lib", help="folder with libgomp.so.1 (default build/lib)")
    parser.add_argument("--seed", default=str(int(time.time())), help="any word (default: the time)")
    parser.add_argument("--minutes", type=float, default=0, help="how long (default 10, unless --programs says how many)")
    parser.add_argument("--programs", type=int, default=0, metavar="N", help="how many programs")
    parser.add_argument("--only", type=lambda text: [int(n) for n in text.split(",")], metavar="N,...", help="the programs of these numbers")
    parser.add_argument("--runs", type=int, default=4, metavar="N", help="runs of each program on our library (default 4)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="programs at the same time (default: one for each CPU)")
    parser.add_argument("--limit", type=float, default=20, metavar="SECONDS", help="for one run on an idle machine (default 20)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep programs that fail there, also made smaller")
    parser.add_argument("--shrink", type=float, default=120, metavar="SECONDS", help="how long to make one smaller (default 120; 0: not)")
    parser.add_argument("--no-stock", action="store_true", help="do not run on gcc's libgomp")
    parser.add_argument("--hostile", action="store_true", help="half of the runs on our library with system calls refused or all signals blocked")
    parser.add_argument("--roams", action="store_true", help="each run with a scheduler that sends random threads to random PUs (roams.c)")
    parser.add_argument("--quiet", action="store_true", help="no line for programs that pass")
    options = parser.parse_args()
    options.lib = options.lib.resolve()
    options.gdb = shutil.which("gdb") is not None
    if not (options.lib / "libgomp.so.1").exists():
        sys.exit(f"soak: no libgomp.so.1 in {options.lib}; build it first or name its folder with --lib")
    if not options.minutes and not options.programs and not options.only:
        options.minutes = 10
    options.sandbox = None
    if options.hostile:
        options.sandbox = Path(tempfile.mkdtemp(prefix="soak-")) / "filter"
        subprocess.run(["gcc", "-O2", "-o", options.sandbox, HERE.parent / "hostile" / "filter.c"], check=True)
    if options.roams:
        options.roams = Path(tempfile.mkdtemp(prefix="soak-")) / "roams.so"
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-I", HERE.parent.parent / "include", "-o", options.roams, HERE / "roams.c"], check=True)
    print(f"soak: seed {shlex.quote(options.seed)}, {options.lib}/libgomp.so.1", flush=True)
    return Soak(options).run()


if __name__ == "__main__":
    sys.exit(main())
