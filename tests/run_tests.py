#!/usr/bin/env python3
"""Runs tests that are Python functions: those of a file, or of all files test_*.py of a folder.

  tests/run_tests.py [--filter RE] [--list] PATH [BUILD]

It prints "PASS name", "FAIL name: why" or "MISSING name: what" for each test. The exit status is 1 when a test fails,
or when there is none."""
import argparse
import importlib
import pathlib
import re
import sys

import testing


def files(path):
    return sorted(path.glob("test_*.py")) if path.is_dir() else [path]


def tests(path):
    """(NAME, function) of each test; those of a folder can import the modules beside them."""
    sys.path.insert(0, str((path if path.is_dir() else path.parent).resolve()))
    return [test for file in files(path) for test in testing.tests_of(vars(importlib.import_module(file.stem)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=pathlib.Path, help="a file, or a folder of files test_*.py")
    parser.add_argument("build", nargs="?", default=testing.BUILD, type=pathlib.Path, help="build folder (default: build)")
    parser.add_argument("--filter", default="", metavar="RE", help="only tests whose name matches")
    parser.add_argument("--list", action="store_true", help="list the tests and end")
    options = parser.parse_args()
    testing.BUILD = options.build.resolve()
    sys.pycache_prefix = str(testing.BUILD / "pycache")
    found = [(name, function) for name, function in tests(options.path) if re.search(options.filter, name)]
    if not found:
        sys.exit(f"run_tests.py: no test of {options.path} matches '{options.filter}'")
    if options.list:
        return print(*(name for name, _ in found), sep="\n")
    return testing.run(found)


if __name__ == "__main__":
    sys.exit(main())
