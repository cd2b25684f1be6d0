#!/usr/bin/env python3
"""Compares the exported functions of a libgomp.so.1 and their versions with the lists in tests/data.

  check_exports.py build/lib/libgomp.so.1

The lists hold one name@@VERSION (default) or name@VERSION (hidden) a line: libgomp12-exports.txt is what GCC 12's
library exports, libgomp16-exports.txt what GCC 13 to 16 added, libgomp17-exports.txt what of GCC 17 is settled. Prints every
difference, and which of the later names tests/programs/versions.c does not call; exit status 1 if a name is missing, has another
version or is not called, 0 otherwise (further names of our own are listed, but harmless).
"""
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
OF_THE_COMPILER = "libgomp12-exports.txt"  # compiled programs call these
LATER = ("libgomp16-exports.txt", "libgomp17-exports.txt")


def wanted(*files):
    names = set()
    for file in files:
        names.update((TESTS / "data" / file).read_text().split())
    return names


def not_called():
    """Returns the later names that are not called by name and version."""
    source = (TESTS / "programs" / "versions.c").read_text()
    called = {f"{name}@@{version}" for version, name in re.findall(r"CALL\([^,]+, ([\w.]+), (\w+),", source)}
    return sorted(wanted(*LATER) - called)


def exported(library):
    """Returns name@@VERSION of every defined dynamic symbol, without the version nodes themselves."""
    run = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"check_exports: nm cannot read {library}: {run.stderr.strip()}")
    names = set()
    for line in run.stdout.splitlines():
        kind, name = line.split()[-2:]
        if kind != "A":
            names.add(name)
    return names


def version_nodes(library):
    run = subprocess.run(["readelf", "-W", "--version-info", library], capture_output=True, text=True, check=True)
    nodes, inside = set(), False
    for line in run.stdout.splitlines():
        if line.startswith("Version "):
            inside = line.startswith("Version definition section")
        elif inside and "Name: " in line:
            nodes.add(line.rsplit("Name: ", 1)[1].strip())
    return nodes


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_exports.py PATH/libgomp.so.1")
    want, have, nodes = wanted(OF_THE_COMPILER, *LATER), exported(sys.argv[1]), version_nodes(sys.argv[1])
    missing = sorted(want - have)
    nodes_missing = sorted({name.rsplit("@", 1)[1] for name in want} - nodes)
    for name in missing:
        print(f"missing: {name}")
    for node in nodes_missing:
        print(f"missing version node: {node}")
    uncalled = not_called()
    for name in uncalled:
        print(f"no test calls: {name}")
    for name in sorted(have - want):
        print(f"more than libgomp: {name}")
    print(f"check_exports: {len(want & have)} of {len(want)} names with the right version, {len(missing)} missing, "
          f"{len(have - want)} more")
    return 1 if missing or nodes_missing or uncalled else 0


if __name__ == "__main__":
    sys.exit(main())
