"""`forestgomp run --trace` and `--stats`, and `forestgomp trace`: tables, pages, and traces of programs that end
badly."""
import functools
import json
import pathlib
import tempfile

from testing import compiled, complains, expect, forestgomp


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


def test_trace_perfetto():
    _, file = traced()
    events = json.loads(forestgomp("trace", file, "--perfetto", "-").stdout)["traceEvents"]
    members = [event for event in events if event["ph"] == "X"]
    expect(len(members) >= 15 and all(event["dur"] > 0 and event["ts"] >= 0 for event in members), "members")
    expect({"inner", "outer"} <= {event["name"] for event in members}, "names")
    expect(any(event["name"] == "put" for event in events), "marks")


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
        complains(forestgomp("run", "--trace", place, program), 2, place, "--trace")
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
