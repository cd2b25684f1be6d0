#!/usr/bin/env python3
"""Makes docs/supported.md of the version map, docs/supported.table and the results of gcc's tests.

  scripts/supported.py [--check] [--results FILE]

--check: says whether the page is what would be made now, and names what of the table is not true of the map (exit status 1).
--results: takes new results, which `tests/libgomp/run_all_modes.py --json FILE` has written, into tests/data/libgomp-tests.json first."""
import argparse
import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "src" / "libgomp.map"
TABLE = ROOT / "docs" / "supported.table"
RESULTS = ROOT / "tests" / "data" / "libgomp-tests.json"
PAGE = ROOT / "docs" / "supported.md"
PROGRAMS = ROOT / "tests" / "programs"
STATES = ("works", "host only", "ignored", "not there")
LANGUAGES = {"c": "C", "c++": "C++", "fortran": "Fortran"}


def nodes_read():
    """Returns version node -> its names, in the map's order."""
    text = re.sub(r"#.*", "", MAP.read_text())
    nodes = {}
    for node, body in re.findall(r"^(\w[\w.]*) \{(.*?)\}", text, re.M | re.S):
        nodes[node] = [name.strip() for name in body.replace("global:", "").replace("local:", "").split(";") if name.strip(" \n\t*")]
    return nodes


def table_read(nodes):
    """Returns (constructs, routine -> state other than works, absent nodes), and their errors."""
    constructs, states, absent, wrong = [], {}, [], []
    exported = {name for names in nodes.values() for name in names}
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        kind, _, rest = line.partition(" ")
        fields = [field.strip() for field in rest.split("|")]
        if not line or kind == "#":
            continue
        if kind == "construct" and len(fields) == 5 and fields[1] in STATES:
            wrong += [f"there is no tests/programs/{program}.c" for program in fields[4].split()
                      if not list(PROGRAMS.glob(program + ".c*"))]
            constructs.append(fields)
        elif kind in ("host", "ignored"):
            wrong += [f"the map has no {name}" for name in rest.split() if name not in exported]
            states.update(dict.fromkeys(rest.split(), "host only" if kind == "host" else kind))
        elif kind == "absent" and len(fields) == 2:
            wrong += [f"the map has {fields[0]}, the table says it has not"] if fields[0] in nodes else []
            absent.append(fields)
        else:
            wrong.append(f"line {number} is none of its kinds: {line}")
    return constructs, states, absent, wrong


def routines(names):
    """Returns the C names of OpenMP routines. Fortran forms end in an underscore."""
    return [name for name in names if name.startswith("omp_") and not name.endswith("_")]


def fortran_missing(nodes):
    """Returns integer routines without the form that Fortran calls. Those with a C address as argument or result have none in libgomp
    either."""
    exported = {name for names in nodes.values() for name in names}
    return sorted(name for names in nodes.values() for name in routines(names) if name + "_" not in exported)


def routine_lines(nodes, states):
    yield "| since | works | host only | ignored |"
    yield "|---|---|---|---|"
    seen = set()
    for node, names in nodes.items():
        here = [name for name in routines(names) if name not in seen]
        seen.update(here)
        if not here:
            continue
        cells = [", ".join(f"`{name}`" for name in here if states.get(name, "works") == state) for state in STATES[:3]]
        yield f"| `{node}` | " + " | ".join(cells) + " |"


def result_lines(results):
    yield "| mode | " + " | ".join(f"{name} passed" for name in LANGUAGES.values()) + " | failed | flaked | only stock fails | stock fails too |"
    yield "|---|" + "---|" * (len(LANGUAGES) + 4)
    for name, mode in results["modes"].items():
        if mode["on"] == "libgomp":
            continue
        settings = " ".join(f"{k}={v}" for k, v in mode["settings"].items())
        what = f"`{settings}`" if settings else "as it is"
        if mode["runs"] > 1:
            what += f", {mode['runs']} times, C"
        numbers = mode["languages"]
        sums = [sum(n[state] for n in numbers.values()) for state in ("failed", "flaked", "only stock fails", "stock fails too")]
        passed = [str(n["passed"]) if n["passed"] else "" for n in numbers.values()]
        yield f"| {what} | " + " | ".join(passed + [str(number) for number in sums]) + " |"


def not_passed_lines(results):
    for test, states in results["not passed"].items():
        ours = sorted({state for mode, state in states.items() if results["modes"][mode]["on"] != "libgomp"})
        if ours:
            yield f"* `{test}`: {', '.join(ours)}"


def page(nodes, constructs, states, absent, results):
    lines = ["# What is supported", "",
             "Which constructs and routines of OpenMP work, and the results of gcc's own tests. `scripts/supported.py` makes this page of the library's",
             "version map, `docs/supported.table` and the results of gcc's tests; a test fails when it is stale. *Host only*: it works on the host,",
             "the only device that there is. *Ignored*: it is accepted, without effect.", "",
             "## Constructs", "", "| construct | OpenMP | state | |", "|---|---|---|---|"]
    for name, state, since, remark, programs in constructs:
        shown = " ".join(f"[{p}](../{next(PROGRAMS.glob(p + '.c*')).relative_to(ROOT)})" for p in programs.split())
        lines.append(f"| {name} | {since} | {state} | {remark}{' ' if remark and shown else ''}{shown and '(' + shown + ')'} |")
    lines += ["", "Variables: [environment.md](environment.md). Hard cases (signals, fork, thread-local storage): [threads.md](threads.md).", "",
              "## Routines", "",
              "By the version node that has them; `FGOMP_1.0` is this library's own. Fortran calls forms with an underscore: all but "
              + ", ".join(f"`{name}`" for name in fortran_missing(nodes)) + " have one, as in libgomp (Fortran reaches these by `bind(c)`).",
              "", *routine_lines(nodes, states), "",
              f"With the calls that compilers make there are {sum(len(set(n)) for n in nodes.values())} names in {len(nodes)} version nodes, all that libgomp",
              "has up to GCC 16 (`scripts/check_exports.py` compares). Not there:", ""]
    lines += [f"* `{node}`: {why}." for node, why in absent]
    lines += ["", "## gcc's own tests", "",
              f"The run-time tests of libgomp in C, C++ and Fortran that come with gcc 12, at -O2 with {results['gcc']}, each on ForestGOMP",
              "and on the system's libgomp (*stock*) under the same `OMP_` variables. A test that fails is run twice more; *flaked*: it passed then.",
              "Tests that need a device are left out. `make test-gcc` runs them (`tests/libgomp/run_all_modes.py --help`).", "", *result_lines(results), ""]
    listed = list(not_passed_lines(results))
    if listed:
        lines += ["Not passed in every mode:", "", *listed]
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.results:
        shutil.copyfile(options.results, RESULTS)
    nodes = nodes_read()
    constructs, states, absent, wrong = table_read(nodes)
    for trouble in wrong:
        print(f"docs/supported.table: {trouble}")
    if wrong:
        return 1
    text = page(nodes, constructs, states, absent, json.loads(RESULTS.read_text()))
    if not options.check:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print("docs/supported.md is stale: run scripts/supported.py")
        return 1
    return 0


sys.exit(main())
