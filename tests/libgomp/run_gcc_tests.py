#!/usr/bin/env python3
"""Runs the C tests (with --all also the C++ and Fortran ones) that come with gcc's own libgomp on a build folder's
library.

  tests/libgomp/run_gcc_tests.py [--all] [--filter RE] [--jobs N] [--env K=V]... [BUILD]

The sources are those of Debian's package gcc-12-source. The folder BUILD/libgomp-tests keeps them and the built
programs. The file expected-failures beside this one lists tests that are not run, each with its reason. Each test
prints "PASS name" or "FAIL name: why". "SKIP name: why" is for a test that by its own words needs a device or a
processor that is not here. Without the sources there is one line "MISSING libgomp: what"."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from sources import archive_find, unpack  # noqa: E402


def left_out():
    names = {}
    for line in (HERE / "expected-failures").read_text().splitlines():
        name, _, why = line.partition(" ")
        if name and not name.startswith("#"):
            names[name] = why
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="C++ and Fortran too")
    parser.add_argument("--stock", action="store_true", help="on the system's libgomp")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--timeout", default="300", help="seconds for one program (300)")
    parser.add_argument("--env", action="append", default=[], metavar="K=V")
    options = parser.parse_args()
    build = options.build.resolve()
    folder = build / "libgomp-tests"
    if not archive_find():
        print("MISSING libgomp: the sources of gcc-12-source (scripts/install-deps test)")
        return 0
    source = unpack(folder)
    skipped = left_out()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [sys.executable, str(HERE / "runner.py"), "--src", str(source), "--lang", "c,c++,fortran" if options.all else "c",
                   "-j", options.jobs, "--timeout", options.timeout, "--bindir", str(folder / "bin"), "--json", report.name]
        if not options.stock:
            command += ["--runtime", str(build / "lib")]
        if options.filter:
            command += ["--filter", options.filter]
        if skipped:
            command += ["--exclude", "^(" + "|".join(map(re.escape, skipped)) + r")( \(.*\))?$"]
        for pair in options.env:
            command += ["--env", pair]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        results = json.loads(pathlib.Path(report.name).read_text() or "[]")
    for result in results:
        if result["status"] in ("PASS", "XFAIL"):
            print("PASS", result["test"])
        elif result["status"] == "FAIL":
            print(f"FAIL {result['test']}: {result['why']}")
        elif "*-*-*" not in result["why"]:  # these are parts of other tests
            print(f"SKIP {result['test']}: {result['why']}")
    if not results:
        print(run.stdout[-2000:] + run.stderr[-2000:])
        print("FAIL libgomp: the runner gave no results")
    return 1 if run.returncode or not results else 0


sys.exit(main())
