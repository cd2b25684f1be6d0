#!/usr/bin/env python3
"""Runs the C, C++ and Fortran tests of gcc's own libgomp on a build folder's library, in every mode, and on the
system's libgomp.

  tests/libgomp/run_all_modes.py [--modes "NAME;..."] [--filter RE] [--jobs N] [--seconds N] [--again] [BUILD]

A mode is a setting of the environment: nothing, OMP_NUM_THREADS=8, each policy that the library knows,
FGOMP_THREADS=kernel. A further mode is 20 runs of the C tests one after another. A test counts where it passes on the
system's libgomp under the same OMP_ variables. One that fails is run twice more. If it passes then, it is flaky, which
is no better.

Programs are compiled once. Results are kept until the library changes, so an interrupted run goes on where it was. The
folder BUILD/libgomp-tests has them: results.jsonl, and NAME.MODE.stacks for each program that did not end. The output
ends with the table and "N passed, N failed" on ours; --json writes both."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
sys.dont_write_bytecode = True

import runner  # noqa: E402
from running import clean_environment, stacks  # noqa: E402
from sources import unpack  # noqa: E402

LANGUAGES = {"c": "C", "c++": "C++", "fortran": "Fortran"}
TRIES = 3  # of a test that fails
REPEATS = 20


class Mode:
    """stock: the mode on the system's libgomp that tells which tests count; None: this is such a mode itself."""

    def __init__(self, name, settings, stock, repeats=1, languages=tuple(LANGUAGES)):
        self.name, self.settings, self.stock, self.repeats, self.languages = name, settings, stock, repeats, languages


def policies(build):
    """The policies, as the library itself lists them when it is given a wrong name."""
    told = subprocess.run([str(build / "bin" / "forestgomp"), "info"], capture_output=True, text=True,
                          env={**clean_environment(), "FGOMP_SCHED": "?"})
    match = re.search(r"FGOMP_SCHED=\?.*accepted: ([\w, ]+), or ", told.stderr + told.stdout)
    if not match:
        sys.exit("tests/libgomp/run_all_modes.py: the library does not tell its policies when FGOMP_SCHED=?; nothing was run")
    return [name for name in match[1].split(", ") if name != "default"]


def modes(build):
    eight = {"OMP_NUM_THREADS": "8"}
    names = policies(build)
    return ([Mode("stock", {}, None), Mode("default", {}, "stock"),
             Mode("stock, 8 threads", eight, None), Mode("8 threads", eight, "stock, 8 threads")]
            + [Mode(name, {"FGOMP_SCHED": name}, "stock") for name in names]
            + [Mode("kernel", {"FGOMP_THREADS": "kernel"}, "stock")]
            + [Mode(f"{name}, 8 threads", {"FGOMP_SCHED": name, **eight}, "stock, 8 threads") for name in names]
            + [Mode("kernel, 8 threads", {"FGOMP_THREADS": "kernel", **eight}, "stock, 8 threads")]
            + [Mode(f"{REPEATS} times", {}, "stock", REPEATS, ("c",)),
               Mode(f"{REPEATS} times, 8 threads", eight, "stock, 8 threads", REPEATS, ("c",))])


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


def stock_library():
    told = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True).stdout.strip()
    return told if os.path.isabs(told) else "/usr/lib/x86_64-linux-gnu/libgomp.so.1"


class Suite:
    def __init__(self, options):
        self.build = options.build.resolve()
        self.folder = self.build / "libgomp-tests"
        self.programs = self.folder / "bin"
        self.options = options
        self.keys = {True: digest(stock_library()), False: digest(self.build / "lib" / "libgomp.so.1")}
        self.results = {}  # (mode, test) -> {"runs", "failed", "why"}
        self.log = self.folder / "results.jsonl"
        self.lock = threading.Lock()
        self.begun, self.done, self.all, self.failed = time.monotonic(), 0, 0, 0
        source = str(unpack(self.folder))
        self.tests = [t for t in (runner.Test(path, language, name)
                                  for path, language, name in runner.collect(source, list(LANGUAGES)))
                      if t.action == "run" and re.search(options.filter, t.name)]
        self.compiling = argparse.Namespace(src=source, confdir=runner.write_config(), cc=runner.CC, ldflags=[], verbose=False,
                                            compile_timeout=300)

    def key(self, mode):
        return self.keys[mode.stock is None] + repr(sorted(mode.settings.items())) + f"x{mode.repeats}"

    def read_results(self, every):
        known = {mode.name: mode for mode in every}
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            entry = json.loads(line)
            mode = known.get(entry["mode"])
            if mode and entry["key"] == self.key(mode):
                self.results[entry["mode"], entry["test"]] = entry
        if self.options.again:
            self.results = {}

    def keep(self, mode, test, entry):
        entry = {"mode": mode.name, "test": test.name, "key": self.key(mode), **entry}
        with self.lock:
            self.results[mode.name, test.name] = entry
            with self.log.open("a") as log:
                log.write(json.dumps(entry) + "\n")
            self.done += 1
            if entry["failed"]:
                self.failed += mode.stock is not None
                self.say(f"{'FAIL' if entry['failed'] == entry['runs'] else 'FLAKY'} {test.name} [{mode.name}]: {entry['why']}")
            self.bar(mode.name)

    def say(self, text):
        print(("\r\x1b[K" if sys.stdout.isatty() else "") + text, flush=True)

    def bar(self, where):
        if not sys.stdout.isatty():
            return
        share = self.done / max(self.all, 1)
        left = (time.monotonic() - self.begun) * (1 - share) / max(share, 1e-9)
        print(f"\r\x1b[K[{'#' * int(30 * share):30}] {self.done}/{self.all}  {left:.0f} s left  {where}", end="", flush=True)

    def over(self):
        return self.options.seconds and time.monotonic() - self.begun > self.options.seconds

    def compile(self, test):
        work = runner.folder(test, str(self.programs))
        os.makedirs(work, exist_ok=True)
        return runner.compile_test(test, "-O2", work, self.compiling)

    def run_once(self, mode, test, program):
        """None, or why it failed."""
        runtime = None if mode.stock is None else str(self.build / "lib")
        process = subprocess.Popen([program], cwd=os.path.dirname(program), env=runner.environment(test, mode.settings, runtime),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            out, _ = process.communicate(timeout=max(test.timeout or 0, self.options.timeout))
            late = False
        except subprocess.TimeoutExpired:
            if mode.stock is not None:
                name = re.sub(r"\W+", "_", f"{test.name}.{mode.name}")
                (self.folder / f"{name}.stacks").write_text(stacks(process.pid))
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            late = True
        why = runner.verdict(test, process.returncode, out.decode("latin-1"), late)
        return None if test.xfail else why

    def run(self, mode, test):
        if self.over():
            return
        program, (status, output, _) = self.compile(test)
        if status:
            self.keep(mode, test, {"runs": 1, "failed": 1, "why": "does not compile: " + runner.first(output)})
            return
        runs = failed = 0
        reason = ""
        while runs < (max(mode.repeats, TRIES) if failed else mode.repeats):
            why = self.run_once(mode, test, program)
            runs += 1
            failed += why is not None
            reason = why or reason
        self.keep(mode, test, {"runs": runs, "failed": failed, "why": reason})

    def run_all(self, chosen):
        todo = [(mode, test) for mode in chosen for test in self.tests if not test.skip and test.lang in mode.languages
                and (mode.name, test.name) not in self.results]
        self.all = len(todo)
        pool = concurrent.futures.ThreadPoolExecutor(max_workers=self.options.jobs)
        try:
            list(pool.map(lambda job: self.run(*job), todo))
        finally:
            pool.shutdown(cancel_futures=True)
            if sys.stdout.isatty():
                print("\r\x1b[K", end="")

    def state(self, mode, test):
        """passed, failed, flaked; only stock fails, stock fails too (neither counts); skipped; - (not run yet)."""
        if test.skip or test.lang not in mode.languages:
            return "skipped"
        entry = self.results.get((mode.name, test.name))
        if not entry:
            return "-"
        reference = self.results.get((mode.stock, test.name))
        if mode.stock and reference and reference["failed"]:
            return "stock fails too" if entry["failed"] else "only stock fails"
        return "passed" if not entry["failed"] else "failed" if entry["failed"] == entry["runs"] else "flaked"


STATES = ("passed", "failed", "flaked", "only stock fails", "stock fails too", "skipped", "-")


def count(suite, mode):
    """language -> state -> number"""
    numbers = {language: dict.fromkeys(STATES, 0) for language in LANGUAGES}
    for test in suite.tests:
        numbers[test.lang][suite.state(mode, test)] += 1
    return numbers


def print_table(suite, chosen):
    print(f"{'mode':20}" + "".join(f"{name + ' passed':>16}" for name in LANGUAGES.values())
          + "".join(f"{state:>18}" for state in STATES[1:]))
    for mode in chosen:
        numbers = count(suite, mode)
        print(f"{mode.name:20}" + "".join(f"{numbers[language]['passed']:16}" for language in LANGUAGES)
              + "".join(f"{sum(n[state] for n in numbers.values()):18}" for state in STATES[1:]))
    for mode in chosen:
        for test in suite.tests:
            state = suite.state(mode, test)
            if state in ("failed", "flaked"):
                entry = suite.results[mode.name, test.name]
                print(f"{state}: {test.name} [{mode.name}], {entry['failed']} of {entry['runs']}: {entry['why']}")


def as_json(suite, chosen):
    return {
        "gcc": runner.version("gcc").splitlines()[0],
        "modes": {mode.name: {"settings": mode.settings, "runs": mode.repeats, "on": "libgomp" if mode.stock is None else "ForestGOMP",
                              "languages": count(suite, mode)} for mode in chosen},
        "not passed": {test.name: states for test in suite.tests
                       if (states := {mode.name: suite.state(mode, test) for mode in chosen
                                      if suite.state(mode, test) not in ("passed", "skipped")})},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build", type=Path)
    parser.add_argument("--modes", default="", help="names, separated by ';' (all; --list shows them)")
    parser.add_argument("--list", action="store_true", help="list the modes and end")
    parser.add_argument("--filter", default="", metavar="RE", help="only tests whose name matches")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one program (300)")
    parser.add_argument("--seconds", type=float, default=0, help="end after about so long; the next run goes on (no limit)")
    parser.add_argument("--again", action="store_true", help="forget earlier results")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there")
    options = parser.parse_args()
    every = modes(options.build.resolve())
    names = [name.strip() for name in options.modes.split(";") if name.strip()]
    unknown = set(names) - {mode.name for mode in every}
    if unknown:
        sys.exit(f"tests/libgomp/run_all_modes.py: no mode is called {', '.join(sorted(unknown))}; known: "
                 f"{'; '.join(mode.name for mode in every)}; nothing was run")
    chosen = [mode for mode in every if not names or mode.name in names]
    if options.list:
        print("\n".join(mode.name for mode in chosen))
        return 0
    suite = Suite(options)
    suite.read_results(every)
    suite.run_all(chosen)
    print_table(suite, chosen)
    if options.json:
        options.json.write_text(json.dumps(as_json(suite, chosen), indent=1) + "\n")
    ours = [suite.state(mode, test) for mode in chosen if mode.stock for test in suite.tests]
    bad = sum(state in ("failed", "flaked") for state in ours)
    missing = ours.count("-")
    if missing:
        print(f"{missing} not run yet")
    print(f"{ours.count('passed')} passed, {bad} failed")
    return 1 if bad or missing else 0


sys.exit(main())
