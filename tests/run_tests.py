#!/usr/bin/env python3
"""Runs tests that are Python functions: those of a file, or of all files test_*.py of a folder.

  tests/run_tests.py [--filter RE] [--list] [--jobs N] PATH [BUILD]

N: so many tests at a time, for those that judge no time of the machine. It prints "PASS name", "FAIL name: why" or "MISSING name: what" for each test. The exit status is 1 when a test fails,
or when there is none."""
import argparse
import importlib
import multiprocessing
import pathlib
import re
import sys

import testing

running = []  # the tests of run_at_a_time; its children find them by number


def files(path):
    return sorted(path.glob("test_*.py")) if path.is_dir() else [path]


def tests(path):
    """(NAME, function) of each test; those of a folder can import the modules beside them."""
    sys.path.insert(0, str((path if path.is_dir() else path.parent).resolve()))
    return [test for file in files(path) for test in testing.tests_of(vars(importlib.import_module(file.stem)))]


def verdict_of(number):
    return testing.verdict_line(*running[number])


def run_at_a_time(found, jobs):
    """As testing.run, with children that have the modules already. The lines come in the order in which tests end."""
    running.extend(found)
    failed = 0
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for line in pool.imap_unordered(verdict_of, range(len(found))):
            failed += line.startswith("FAIL")
            print(line, flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=pathlib.Path, help="a file, or a folder of files test_*.py")
    parser.add_argument("build", nargs="?", default=testing.BUILD, type=pathlib.Path, help="build folder (default: build)")
    parser.add_argument("--filter", default="", metavar="RE", help="only tests whose name matches")
    parser.add_argument("--list", action="store_true", help="list the tests and end")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many tests at a time (default 1)")
    options = parser.parse_args()
    testing.BUILD = options.build.resolve()
    sys.pycache_prefix = str(testing.BUILD / "pycache")
    found = [(name, function) for name, function in tests(options.path) if re.search(options.filter, name)]
    if not found:
        sys.exit(f"run_tests.py: no test of {options.path} matches '{options.filter}'")
    if options.list:
        return print(*(name for name, _ in found), sep="\n")
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: at least 1 is accepted")
    return run_at_a_time(found, options.jobs) if options.jobs > 1 else testing.run(found)


if __name__ == "__main__":
    sys.exit(main())
