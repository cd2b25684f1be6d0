"""`forestgomp run --stats`: where the time went, for short regions, long runs, C++ and Fortran."""
import functools
import json
import pathlib
import shutil
import subprocess
import tempfile

from testing import LIMIT, Missing, complains, expect, forestgomp


@functools.lru_cache
def folder():
    kept = tempfile.TemporaryDirectory()
    return kept, pathlib.Path(kept.name)


@functools.lru_cache
def program(name, text, compiler="gcc", suffix=".c"):
    target = folder()[1] / name
    target.with_suffix(suffix).write_text(text)
    subprocess.run([compiler, "-fopenmp", "-O1", "-g", target.with_suffix(suffix), "-o", target], check=True, timeout=LIMIT,
                   cwd=target.parent)  # gfortran leaves the files of modules there
    return target


# The inner region comes first for gcc, the outer one in the source. In `uneven` the other member has done its work before a
# member begins with its own.
PARTS = """#include <omp.h>
#include <stdlib.h>
static volatile int done; static void burn(double s) { for (double end = omp_get_wtime() + s; omp_get_wtime() < end;); }
static void uneven(void) { done = 0;
#pragma omp parallel num_threads(2)
{ if (omp_get_thread_num()) while (!done); burn(0.01); done = 1; if (omp_get_thread_num()) burn(0.01); } }
static void nested(void) {
#pragma omp parallel num_threads(1)
{ burn(0.001);
#pragma omp parallel num_threads(2)
burn(0.005); } }
static void tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
for (int i = 0; i < 50; i++)
#pragma omp task
burn(0.0001); }
static void barriers(int n) {
#pragma omp parallel num_threads(2)
for (int i = 0; i < n; i++) {
#pragma omp barrier
} }
int main(int argc, char **argv) { omp_set_max_active_levels(4); burn(0.1);
for (int i = 0; i < 5; i++) { uneven(); nested(); tasks(); }
barriers(atoi(argv[1])); return 0; }
"""

SHORT = """static void tiny(void) {
#pragma omp parallel num_threads(2)
{ __asm__ volatile(""); } }
int main(void) { for (int i = 0; i < 300000; i++) tiny(); return 0; }
"""

# Calls of one region at two depths, on two workers at a time; the end comes after a number that no sample tells.
KILLED = """#include <signal.h>
static void tiny(void) {
#pragma omp parallel num_threads(2)
{ __asm__ volatile(""); } }
int main(void) {
for (int i = 0; i < 12345; i++) tiny();
#pragma omp parallel num_threads(2)
for (int i = 0; i < 5432; i++) tiny();
for (int i = 0; i < 1234; i++) tiny();
raise(SIGKILL); }
"""


def stats(*words, options=()):
    result = forestgomp("run", "--stats", "--json", *options, *words)
    expect(result.returncode == 0, result.stderr)
    return json.loads(result.stderr)


def by_name(table):
    return {region["region"]: region for region in table["regions"]}


def test_the_first_question():
    table = stats(program("parts", PARTS), "100")
    regions = by_name(table)
    expect(table["complete"] and not table["note"] and table["regions_met"] == 21, str(table))
    expect(0.1e9 <= table["outside_ns"] < table["time_ns"] and table["time_ns"] > 0.25e9 and table["cpu_ns"] > 0, str(table))
    inside = sum(region["time_ns"] for region in table["regions"] if not region["nested"])
    expect(abs(table["time_ns"] - table["outside_ns"] - inside) < 0.001 * table["time_ns"], f"{inside} {table['time_ns']} {table['outside_ns']}")
    uneven = regions["uneven"]
    expect(uneven["calls"] == uneven["timed_calls"] == 5 and uneven["time_ns"] >= 5 * 0.03e9, str(uneven))
    # One works for 30 ms, the other for 10 ms and waits for 20: half of that is what balance would save. Other programs make
    # all of these longer, so only the directions are sure.
    expect(0.02 < uneven["imbalance"] < 1 and 0.02 < uneven["saves_ns"] / uneven["time_ns"] < 1, str(uneven))
    expect(0.5 < uneven["speedup_at_most"] < 2.01, str(uneven))
    expect(regions["tasks"]["tasks"] > 0 and regions["barriers"]["calls"] == 1, str(regions))


def test_sums_are_those_of_the_trace():
    """Where other programs have the PUs, the times say nothing. So those of one of some runs must be right."""
    file, tried = folder()[1] / "both.fgt", []
    while len(tried) < 10 and not (tried and all(map(times_are_right, tried[-1]))):
        summed = by_name(stats(program("parts", PARTS), "100", options=["--trace", file]))
        # Without the sums the table is made of the events.
        traced = by_name(json.loads(forestgomp("trace", file, "--json").stdout))
        expect(set(summed) == set(traced), f"{set(summed)} {set(traced)}")
        forestgomp("run", "--trace", file, program("parts", PARTS), "100")
        traced = by_name(json.loads(forestgomp("trace", file, "--json").stdout))
        for name, region in traced.items():
            for key in ("calls", "threads_min", "threads_max", "nested", "line"):
                expect(summed[name][key] == region[key], f"{name} {key}: {summed[name]} {region}")
        tried.append((summed["uneven"], traced["uneven"]))
    expect(all(map(times_are_right, tried[-1])), str(tried[-1]))


def times_are_right(uneven):
    time = uneven["time_ns"]
    return (time >= 5 * 0.03e9 and 0 < uneven["saves_ns"] < time and 0.5 < uneven["speedup_at_most"] < 2.01 and
            time < uneven["work_ns"] < 2 * time and 0 < uneven["cpu_ns"] < 2.01 * time)


def test_short_regions_are_estimated():
    """300,000 calls, of which a part is timed: the times are those of all, and add up to the run's. Where another program has
    the PU within a timed call, the sum is too large. So one of some runs must do."""
    parts = []
    while len(parts) < 10 and not (parts and 0.5 < parts[-1] < 1.05):
        table = stats(program("short", SHORT))
        tiny = table["regions"][0]
        expect(table["complete"] and tiny["calls"] == 300000 and tiny["timed_calls"] < 300000, str(tiny))
        parts.append(tiny["time_ns"] / table["time_ns"])
    expect(0.5 < parts[-1] < 1.05, str(parts))


def test_calls_of_a_killed_program_are_exact():
    """Calls that are not timed are counted ahead, and those that did not come are not told."""
    result = forestgomp("run", "--stats", "--json", program("killed", KILLED), env={"OMP_MAX_ACTIVE_LEVELS": "2"})
    tiny = by_name(json.loads(result.stderr))["tiny"]
    expect(result.returncode == -9 and tiny["calls"] == 12345 + 2 * 5432 + 1234 and tiny["timed_calls"] < tiny["calls"] // 2, str(tiny))


def test_tasks_outside_of_regions():
    """A task with dependences is deferred there, and belongs to no call."""
    outside = program("outside", """int main(void) { int x = 0;
#pragma omp task depend(out: x) shared(x)
x = 1;
#pragma omp taskwait
#pragma omp parallel num_threads(2)
__asm__ volatile("");
return !x; }
""")
    expect(stats(outside)["regions_met"] == 1, "")


def test_a_region_in_a_task_of_a_barrier():
    """The member that runs the task waits at a barrier that is not timed. Its own region computes all the time."""
    barrier = program("barrier_task", PARTS.split("static void uneven")[0] + """
static void inner(void) {
#pragma omp parallel num_threads(1)
{
#pragma omp barrier
burn(0.003);
#pragma omp barrier
} }
int main(void) { omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
for (int i = 0; i < 12; i++) {
for (int k = 0; k < 3000; k++) {
#pragma omp barrier
}
if (omp_get_thread_num() == 0) {
#pragma omp task
inner();
}
#pragma omp barrier
} }
""")
    inner = by_name(stats(barrier))["inner"]
    expect(inner["calls"] == 12 and inner["waited_ns"] < 0.02 * inner["time_ns"], str(inner))


def test_whole_where_a_trace_is_not():
    """D5: the sums are of the whole run, and a trace says that it is not."""
    file = folder()[1] / "part.fgt"
    table = stats(program("short", SHORT), options=["--trace", file, "--trace-size", "64K"])
    expect(table["complete"] and table["regions"][0]["calls"] == 300000, str(table))
    forestgomp("run", "--trace", file, "--trace-size", "64K", program("short", SHORT))
    table = json.loads(forestgomp("trace", file, "--json").stdout)
    expect(not table["complete"] and table["events_lost"] > 0, str(table)[:400])


def test_places_and_numbers():
    """Regions of one function are numbered as the source has them; libdw tells the lines."""
    table = stats(program("parts", PARTS), "1")
    if not table["regions"][0]["line"]:
        raise Missing("lines: libdw (scripts/install-deps build)")
    lines = {name: region["line"] for name, region in by_name(table).items()}
    expect(lines == {"uneven": 5, "nested, region 1": 8, "nested, region 2": 10, "tasks": 13, "barriers": 19}, str(lines))
    expect(all(region["file"].endswith("parts.c") for region in table["regions"]), str(table))
    text = forestgomp("run", "--stats", program("parts", PARTS), "1").stderr
    expect("parts.c:10" in text and "outside of parallel regions" in text, text)


CPP = """namespace solver { template <class T> struct Grid { T sum(T x) {
#pragma omp parallel num_threads(2) reduction(+ : x)
x += 1;
return x; } }; }
namespace { int hidden(int x) {
#pragma omp parallel num_threads(2) reduction(+ : x)
x += 1;
return x; } }
template <class T> T made(T x) {
#pragma omp parallel num_threads(2) reduction(+ : x)
x += 1;
return x; }
int main() { solver::Grid<double> g; auto f = [](int x) {
#pragma omp parallel num_threads(2) reduction(+ : x)
x += 1;
return x; };
return int(g.sum(0)) + hidden(0) + made<int>(0) + f(0) == 0; }
"""

FORTRAN = """module heat
contains
subroutine step(n)
integer :: n
!$omp parallel num_threads(2) reduction(+ : n)
n = n + 1
!$omp end parallel
end subroutine
end module
subroutine outer(n)
integer :: n
!$omp parallel num_threads(2) reduction(+ : n)
n = n + 1
!$omp end parallel
end subroutine
program main
use heat
integer :: n
n = 0
call step(n)
call outer(n)
end program
"""


def test_names():
    """D15: as the programmer wrote them."""
    if not shutil.which("g++"):
        raise Missing("g++")
    names = set(by_name(stats(program("cpp", CPP, "g++", ".cpp"))))
    expect({"solver::Grid<double>::sum", "(anonymous namespace)::hidden", "made<int>"} <= names, str(names))
    expect(any("lambda" in name for name in names) and len(names) == 4, str(names))
    if not shutil.which("gfortran"):
        raise Missing("gfortran")
    names = set(by_name(stats(program("fortran", FORTRAN, "gfortran", ".f90"))))
    expect(names == {"heat::step", "outer"}, str(names))


def test_long_names_are_whole_in_a_pipe():
    name = "a_name_" + "that_is_long_" * 12 + "end"
    text = forestgomp("run", "--stats", program("long", SHORT.replace("tiny", name).replace("300000", "3"))).stderr
    expect(name in text, text)


def test_stats_in_a_file_and_the_top():
    file = folder()[1] / "stats.json"
    result = forestgomp("run", f"--stats={file}", "--json", "--top", "2", program("parts", PARTS), "1")
    expect(result.returncode == 0 and not result.stderr and not result.stdout, result.stderr)
    expect(len(json.loads(file.read_text())["regions"]) == 2, file.read_text())
    result = forestgomp("run", "--stats", "--top", "1", program("parts", PARTS), "1")
    expect("and 4 more regions" in result.stderr, result.stderr)
    complains(forestgomp("run", "--top", "1", "true"), 125, "--stats")


def test_nothing_stays():
    """The sums go when the table is printed, whatever ends the program."""
    place = folder()[1] / "tmp"
    place.mkdir()
    forestgomp("run", "--stats", program("short", SHORT), env={"TMPDIR": str(place)})
    forestgomp("run", "--stats", "sh", "-c", "kill -9 $$", env={"TMPDIR": str(place)})
    expect(not list(place.iterdir()), str(list(place.iterdir())))


def test_a_program_that_ends_as_if_it_had_not_started():
    """A shell ends with 126 or 127, too, after its programs have run."""
    with tempfile.TemporaryDirectory() as temporary:
        for status in (126, 127):
            words = ("sh", "-c", f"{program('parts', PARTS)} 2; exit {status}")
            result = forestgomp("run", "--stats", *words, env={"TMPDIR": temporary})
            expect(result.returncode == status and "uneven" in result.stderr, f"{result.returncode}: {result.stderr}")
            expect(not list(pathlib.Path(temporary).iterdir()), "the folder of the sums is left")
        missing = forestgomp("run", "--stats", "/no/such/program", env={"TMPDIR": temporary})
        complains(missing, 127, "there is no program")
        expect(not list(pathlib.Path(temporary).iterdir()), "the folder of the sums is left")
