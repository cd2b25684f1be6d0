#!/usr/bin/env python3
"""Compares the exported functions of a libgomp.so.1 and their versions with the lists in tests/data.

  check_exports.py build/lib/libgomp.so.1

The lists hold one name@@VERSION (default) or name@VERSION (hidden) a line: libgomp12-exports.txt is what GCC 12's
library exports, libgomp16-exports.txt what GCC 13 to 16 added, libgomp17-exports.txt what of GCC 17 is settled. Prints every
difference, and which of the later names tests/programs/versions.c does not call. It also names the functions of the C library that
the library defines and docs/threads.md does not name. Exit status 1 if a name is missing, has another version, is not called or is
not in the page, 0 otherwise (further names of our own are listed, but harmless).

A function of include/forestgomp/sched.h that no built-in policy, example or benchmark uses is marked "experimental" there, and no other
one is. A difference is an offence, too. So is a function of include/forestgomp.h or include/forestgomp/memory.h that has no interface in
include/forestgomp.f90, and an interface with another number of arguments.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
OF_THE_COMPILER = "libgomp12-exports.txt"  # compiled programs call these
OF_C_ONLY = ("fgomp_version", "fgomp_sim_")  # a string, and calls for programs that are written for the simulator
OF_ASSERTIONS = {"malloc", "calloc", "realloc", "free", "posix_memalign"}  # a library with assertions
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


def not_in_the_page(names):
    """Returns those of the C library's names that its section of the page does not name, and names there that are not ours."""
    page = (ROOT / "docs" / "threads.md").read_text()
    section = page.partition("## Functions of the C library that are ours\n")[2].partition("\n\nA program has them")[0]
    told = set(re.findall(r"`(\w+)`", section))
    ours = {name.partition("@")[0] for name in names if "@GLIBC_" in name}
    return sorted(told ^ (ours - OF_ASSERTIONS))


def marked_wrongly():
    """Returns the functions of the policies' header that are marked and used, or neither."""
    header = (ROOT / "include" / "forestgomp" / "sched.h").read_text()
    marked = {name: "experimental" in (comment or "") for name, comment in
              re.findall(r"^\w[^\n()]*\b(fgomp_\w+)\([^;{]*\);[ \t]*(/\*.*)?$", header, re.M)}
    used = set()
    for folder in ("src/sched", "examples", "bench"):
        for path in (ROOT / folder).rglob("*"):
            text = path.read_text() if path.suffix in (".c", ".h", ".cpp") else ""
            code = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S)
            if not re.search(r"^fgomp_\w+\(", code, re.M):  # it defines some itself, so it is no policy
                used.update(re.findall(r"\b(fgomp_\w+)\(", code))
    return sorted(name for name in marked if marked[name] == (name in used))


def fortran_differs():
    """Returns the functions of the headers for programs whose interface for Fortran is missing, or has other arguments."""
    include = ROOT / "include"
    text = re.sub(r"/\*.*?\*/", " ", (include / "forestgomp.h").read_text() + (include / "forestgomp" / "memory.h").read_text(), flags=re.S)
    told = {name: 0 if arguments.strip() == "void" else arguments.count(",") + 1
            for name, arguments in re.findall(r"\b(fgomp_\w+)\(([^()]*)\);", text) if not name.startswith(OF_C_ONLY)}
    module = (include / "forestgomp.f90").read_text()
    there = {name: len(arguments.split(",")) if arguments.strip() else 0
             for name, arguments in re.findall(r"(?:function|subroutine) (fgomp_\w+)\(([^()]*)\) bind\(c\)", module)}
    return sorted(name for name in told.keys() | there.keys() if told.get(name) != there.get(name))


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
    unnamed = not_in_the_page(have)
    for name in unnamed:
        print(f"docs/threads.md and the library differ about the C library's {name}")
    wrong = marked_wrongly()
    for name in wrong:
        print(f"include/forestgomp/sched.h: {name} is marked \"experimental\" and is used, or is neither")
    differs = fortran_differs()
    for name in differs:
        print(f"include/forestgomp.f90: {name} is missing, or has other arguments than in C")
    for name in sorted(have - want):
        print(f"more than libgomp: {name}")
    print(f"check_exports: {len(want & have)} of {len(want)} names with the right version, {len(missing)} missing, "
          f"{len(have - want)} more")
    return 1 if missing or nodes_missing or uncalled or unnamed or wrong or differs else 0


if __name__ == "__main__":
    sys.exit(main())
