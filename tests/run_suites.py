#!/usr/bin/env python3
"""Runs all tests of a build folder. Its last line is "N passed, N failed", and also "N skipped" if some were. The exit
status is 0 if none failed.

  tests/run [--only SUITE,...] [--no-skips] [--list] [BUILD]

A suite is a command with a time limit. It prints these lines:
  PASS name            it counts
  FAIL name: why       it counts
  AGAIN name: why      it failed, and is run once more, which counts; it is told at the end
  SKIP name: why       this test needs hardware that this machine lacks; it is told, and counts as skipped
  MISSING name: what   this test needs something that could be installed (scripts/install-deps); it is told, and counts as
                       skipped, or with --no-skips as failed. So does a suite in which every test is skipped.
A suite counts as one failure of its own name if it prints no such line, or if its status is not 0 and it has no FAIL
line."""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from tally import Tally, cpu_time
from testing import PATIENCE

TESTS = pathlib.Path(__file__).resolve().parent
ROOT = TESTS.parent
LINE = re.compile(r"^(PASS|FAIL|AGAIN|SKIP|MISSING):? +(\S.*)$")


def objects_beside(library):
    """The shared objects that the library opens. The second one needs Zydis."""
    stuck, samples = (library.with_name(f"libforestgomp-{name}.so") for name in ("stuck", "samples"))
    return [stuck, samples] if samples.exists() else [stuck]


def suites(build):
    """(name, command, seconds, kind): kind 'lines' as above, 'status' one test, 'meson' the unit tests. The seconds are
    those of an idle machine."""
    library = build / "lib" / "libgomp.so.1"
    return [
        ("floors", [ROOT / "scripts" / "check_floors.py", "--build", build], 30, "status"),
        ("check_floors", [ROOT / "tests" / "floors" / "test_check_floors.py"], 60, "lines"),
        ("check_calls", [TESTS / "floors" / "test_check_calls.py"], 60, "lines"),
        ("inside", [ROOT / "scripts" / "check_inside.py"], 30, "status"),
        ("calls", [ROOT / "scripts" / "check_calls.py", library, *objects_beside(library)], 60, "status"),
        ("exports", [ROOT / "scripts" / "check_exports.py", library], 60, "status"),
        ("docs", [ROOT / "scripts" / "supported.py", "--check"], 30, "status"),
        ("unit", ["meson", "test", "-C", build, "--no-rebuild", "--suite", "unit", "--timeout-multiplier", str(PATIENCE)], 300, "meson"),
        ("samples", [TESTS / "samples" / "run_samples.py", build], 240, "lines"),
        ("record", [TESTS / "run_tests.py", TESTS / "record", build], 60, "lines"),
        ("interleave", [TESTS / "interleave" / "run", "--build", build / "interleave"], 600, "lines"),
        ("command", [TESTS / "run_tests.py", TESTS / "command", build], 120, "lines"),
        ("page", [TESTS / "page" / "test_page.py", build], 300, "lines"),
        ("env", [TESTS / "env" / "compare_with_libgomp.py", build], 300, "lines"),
        ("secure", [TESTS / "secure" / "check_privileges.py", build], 200, "lines"),
        ("mpu", [TESTS / "mpu" / "run", build], 600, "lines"),
        ("bench", [ROOT / "bench" / "test.py"], 120, "status"),
        ("programs", [TESTS / "programs" / "run_programs.py", "--lib", build / "lib", "--build", build / "programs"], 900, "lines"),
        ("mpi", [TESTS / "mpi" / "run_mpi.py", build], 60, "lines"),
        ("hostile", [TESTS / "hostile" / "run_hostile.py", "--lib", build / "lib", "--build", build / "hostile"], 400, "lines"),
        ("sandbox", [TESTS / "hostile" / "run_hostile.py", "--filters", "--lib", build / "lib", "--build", build / "hostile"], 300, "lines"),
        ("limits", [TESTS / "limits" / "run_limits.py", "--lib", build / "lib", "--build", build / "limits", "--debug", "--most", "40"], 600,
         "lines"),
        ("sim", [TESTS / "run_tests.py", "--jobs", os.cpu_count(), TESTS / "sim", build], 450, "lines"),
        ("papers", [TESTS / "run_tests.py", "--jobs", os.cpu_count(), TESTS / "papers", build], 300, "lines"),
        ("numa", [TESTS / "numa" / "run_on_qemu.py", "--lib", build / "lib", "--build", build / "numa"], 420, "lines"),
        ("bare", [TESTS / "numa" / "run_on_qemu.py", "--bare", "--lib", build / "lib", "--build", build / "numa"], 120, "lines"),
        ("count", [TESTS / "numa" / "run_on_qemu.py", "--count", "--lib", build / "lib", "--build", build / "numa"], 240, "lines"),
        ("python", [TESTS / "run_tests.py", TESTS / "python", build], 200, "lines"),
        ("wheel", [TESTS / "run_tests.py", TESTS / "wheel", build], 90, "lines"),
        ("packages", [TESTS / "run_tests.py", TESTS / "packages", build], 90, "lines"),
        ("sanitize", [TESTS / "sanitize" / "run_sanitized.py", "--lib", build / "lib", "--build", build / "sanitize"], 200, "lines"),
        ("libgomp", [TESTS / "libgomp" / "run_gcc_tests.py", build], 900, "lines"),
        ("soak", [TESTS / "soak" / "soak.py", "--lib", build / "lib", "--seed", "1", "--programs", "24", "--runs", "3",
                  "--no-stock"], 400, "lines"),
    ]


def run(command, seconds, show):
    """Runs a command with a time limit that ends also its children. Returns (status, lines)."""
    lines = []
    process = subprocess.Popen([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True)
    limit_reached = []

    def end_it(number, _):
        end_tree(process.pid)
        if number != signal.SIGALRM:
            sys.exit(128 + number)
        limit_reached.append(True)

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end_it)
    signal.alarm(seconds)
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if show(lines[-1]):
            print(lines[-1], flush=True)
    status = process.wait()
    signal.alarm(0)
    if limit_reached:
        print(f"ended after its limit of {seconds} s")
    return status, lines


def end_tree(pid):
    """Kills a process and all its descendants, also those that made process groups of their own."""
    children = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
        except (OSError, IndexError, ValueError):
            continue
    todo = [pid]
    for parent in todo:
        todo += children.get(parent, [])
    for each in todo:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass


def lines_read(lines):
    return [match.groups() for match in map(LINE.match, lines) if match]


def whole_failed(status, lines):
    print("\n".join(lines[-20:]))
    return "FAIL", f"the whole suite (exit status {status})"


class Shown:
    """Tells of each line whether to show it: all verdicts but PASS are shown, and the indented lines that follow
    them."""

    def __init__(self):
        self.shown = False

    def __call__(self, line):
        self.shown = line.startswith(("FAIL", "AGAIN", "SKIP", "MISSING")) or (self.shown and line.startswith("    "))
        return self.shown


def run_lines(command, seconds):
    status, lines = run(command, seconds, Shown())
    results = lines_read(lines)
    if status != 0 and not any(verdict == "FAIL" for verdict, _ in results) or not results:
        results.append(whole_failed(status, lines))
    return results


def run_status(command, seconds):
    status, lines = run(command, seconds, lambda line: False)
    if status != 0:
        print("\n".join(lines[-40:]))
    return [("PASS" if status == 0 else "FAIL", "all")]


def meson_results(entry):
    """The results of one unit test: its verdict, and the lines SKIP and MISSING that it printed."""
    said = [line for line in lines_read(entry.get("stdout", "").splitlines()) if line[0] in ("SKIP", "MISSING")]
    for verdict, test in said:
        print(verdict, test)
    if entry["result"] == "SKIP":
        return said or [("SKIP", entry["name"])]
    if entry["result"] in ("OK", "EXPECTEDFAIL"):
        return [("PASS", entry["name"]), *said]
    print(entry.get("stdout", "")[-3000:], entry.get("stderr", "")[-3000:], sep="\n")
    return [("FAIL", entry["name"])]


def run_meson(command, seconds, build):
    log = build / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    status, lines = run(command, seconds, lambda line: False)
    results = []
    if log.exists():
        for entry in map(json.loads, log.read_text().splitlines()):
            results += meson_results(entry)
    if not results or status != 0 and not any(verdict == "FAIL" for verdict, _ in results):
        results.append(whole_failed(status, lines))
    return results


def run_suite(command, seconds, kind, build):
    if kind == "meson":
        return run_meson(command, seconds, build)
    if not shutil.which(command[0]):
        return [("FAIL", f"{command[0]} does not exist or cannot be run")]
    return (run_status if kind == "status" else run_lines)(command, seconds)


def main():
    parser = argparse.ArgumentParser(prog="tests/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path, help="build folder (default: build)")
    parser.add_argument("--only", default="", help="names of suites, separated by commas")
    parser.add_argument("--no-skips", action="store_true", help="what is left out because something is not installed counts as failed")
    parser.add_argument("--list", action="store_true", help="list the suites and end")
    options = parser.parse_args()
    build = options.build.resolve()
    every = suites(build)
    wanted = [name for name in options.only.split(",") if name]
    unknown = set(wanted) - {suite[0] for suite in every}
    if unknown:
        sys.exit(f"tests/run: no suite is called {', '.join(sorted(unknown))}; known: {', '.join(s[0] for s in every)}")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in the background, and tests send it
    tally = Tally(options.no_skips)
    for name, command, seconds, kind in every:
        if wanted and name not in wanted:
            continue
        if options.list:
            print(name, *command)
            continue
        print(f"== {name}", flush=True)
        started, used = time.monotonic(), cpu_time()
        results = run_suite(command, seconds * PATIENCE, kind, build)
        tally.add(name, results, time.monotonic() - started, cpu_time() - used)
    return 0 if options.list else tally.end()


sys.exit(main())
