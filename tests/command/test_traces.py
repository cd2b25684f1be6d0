"""`forestgomp run --trace` and `--stats`, and `forestgomp trace`: tables, pages, and traces of programs that end
badly."""
import functools
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from made_trace import region, trace
from testing import BUILD, LIMIT, PUS, clean_environment, compiled, complains, expect, forestgomp


NESTED = """#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void burn(void) { for (volatile long i = 0; i < 20000; i++); }
static void inner(void) {
#pragma omp parallel num_threads(3)
burn(); }
static void outer(void) {
#pragma omp parallel num_threads(2)
{ burn();
#pragma omp barrier
inner(); } }
int main(int argc, char **argv) {
omp_set_max_active_levels(2);
for (int i = 0; i < 5; i++) outer();
puts("its own words");
fflush(stdout);
if (argc > 1 && *argv[1] == 'k') raise(SIGKILL);
if (argc > 1 && *argv[1] == 'e') _exit(7);
return 3; }
"""


@functools.lru_cache
def nested():
    folder = tempfile.TemporaryDirectory()
    program = pathlib.Path(folder.name) / "nested"
    program.with_suffix(".c").write_text(NESTED)
    compiled(program, "-fopenmp", "-O1", program.with_suffix(".c"))
    return folder, program


def traced(*arguments, options=()):
    folder, program = nested()
    file = pathlib.Path(folder.name) / "trace.fgt"
    return forestgomp("run", *options, "--trace", file, program, *arguments), file


def check_regions(table):
    regions = {region["region"]: region for region in table["regions"]}
    expect(set(regions) == {"inner", "outer"}, str(regions))
    expect(regions["outer"]["calls"] == 5 and regions["inner"]["calls"] == 10, "calls")
    expect(regions["outer"]["threads_max"] == 2 and regions["inner"]["threads_min"] == 3, "threads")
    expect(regions["inner"]["nested"] and not regions["outer"]["nested"], "nested")
    expect(regions["outer"]["time_ns"] >= regions["outer"]["longest_ns"] >= regions["outer"]["shortest_ns"] > 0, "time")
    expect(regions["inner"]["cpu_ns"] > 0 and regions["inner"]["function"] == "inner._omp_fn.0", "work")


def test_trace_table():
    result, file = traced()
    expect(result.returncode == 3 and result.stdout == "its own words\n" and not result.stderr, result.stderr)
    table = json.loads(forestgomp("trace", file, "--json").stdout)
    check_regions(table)
    expect(table["regions_met"] == 15 and not table["note"] and table["command"].endswith("nested"), str(table))
    text = forestgomp("trace", file)
    expect(text.returncode == 0 and "\033" not in text.stdout and not text.stderr, text.stderr)
    lines = [line.split() for line in text.stdout.splitlines()]
    expect(any(line[:3] == ["inner", "10", "3"] for line in lines) and any(line[:3] == ["outer", "5", "2"] for line in lines), text.stdout)


def read_chrome(text):
    """A strict reader of Chrome's format: it fails where ui.perfetto.dev would drop an event."""
    events = json.loads(text)["traceEvents"]
    named, ends, open_flows, last = {}, {}, {}, {}
    needed = {"M": {"name", "pid", "args"}, "X": {"name", "pid", "tid", "ts", "dur"}, "i": {"name", "pid", "tid", "ts", "s"},
              "C": {"name", "pid", "ts", "args"}, "s": {"name", "cat", "id", "pid", "tid", "ts"}, "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"}}
    slices = [event for event in events if event["ph"] == "X"]
    for event in events:
        expect(event["ph"] in needed and needed[event["ph"]] <= set(event), str(event))
        if event["ph"] == "M" and event["name"] in ("thread_name", "process_name"):
            named[event["pid"], event.get("tid") if event["name"] == "thread_name" else None] = event["args"]["name"]
        if event["ph"] in "sf":
            within = [piece for piece in slices if piece["pid"] == event["pid"] and piece["tid"] == event["tid"]
                      and piece["ts"] - 0.0011 <= event["ts"] <= piece["ts"] + piece["dur"] + 0.0011]
            expect(within, f"an end of an arrow lies on no slice: {event}")
            open_flows.setdefault(event["id"], []).append(event["ph"])
        if event["ph"] == "C":
            expect(event["ts"] >= last.get((event["pid"], event["name"]), 0) and all(value >= 0 for value in event["args"].values()), str(event))
            last[event["pid"], event["name"]] = event["ts"]
    for piece in slices:
        row = piece["pid"], piece["tid"]
        expect(row in named and piece["ts"] >= ends.get(row, 0) - 0.0011 and piece["dur"] > 0, f"a slice without a row, or on another: {piece}")
        ends[row] = piece["ts"] + piece["dur"]
    expect(all(phases == ["s", "f"] for phases in open_flows.values()), "arrows with one end")
    return events, named, open_flows


def test_trace_perfetto():
    _, file = traced()
    events, named, _ = read_chrome(forestgomp("trace", file, "--perfetto", "-").stdout)
    members = [event for event in events if event["ph"] == "X"]
    expect(len(members) >= 15 and {"inner", "outer"} <= {event["name"] for event in members}, "members")
    expect(named[1, None] == "nested" and named[1, 0] == "PU 0", f"the process has the program's name: {named}")
    expect({event["name"] for event in events if event["ph"] == "C"} == {"PUs at work", "PUs that wait"}, "counters")
    expect(any(event["name"] == "thread_sort_index" for event in events), "rows have an order")
    with tempfile.TemporaryDirectory() as folder:
        compressed = pathlib.Path(folder) / "run.json.gz"
        result = forestgomp("trace", file, "--perfetto", compressed)
        expect(result.returncode == 0 and gzip.decompress(compressed.read_bytes()).decode() == forestgomp("trace", file, "--perfetto", "-").stdout,
               f"compressed: {result.stderr}")
    other = shutil.copy(file, file.with_suffix(".other"))
    traced()
    both = json.loads(forestgomp("trace", file, other, "--perfetto", "-").stdout)["traceEvents"]
    expect({event["pid"] for event in both} == {1, 2}, "two processes")


def test_trace_perfetto_steals():
    """On a simulated machine, idle PUs steal members: each theft that has both ends is an arrow."""
    _, program = nested()
    file = program.with_suffix(".sim.fgt")
    forestgomp("sim", "-m", "numa:2 core:4", "--no-baseline", program, env={"FGOMP_TRACE": str(file)})
    events, _, flows = read_chrome(forestgomp("trace", file, "--perfetto", "-").stdout)
    steals = sum(event["name"] == "steal" and event["ph"] == "i" for event in events)
    expect(0 < len(flows) <= steals, f"{len(flows)} arrows, {steals} thefts")


def test_trace_windows():
    _, file = traced()
    for options, words in ((["--from", "1h"], "--from 1h is after the end"), (["--from", "2ms", "--to", "1ms"], "--to 1ms is not after --from 2ms"),
                           (["--to", "0"], "--to 0 is not after the begin"), (["--from", "5x"], "--from 5x is no time")):
        complains(forestgomp("trace", file, "-o", "/dev/null", *options), 2, words)
    complains(forestgomp("trace", file, "--from", "1us"), 2, "--from is for -o PAGE and --perfetto FILE")
    some = json.loads(forestgomp("trace", file, "--perfetto", "-", "--to", "100us").stdout)["traceEvents"]
    every = json.loads(forestgomp("trace", file, "--perfetto", "-").stdout)["traceEvents"]
    expect(sum(event["ph"] == "X" for event in some) < sum(event["ph"] == "X" for event in every), "a part")


def test_trace_several():
    _, file = traced()
    other = shutil.copy(file, file.with_suffix(".other"))
    traced()
    tables = json.loads(forestgomp("trace", file, other, "--json").stdout)
    expect(len(tables) == 2, "a list of tables")
    for table in tables:
        check_regions(table)


def made(folder, name, pid, begin, **more):
    """The trace of a process with a region of 4 ms, on PUs 0 and 1; it may use one of them in the middle."""
    return trace(folder / name, pid, [0, 1], region(begin, begin + 4000000, (begin + 1000000, "grant", 0, 0, 0, 1, 2), (begin + 3000000, "grant", 0, 0, 0, 2, 2)), **more)


def processes_of(*files):
    """The processes of the page of these files."""
    page = forestgomp("trace", *files, "-o", "-")
    found = re.search(r'id="model">\n(.*?)</script>', page.stdout, re.S)
    return json.loads(found.group(1)), page.stderr


def test_trace_of_one_clock():
    """Processes since one boot lie on the axis as they did in time, whatever the wall clock said."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        first, second = made(folder, "1", 11, 5000000, wall=10**18), made(folder, "2", 12, 7500000, wall=1)
        job, complaint = processes_of(second, first)
        expect(not complaint and [process["begin"] for process in job["processes"]] == [2500000, 0] and job["span"] == 6500000, f"{complaint} {job['span']}")
        expect([process["grants"] for process in job["processes"]] ==
               [[[b, 2, []], [b + 1000000, 1, []], [b + 3000000, 2, []]] for b in (2500000, 0)], str([process["grants"] for process in job["processes"]]))
        expect({process["machine"] for process in job["processes"]} == {0}, "one machine")
        events = json.loads(forestgomp("trace", first, second, "--perfetto", "-").stdout)["traceEvents"]
        counted = [(event["pid"], event["ts"], event["args"]["PUs"]) for event in events if event["name"] == "PUs granted"]
        expect(counted == [(1, 0, 2), (1, 1000, 1), (1, 3000, 2), (2, 2500, 2), (2, 3500, 1), (2, 5500, 2)], str(counted))


def test_trace_of_other_clocks():
    """Files that have no clock in common, or are no two traces: one line each."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        first = made(folder, "first", 11, 5000000, wall=10**18)
        later = made(folder, "later", 12, 1000000, wall=10**18 + 2000000, clock="another boot")
        older = made(folder, "older", 13, 1000000, wall=10**18 + 3000000, clock="")
        virtual = made(folder, "virtual", 14, 9, carrier="virtual", clock="")
        for others, odd, begins in (([later], later, [0, 2000000]), ([older], older, [0, 3000000]), ([later, older], later, [0, 2000000, 3000000]),
                                    ([virtual], virtual, [0, 0]), ([later, virtual], virtual, [0, 0, 0])):
            job, complaint = processes_of(first, *others)
            words = "virtual time" if odd == virtual else "wall clocks"
            expect(len(complaint.splitlines()) == 1 and str(odd) in complaint and words in complaint, complaint)
            expect([process["begin"] for process in job["processes"]] == begins, f"{odd}: {[process['begin'] for process in job['processes']]}")
            expect({process["machine"] for process in job["processes"]} == set(range(len(begins))), "each on its own machine")
        copy = shutil.copy(first, folder / "copy")
        os.symlink(first, folder / "link")
        for again in (first, copy, folder / "link"):
            complains(forestgomp("trace", first, later, again, "-o", folder / "page"), 2, f"'{again}' is the same run as '{first}'")
        (folder / "short").write_bytes(later.read_bytes()[:65600])
        complains(forestgomp("trace", first, folder / "short", "-o", folder / "page"), 1, "short", "cut short")
        complains(forestgomp("trace", first, "/etc/passwd", "-o", folder / "page"), 1, "/etc/passwd", "no trace")
        expect(not (folder / "page").exists(), "a page was written")


ROUNDS = """#include <unistd.h>
int main(int argc, char **argv) {
while (access(argv[1], F_OK) != 0)
#pragma omp parallel num_threads(2)
for (int i = 0; i < 20; i++) {
for (volatile long k = 0; k < 100000; k++);
#pragma omp barrier
}
return argc < 2; }
"""


@functools.lru_cache
def rounds():
    folder = tempfile.TemporaryDirectory()
    program = pathlib.Path(folder.name) / "rounds"
    program.with_suffix(".c").write_text(ROUNDS)
    compiled(program, "-fopenmp", "-O1", program.with_suffix(".c"))
    return folder, program


def together(folder, begun, enough, **environment):
    """Runs two programs at a time: the second one from begun() on, and both until enough(). Waits for a minute at most. Returns what
    they said, and their numbers."""
    env = {**clean_environment(), "LD_LIBRARY_PATH": str(BUILD / "lib"), "XDG_RUNTIME_DIR": str(folder), **environment}
    programs, until = [], time.monotonic() + 60
    try:
        for wanted in (begun, enough):
            programs.append(subprocess.Popen([rounds()[1], folder / "stop"], env=env, stderr=subprocess.PIPE, text=True))
            while time.monotonic() < until and not wanted():
                time.sleep(0.1)
    finally:
        (folder / "stop").touch()
    said = [program.communicate(timeout=LIMIT)[1] for program in programs]
    expect([program.returncode for program in programs] == [0, 0], f"{said}")
    return said, {program.pid for program in programs}


def regions_met(file):
    table = forestgomp("trace", file, "--json")
    return json.loads(table.stdout)["regions_met"] if table.returncode == 0 else 0


def test_trace_of_two_that_share():
    """Two programs at a time, on one page: each has all PUs at first, and fewer then."""
    if PUS < 2:
        return
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)

        def granted():
            files = sorted(folder.glob("run-*.fgt"))
            return [[event["args"]["PUs"] for event in json.loads(forestgomp("trace", file, "--perfetto", "-").stdout)["traceEvents"] if event["name"] == "PUs granted"]
                    for file in files if file.stat().st_size > 65536]

        said, pids = together(folder, lambda: True, lambda: len([counts for counts in granted() if counts]) == 2, FGOMP_SHARE="on", FGOMP_TRACE=str(folder / "run-%p.fgt"))
        expect(said == ["", ""], f"{said}")
        counts = granted()
        expect(len(counts) == 2 and all(list_[0] == PUS and min(list_) < PUS for list_ in counts), f"{counts}")
        job, complaint = processes_of(*folder.glob("run-*.fgt"))
        expect(not complaint and {process["pid"] for process in job["processes"]} == pids, complaint)
        (one, other), span = job["processes"], job["span"]
        expect(max(one["begin"], other["begin"]) < min(one["begin"] + one["span"], other["begin"] + other["span"]) <= span, "they do not overlap")


def test_trace_of_two_with_one_name():
    """A trace that is being written stays: the second program takes a name of its own, and says so."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        name = folder / "run.fgt"
        second = folder / "run.fgt.2"
        said, pids = together(folder, lambda: regions_met(name), lambda: regions_met(second), FGOMP_TRACE=str(name))
        expect(sorted(folder.glob("run*")) == [name, second], f"{sorted(folder.glob('*'))}")
        spoken = [words for words in said if words]
        expect(len(spoken) == 1 and len(spoken[0].strip().splitlines()) == 1 and f"is writing '{name}', so this one writes '{second}'" in spoken[0], f"{said}")
        job, complaint = processes_of(name, second)
        expect(not complaint and {process["pid"] for process in job["processes"]} == pids, complaint)


def test_trace_of_one_that_dies():
    for how, status in (("kill", -9), ("exit", 7)):
        result, file = traced(how)
        expect(result.returncode == status, f"status {result.returncode}")
        table = json.loads(forestgomp("trace", file, "--json").stdout)
        check_regions(table)
        expect("ended without a word" in table["note"], table["note"])
        page = forestgomp("trace", file, "-o", "-")
        expect(page.returncode == 0 and len(page.stderr.splitlines()) == 1 and "ended without a word" in page.stderr, page.stderr)


def test_trace_cut_short():
    _, file = traced()
    whole = file.read_bytes()
    short = file.with_suffix(".short")
    for size in (0, 7, 63, 64, 65536, len(whole) // 3, len(whole) // 2, len(whole) - 70000):
        short.write_bytes(whole[:size])
        result = forestgomp("trace", short)
        if size < 64:
            complains(result, 1, "no trace" if size < 8 else "cut short")
        elif result.returncode == 1:
            complains(result, 1, "cut short: it has no event")
        else:
            expect(result.returncode == 0 and not result.stderr and "the file is cut short" in result.stdout, f"{size}: {result.stdout} {result.stderr}")
    expect("regions met" in result.stdout, result.stdout)


def test_trace_where_it_cannot_be_written():
    _, program = nested()
    for place in ("/nowhere/x", "/dev/null", "/"):
        complains(forestgomp("run", "--trace", place, program), 125, place, "--trace")
        result = forestgomp("run", program, env={"FGOMP_TRACE": place})
        lines = result.stderr.strip().splitlines()
        expect(result.returncode == 3 and len(lines) == 1 and place in lines[0] and "nothing is traced" in lines[0], result.stderr)
    result, file = traced(options=["--trace-size", "64K"])
    expect(result.returncode == 3 and not result.stderr, result.stderr)
    check_regions(json.loads(forestgomp("trace", file, "--json").stdout))


def test_trace_of_a_region_in_a_child():
    """The file belongs to the process that made it: a fork of it adds nothing."""
    folder, _ = nested()
    program = pathlib.Path(folder.name) / "forks"
    program.with_suffix(".c").write_text(
        "#include <sys/wait.h>\n#include <unistd.h>\nstatic void region(void) {\n#pragma omp parallel num_threads(2)\n"
        "{ __asm__ volatile(\"\"); } }\n"
        "int main(void) { region(); if (!fork()) { region(); return 0; } wait(0); region(); return 0; }\n")
    compiled(program, "-fopenmp", program.with_suffix(".c"))
    file = pathlib.Path(folder.name) / "forks.fgt"
    result = forestgomp("run", "--trace", file, program)
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    table = json.loads(forestgomp("trace", file, "--json").stdout)
    expect(table["regions"][0]["calls"] == 2 and not table["note"], str(table))


def test_run_with_stats():
    folder, program = nested()
    result = forestgomp("run", "--stats", program)
    expect(result.returncode == 3 and result.stdout == "its own words\n", result.stderr)
    expect("inner" in result.stderr and "imbalance" in result.stderr and "\033" not in result.stderr, result.stderr)
    result = forestgomp("run", "--stats", "--json", program, "exit")
    expect(result.returncode == 7, f"status {result.returncode}")
    check_regions(json.loads(result.stderr))
    expect(forestgomp("run", "--stats", program, "kill").returncode == -9, "the program's own end")
    file = pathlib.Path(folder.name) / "kept.fgt"
    result = forestgomp("run", "--stats", "--json", "--trace", file, program)
    check_regions(json.loads(result.stderr))
    check_regions(json.loads(forestgomp("trace", file, "--json").stdout))
    complains(forestgomp("run", "--stats", "true"), 0, "no parallel region")
    complains(forestgomp("run", "--stats", "/no/such/program"), 127, "there is no program")
