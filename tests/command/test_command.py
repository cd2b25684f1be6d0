#!/usr/bin/env python3
"""Tests of the command `forestgomp` in a build folder: what it prints, its exit statuses, its one-line complaints.

Usage: tests/command/test_command.py BUILD. Prints a line "PASS name" or "FAIL name: why" for each test, "SKIP name: why" where it needs more PUs."""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
COMMAND = BUILD / "bin" / "forestgomp"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PUS = len(os.sched_getaffinity(0))
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "FGOMP_", "LD_"))}
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def call(*words, env=None):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=30, env={**CLEAN, **(env or {})})


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def complains(result, status, *words):
    """One line on stderr that holds the words, nothing on stdout."""
    expect(result.returncode == status, f"exit status {result.returncode}, not {status}")
    lines = result.stderr.strip().splitlines()
    expect(len(lines) == 1 and not result.stdout, f"not one line: {result.stderr!r} {result.stdout!r}")
    for word in words:
        expect(word in lines[0], f"{word!r} is not in {lines[0]!r}")


@test
def help_of_each():
    for words in (["--help"], ["run", "--help"], ["sim", "--help"], ["topo", "--help"], ["info", "--help"], ["trace", "--help"]):
        result = call(*words)
        expect(result.returncode == 0 and "forestgomp" in result.stdout and not result.stderr, str(words))


@test
def wrong_topology_file():
    result = call("topo", "--topology", "/nowhere.xml")
    built_without = "built without hwloc" in result.stderr
    complains(result, 2, "accepted" if built_without else "cannot be opened")
    if built_without:
        print("MISSING wrong_topology_file: hwloc (scripts/install-deps build, then build anew)")


@test
def wrong_calls():
    complains(call("rnu"), 2, "rnu", "run, sim, topo, info, trace")
    complains(call("run"), 2, "which program")
    complains(call("run", "--slcie=4ms", "true"), 2, "--slcie=4ms")
    complains(call("run", "--slice", "soon", "true"), 2, "soon", "accepted")
    complains(call("run", "--sched=fair", "true"), 2, "fair", "spread, compact")
    complains(call("run", "--threads"), 2, "--threads needs a value")
    complains(call("topo", "--png", "x"), 2, "--png")
    complains(call("topo", "--topology", "cake:3"), 2, "cake:3", "accepted")
    complains(call("topo", "--svg", "/nowhere/x.svg"), 1, "/nowhere/x.svg")
    complains(call("info", "--jsn"), 2, "--jsn")
    complains(call("trace"), 2, "which file")
    complains(call("trace", "a", "b"), 2, "'b'")
    complains(call("trace", "a", "--from", "soon"), 2, "soon", "accepted")
    complains(call("trace", "/nowhere"), 1, "/nowhere", "No such file")
    complains(call("trace", "/etc/passwd"), 1, "no trace")
    complains(call("trace", "/dev/null"), 1, "no trace")
    complains(call("run", "--json", "true"), 2, "--stats")
    complains(call("run", "--trace-size", "much", "true"), 2, "much", "accepted")
    complains(call("run", "--stuck", "10ms", "true"), 2, "10ms", "accepted: 0 (never), or a time from 1s to 24h")
    complains(call("run", "--stuck"), 2, "--stuck needs a value")
    complains(call("run", "true", env={"FGOMP_SCHED": "steal+l3:cache+L3:random"}), 0, "'L3' has a policy already", "accepted", "using default")
    complains(call("run", "true", env={"FGOMP_SCHED": "steal," + "x" * 2000}), 0, "no option 'xxx", "accepted", "using default")
    complains(call("run", "true", env={"FGOMP_SCHED": "steal\nor,so\t\x1b[7m"}), 0, "steal\\nor,so\\x09\\x1b[7m", "using default")


@test
def run_sets_variables():
    result = call("run", "-n", "4,2", "--levels=2", "--slice", "2ms", "--stuck", "30", "--verbose", "--", "env",
                  env={"LD_LIBRARY_PATH": "/lib", "FGOMP_SLICE": "1ms"})
    expect(result.returncode == 0, result.stderr)
    have = dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
    expect(have.get("OMP_NUM_THREADS") == "4,2", "OMP_NUM_THREADS")
    expect(have.get("OMP_MAX_ACTIVE_LEVELS") == "2", "OMP_MAX_ACTIVE_LEVELS")
    expect(have.get("FGOMP_SLICE") == "2ms", "FGOMP_SLICE")
    expect(have.get("FGOMP_VERBOSE") == "true", "FGOMP_VERBOSE")
    expect(have.get("FGOMP_STUCK") == "30", "FGOMP_STUCK")
    folder = have["LD_LIBRARY_PATH"].split(":")
    expect(folder[1:] == ["/lib"] and (pathlib.Path(folder[0]) / "libgomp.so.1").exists(), "LD_LIBRARY_PATH")
    expect(have["LD_PRELOAD"] == folder[0] + "/libgomp.so.1", "LD_PRELOAD")


@test
def run_statuses():
    expect(call("run", "sh", "-c", "exit 7").returncode == 7, "the program's own status")
    complains(call("run", "/no/such/program"), 127, "there is no program '/no/such/program'")
    complains(call("run", "--", "no-such-program"), 127, "no-such-program")
    complains(call("run", "/etc/passwd"), 126, "/etc/passwd")


NESTED_SUM = r"""
#include <omp.h>
int main(void) {
	int n = 0;
	omp_set_max_active_levels(3);
	for (int i = 0; i < 200; i++)
#pragma omp parallel num_threads(2) reduction(+ : n)
#pragma omp parallel num_threads(4) reduction(+ : n)
#pragma omp parallel num_threads(2) reduction(+ : n)
	n++;
	return n != 200 * 16; }
"""


def table_of(*functions):
    return '.abi = FGOMP_SCHED_ABI, .name = "sad", .summary = "x"' + "".join(f", .{name} = {name}" for name in functions)


# Each is the middle of a plug-in: functions, and what they add to the table.
BAD_POLICIES = {
    "wrong_abi": ("", ".abi = FGOMP_SCHED_ABI + 7, .name = \"x\", .summary = \"x\"", ["version 10", "has version 3", "using default"]),
    "no_name": ("", ".abi = FGOMP_SCHED_ABI", ["no name", "using default"]),
    "does_not_start": ("static int start(void *self) { return 1; }", table_of("start"), ["sad does not start", "using default"]),
    "loses_a_newborn": ("static struct fg_runqueue *born(void *self, struct fg_bubble *b, struct fg_runqueue *range, struct fg_runqueue *leaf)"
                        " { return 0; }", table_of("born"), ["sad has lost 1", "default does its work"]),
    "loses_members": ("static struct fg_runqueue *born(void *self, struct fg_bubble *b, struct fg_runqueue *range, struct fg_runqueue *leaf)"
                      " { struct fg_entity *e[99]; fgomp_bubble_burst(b, e); fgomp_put(e[0], leaf); return 0; }",
                      table_of("born"), ["sad has lost", "default does its work"]),
    "loses_in_idle": ("static bool idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim) {"
                      " struct fg_runqueue *up = fgomp_queue_parent(leaf); if (!up) return false;"
                      " for (unsigned i = 0; i < fgomp_queue_n_children(up); i++) { struct fg_runqueue *q = fgomp_queue_child(up, i);"
                      " fgomp_queue_lock(q); struct fg_entity *e = fgomp_holder_first(fgomp_queue_holder(q)); if (e) fgomp_take(e);"
                      " fgomp_queue_unlock(q); } return false; }", table_of("idle"), ["sad has lost", "default does its work"]),
    "puts_twice": ("static struct fg_runqueue *born(void *self, struct fg_bubble *b, struct fg_runqueue *range, struct fg_runqueue *leaf)"
                   " { struct fg_entity *e = fgomp_bubble_entity(b); fgomp_put(e, leaf); fgomp_put(e, leaf); return leaf; }",
                   table_of("born"), ["sad has put", "default does its work"]),
    "moves_nothing": ("static struct fg_runqueue *born(void *self, struct fg_bubble *b, struct fg_runqueue *range, struct fg_runqueue *leaf)"
                      " { struct fg_runqueue *up = fgomp_queue_parent(leaf); return up ? up : leaf; }"
                      " static bool met(void *self, struct fg_bubble *b, struct fg_runqueue *leaf) { return true; }",
                      table_of("born", "met"), ["sad has told a PU", "default does its work"]),
    "moves_to_and_fro": ("static struct fg_runqueue *born(void *self, struct fg_bubble *b, struct fg_runqueue *range, struct fg_runqueue *leaf)"
                         " { struct fg_runqueue *up = fgomp_queue_parent(leaf); return up ? up : leaf; }"
                         " static bool met(void *self, struct fg_bubble *b, struct fg_runqueue *leaf) {"
                         " struct fg_entity *e = fgomp_bubble_entity(b); struct fg_runqueue *q = fgomp_holder_queue(fgomp_entity_holder(e));"
                         " fgomp_take(e); fgomp_put_locked(e, q); return true; }",
                         table_of("born", "met"), ["sad has told a PU", "default does its work"]),
    "claims_and_denies": ("static bool idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim) {"
                          " struct fg_runqueue *up = fgomp_queue_parent(leaf);"
                          " for (unsigned i = 0; up && i < fgomp_queue_n_children(up); i++)"
                          " fgomp_claim_oldest(fgomp_queue_child(up, i), true, claim); return false; }",
                          table_of("idle"), []),
}


@test
def plugins_that_are_bad():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = folder / "nested"
        program.with_suffix(".c").write_text(NESTED_SUM)
        subprocess.run(["gcc", "-fopenmp", "-O1", program.with_suffix(".c"), "-o", program], check=True, timeout=60)

        # Whether `met` is asked, or `idle` finds something, is a matter of chance: only if another PU looks before the members have begun.
        def says(plugin, words):
            by_chance = plugin.stem in ("moves_nothing", "moves_to_and_fro", "loses_in_idle")
            if by_chance and PUS == 1:
                print(f"SKIP plugins_that_are_bad {plugin.stem}: it needs two PUs")
                return
            chances = 100 if by_chance else 1
            for _ in range(3):
                while True:
                    result = call("run", program, env={"FGOMP_SCHED": str(plugin), "OMP_NUM_THREADS": "2"})
                    expect(result.returncode == 0, f"{plugin}: status {result.returncode}, {result.stderr!r}")
                    chances -= 1
                    if chances < 1 or result.stderr:
                        break
                lines = [line for line in result.stderr.splitlines() if line]
                expect(len(lines) == (1 if words else 0), f"{plugin}: not one line: {result.stderr!r}")
                for word in words:
                    expect(word in lines[0], f"{plugin}: {word!r} is not in {lines[0]!r}")

        says(folder / "nothing.so", ["nothing.so", "cannot open", "using default"])
        for name, (functions, table, words) in {"no_symbol": ("", None, ["does not define fgomp_sched_plugin"]), **BAD_POLICIES}.items():
            source = folder / (name + ".c")
            source.write_text("#include <forestgomp/sched.h>\n" + functions +
                              (f"\nconst struct fgomp_sched fgomp_sched_plugin = {{{table}}};\n" if table else "\nint nothing;\n"))
            subprocess.run(["gcc", "-O1", "-w", "-shared", "-fPIC", "-I", ROOT / "include", source, "-o", source.with_suffix(".so")],
                           check=True, timeout=60)
            says(source.with_suffix(".so"), words)
        for name in ("does_not_start", "no_name"):
            result = call("run", "cat", "/proc/self/maps", env={"FGOMP_SCHED": str(folder / (name + ".so"))})
            expect("using default" in result.stderr and name not in result.stdout, f"{name}.so stays loaded")


@test
def plugin_of_the_example():
    with tempfile.TemporaryDirectory() as folder:
        example, plugin = ROOT / "examples" / "scheduler", pathlib.Path(folder) / "heavy.so"
        expect(len((example / "heavy.c").read_text().splitlines()) < 100, "the example has 100 lines or more")
        subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I", ROOT / "include", example / "heavy.c",
                        "-o", plugin], check=True, timeout=60)
        subprocess.run(["gcc", "-Wall", "-O2", "-fopenmp", "-I", ROOT / "include", example / "zones.c", "-o", folder + "/zones"],
                       check=True, timeout=60)
        for options in ("", ",few=8"):
            result = call("run", folder + "/zones", env={"FGOMP_SCHED": f"{plugin}{options}"})
            expect(result.returncode == 0 and "mean 2.000000" in result.stdout and not result.stderr, f"{options}: {result}")
        result = call("run", "true", env={"FGOMP_SCHED": f"{plugin},tiny=3"})
        complains(result, 0, "heavy has no option 'tiny'")


# It says what it is told of memory: of the members of a new team, of all areas, and why.
TELLS_AREAS = r"""
#include <forestgomp/sched.h>
#include <stdio.h>
#include <unistd.h>
static void say(const char *what, int who, const struct fg_entity *entity, bool whole) {
	struct fgomp_area area[9];
	size_t on[64];
	unsigned n = fgomp_entity_areas(entity, whole, area, 9), allocated = 0, access = 0;
	size_t bytes = fgomp_entity_memory(entity, whole, on, 64), known = 0;
	for (unsigned i = 0; i < n; i++) { allocated += area[i].allocated; access |= area[i].access; }
	for (unsigned i = 0; i < 64; i++) known += on[i];
	char text[200];
	int length = snprintf(text, sizeof text, "%s %d: %u areas, %u allocated, access %u, %zu bytes, %zu touched\n", what, who, n, allocated,
			      access, bytes, known);
	if (write(1, text, length) < 0) _exit(9); }
static void members(const char *what, struct fg_bubble *team, struct fg_runqueue *level) {
	struct fg_entity *member[99];
	unsigned n = fgomp_bubble_burst(team, member);
	for (unsigned i = 0; i < n; i++) {
		say(what, fgomp_entity_number(member[i]), member[i], false);
		fgomp_put(member[i], fgomp_queue_of_pu(level, fgomp_queue_first_pu(level) + i % fgomp_queue_n_pus(level))); } }
static void place(void *self, struct fg_bubble *team, struct fg_runqueue *top) { members("place", team, top); }
static struct fg_runqueue *born(void *self, struct fg_bubble *team, struct fg_runqueue *range, struct fg_runqueue *leaf) {
	say("team", 0, fgomp_bubble_entity(team), true);
	members("born", team, leaf);
	return NULL; }
static void changed(void *self, enum fgomp_change change, struct fg_runqueue *level) { say("changed", change, NULL, true); }
static bool idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim) { return false; }
const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI, .name = "tells", .summary = "x", .place = place, .born = born,
	.changed = changed, .idle = idle, .areas = AREAS};
"""

TOLD_AREAS = r"""
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#pragma weak fgomp_add_next_team_area
#pragma weak fgomp_add_next_team_member_area
#pragma weak fgomp_attach_area
#pragma weak fgomp_detach_area
static char memory[8 << 12] __attribute__((aligned(4096)));
static void inner(int turn) {
	fgomp_add_next_team_area(memory, (8 - turn) << 12, FGOMP_READ); /* what was told before is forgotten */
	fgomp_add_next_team_member_area(2, memory, 100, FGOMP_WRITE);
	fgomp_add_next_team_member_area(7, memory, 200, FGOMP_WRITE); /* there is none */
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1) {
		fgomp_attach_area(memory + 4096, 4096, FGOMP_READ);
		fgomp_attach_area(memory + 4096, 4096, FGOMP_READ); /* nothing new */
		fgomp_attach_area(memory + 4096, 4096, FGOMP_READ_WRITE);
		fgomp_detach_area(memory + 4096, 4096); } }
static void block(void) {
	omp_alloctrait_t traits[] = {{omp_atk_pinned, omp_atv_true}, {omp_atk_partition, omp_atv_interleaved}};
	omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
	char *mine = omp_alloc(16384, allocator);
	fgomp_attach_area(mine, 16384, FGOMP_WRITE);
	fgomp_attach_area(mine + 4096, 4096, FGOMP_WRITE);
	omp_free(mine, allocator);
	omp_destroy_allocator(allocator); }
static void child(void) { /* knows nothing of what was, and may go on */
	fgomp_attach_area(memory, 1000, FGOMP_READ);
	if (fork() == 0) {
		fgomp_attach_area(memory, 2000, FGOMP_READ);
		fgomp_detach_area(memory, 2000);
		_exit(0); }
	wait(NULL);
	fgomp_detach_area(memory, 1000); }
static void wrong(void) {
	fgomp_attach_area(NULL, 4096, FGOMP_READ);
	fgomp_attach_area(memory, 0, FGOMP_READ);
	fgomp_attach_area(memory, (size_t)-1, FGOMP_READ);
	fgomp_attach_area(memory, 1, 0);
	fgomp_add_next_team_area(memory, 1, 4);
	fgomp_detach_area(memory, 123); }
int main(int argc, char **argv) {
	if (!fgomp_attach_area) { puts("another runtime"); return 0; }
	omp_set_max_active_levels(2);
	memset(memory, 1, 3 << 12);
	if (*argv[1] == 'w') fgomp_attach_area(memory, 1, FGOMP_READ); /* outside */
	for (int i = 0; i < 2; i++) {
		fgomp_add_next_team_member_area(1, memory, 4096, FGOMP_WRITE);
#pragma omp parallel num_threads(2)
		if (omp_get_thread_num() == 1 && *argv[1] == 'w') wrong();
		else if (omp_get_thread_num() == 1 && *argv[1] == 'a') block();
		else if (omp_get_thread_num() == 1 && *argv[1] == 'f') child();
		else if (omp_get_thread_num() == 1) inner(i);
		fflush(stdout); }
	return 0; }
"""


def areas_built(folder):
    """The plug-in, keeping book of areas or not, and the program."""
    folder = pathlib.Path(folder)
    (folder / "tells.c").write_text(TELLS_AREAS)
    (folder / "told.c").write_text(TOLD_AREAS)
    plugins = []
    for areas in ("true", "false"):
        plugins.append(folder / f"tells-{areas}.so")
        subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-I", ROOT / "include", f"-DAREAS={areas}", folder / "tells.c", "-o",
                        plugins[-1]], check=True, timeout=60)
    subprocess.run(["gcc", "-fopenmp", "-O1", "-w", "-I", ROOT / "include", folder / "told.c", "-o", folder / "told"], check=True, timeout=60)
    return *plugins, folder / "told"


@test
def plugin_is_told_of_areas():
    with tempfile.TemporaryDirectory() as folder:
        plugin, without, program = areas_built(folder)
        placed = ["place 0: 0 areas, 0 allocated, access 0, 0 bytes, 0 touched",
                  "place 1: 1 areas, 0 allocated, access 2, 4096 bytes, 4096 touched"] if PUS > 1 else []
        nested = [line for bytes in (32768, 28672) for line in (
            f"team 0: 2 areas, 0 allocated, access 3, {bytes + 100} bytes, 12388 touched",
            f"born 1: 1 areas, 0 allocated, access 1, {bytes} bytes, 12288 touched",
            f"born 2: 2 areas, 0 allocated, access 3, {bytes + 100} bytes, 12388 touched",
            f"changed 1: 4 areas, 0 allocated, access 3, {bytes + 8292} bytes, 20580 touched",
            f"changed 1: 4 areas, 0 allocated, access 3, {bytes + 8292} bytes, 20580 touched",
            f"changed 1: 3 areas, 0 allocated, access 3, {bytes + 4196} bytes, 16484 touched")]
        blocks = ["changed 2: 2 areas, 1 allocated, access 2, 20480 bytes, 20480 touched",
                  "changed 1: 2 areas, 1 allocated, access 2, 20480 bytes, 20480 touched",
                  "changed 1: 3 areas, 1 allocated, access 2, 24576 bytes, 24576 touched",
                  "changed 2: 1 areas, 0 allocated, access 2, 4096 bytes, 4096 touched"]
        children = [f"changed 1: {line}" for line in (
            "2 areas, 0 allocated, access 3, 5096 bytes, 5096 touched", "1 areas, 0 allocated, access 1, 2000 bytes, 2000 touched",
            "0 areas, 0 allocated, access 0, 0 bytes, 0 touched", "1 areas, 0 allocated, access 2, 4096 bytes, 4096 touched")]
        for case, wanted in (("f", placed + children + children), ("n", placed + nested), ("a", placed + blocks + blocks)):
            result = call("run", program, case, env={"FGOMP_SCHED": str(plugin)})
            expect(result.returncode == 0 and not result.stderr, f"{case}: {result}")
            expect(result.stdout.splitlines() == wanted, f"{case}: {result.stdout}")
        result = call("run", program, "n", env={"FGOMP_SCHED": str(without)})
        expect("0 areas" in result.stdout and not re.search("[1-9][0-9]* areas", result.stdout) and "changed" not in result.stdout,
               f"without areas: {result}")
        other = subprocess.run([program, "n"], capture_output=True, text=True, timeout=30, env=CLEAN)
        expect(other.returncode == 0 and other.stdout == "another runtime\n" and not other.stderr, f"{other}")


@test
def areas_that_are_none():
    with tempfile.TemporaryDirectory() as folder:
        plugin, _, program = areas_built(folder)
        once = ["fgomp_attach_area: (nil), 4096 bytes", "fgomp_attach_area: 0x", "fgomp_attach_area: 0x", "has no access: FGOMP_READ",
                "fgomp_add_next_team_area: 0x", "fgomp_detach_area: the calling thread is not attached to 123 bytes"]
        for sched, wanted in ((str(plugin), ["outside of a parallel region"] + 2 * once), ("default", 2 * once[:-1])):
            result = call("run", program, "w", env={"FGOMP_SCHED": sched, "FGOMP_VERBOSE": "true"})
            lines = [line for line in result.stderr.splitlines() if "fgomp_" in line]
            expect(result.returncode == 0 and len(lines) == len(wanted), f"{sched}: {result}")
            for line, words in zip(lines, wanted):
                expect(words in line and line.endswith("it is ignored"), f"{sched}: {words!r} is not in {line!r}")
            result = call("run", program, "w", env={"FGOMP_SCHED": sched})
            expect(result.returncode == 0 and not result.stderr, f"{sched}, not asked to tell: {result}")


COUNTS = r"""
#include <forestgomp/sched.h>
#include <stdio.h>
#include <unistd.h>
struct counts { double event, above; int said; };
static const char *const events[] = {"none", "remote", "misses", "faults", NULL};
static const struct fgomp_sched_option options[] = {{"event", "x", offsetof(struct counts, event), 3, 0, 9, events},
	{"above", "x", offsetof(struct counts, above), 1000, -1, 1e12}, {0}};
static void counters(void *self, struct fgomp_counters *wanted) {
	struct counts *counts = self;
	*wanted = (struct fgomp_counters){(enum fgomp_event)counts->event, counts->above, 5000000}; }
static void changed(void *self, enum fgomp_change change, struct fg_runqueue *level) {
	struct counts *counts = self;
	char text[99];
	struct fg_runqueue *top = level;
	while (fgomp_queue_parent(top)) top = fgomp_queue_parent(top);
	bool right = fgomp_queue_n_pus(level) == 1 && fgomp_queue_events(level) > counts->above && fgomp_queue_events(top) >= fgomp_queue_events(level);
	if (counts->said++ == 0 && write(1, text, snprintf(text, sizeof text, "changed %d %s\n", change, right ? "right" : "wrong")) < 0) _exit(9); }
const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI, .name = "counts", .summary = "x", .size = sizeof(struct counts),
	.options = options, .counters = counters, .changed = changed};
"""

FAULTS = r"""
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
	for (double end = omp_get_wtime() + 0.4; omp_get_wtime() < end;)
#pragma omp parallel num_threads(2)
	{ char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(p, 1, 1 << 20); munmap(p, 1 << 20); }
	return 0; }
"""


@test
def plugin_is_told_of_counters():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "counts.c").write_text(COUNTS)
        (folder / "faults.c").write_text(FAULTS)
        subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-I", ROOT / "include", folder / "counts.c", "-o", folder / "counts.so"],
                       check=True, timeout=60)
        subprocess.run(["gcc", "-fopenmp", "-O1", folder / "faults.c", "-o", folder / "faults"], check=True, timeout=60)

        def run(options, verbose="false"):
            return call("run", folder / "faults", env={"FGOMP_SCHED": f"{folder}/counts.so{options}", "FGOMP_VERBOSE": verbose})

        def unknown(result):
            return [line for line in result.stderr.splitlines() if "counts asks for" in line and "cannot be counted here" in line]

        result = run("", "true")
        if unknown(result):  # the system lets nobody count
            expect(len(unknown(result)) == 1 and not result.stdout, f"{result}")
        else:
            expect(result.returncode == 0 and result.stdout == "changed 3 right\n", f"{result}")
        result = run(",above=1e12")
        expect(result.returncode == 0 and not result.stdout and not result.stderr, f"never: {result}")
        for event in (1, 2):  # of the hardware: told, or one line where that is wanted
            expect(len(unknown(run(f",event={event}", "true"))) <= 1, "said twice")
            result = run(f",event={event}")
            expect(result.returncode == 0 and not result.stderr, f"{event}: {result}")
        for options, words in ((",event=9", "event 9"), (",above=-1", "above -1")):
            complains(run(options), 0, "counts asks for", words, "using default")
        for value in ("2.5", "nan", "inf", "fault", ""):
            complains(run(f",event={value}"), 0, "a whole number from 0 to 9", "remote or misses", f"not '{value}'", "using default")


# A policy that counts the teams that it places, and those of which it knows the loads.
PLACES = """
#include <forestgomp/sched.h>
#include <stdio.h>
static int places, known;
static void place(void *self, struct fg_bubble *team, struct fg_runqueue *top) {
	struct fg_entity *member[64];
	places++;
	known += fgomp_bubble_member_load(team, 1) > 0;
	unsigned n = fgomp_bubble_burst(team, member);
	for (unsigned i = 0; i < n; i++)
		fgomp_put(member[i], fgomp_queue_of_pu(top, i % fgomp_queue_n_pus(top)));
}
static bool idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim) { return false; }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "%d placed, %d known\\n", places, known); }
const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI, .name = "counts", .summary = "x", .place = place, .idle = idle};
"""
TURNS = """
#include <forestgomp.h>
#include <omp.h>
int main(void) {
	int n = 0, size = omp_get_num_procs() + 3;
	double loads[64] = {1, 5, 1, 1};
	for (int i = 0; i < 10; i++) {
		if (%s)
			fgomp_set_next_team_member_loads(4, loads);
		#pragma omp parallel num_threads(%s) reduction(+ : n)
		n++;
	}
	return n == 0;
}
"""


@test
def hints_and_seats():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "counts.c").write_text(PLACES)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-I", ROOT / "include", folder / "counts.c", "-o", folder / "counts.so"], check=True, timeout=60)
        for name, condition, threads, expected in (
                ("always", "1", "size", "1 placed, 1 known"),
                ("never", "0", "size", "1 placed, 0 known"),
                ("in turns", "i % 2", "size", "2 placed, 1 known"),  # unknown, known; then it stays where it is
                ("for a team of one", "i % 2 == 0", "i % 2 ? size : 1", "1 placed, 0 known")):  # and not for the next one
            source, program = folder / "turns.c", folder / "turns"
            source.write_text(TURNS % (condition, threads))
            subprocess.run(["gcc", "-fopenmp", "-O1", "-I", ROOT / "include", source, "-L", BUILD / "lib", "-l:libgomp.so.1", "-o", program], check=True, timeout=60)
            if PUS == 1:
                expected = "0 placed, 0 known"  # there is but one place
            result = call("run", program, env={"FGOMP_SCHED": str(folder / "counts.so")})
            expect(result.returncode == 0 and result.stderr.strip() == expected, f"{name}: {result.stderr!r}, not {expected!r}")


# A policy that says how deep the bubbles were that it saw, by their statistics and by their kin.
DEPTHS = """
#include <forestgomp/sched.h>
#include <stdio.h>
static unsigned depth, kin;
static struct fg_runqueue *born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf) {
	struct fgomp_bubble_statistics statistics;
	unsigned above = 0;
	fgomp_bubble_statistics(bubble, leaf, false, &statistics);
	for (struct fg_bubble *up = bubble; (up = fgomp_entity_parent(fgomp_bubble_entity(up))); )
		above++;
	depth = statistics.depth > depth ? statistics.depth : depth;
	kin = above > kin ? above : kin;
	return leaf;
}
static bool idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim) { return false; }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "depth %u, kin %u\\n", depth, kin); }
const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI, .name = "depths", .summary = "x", .born = born, .idle = idle};
"""
NESTS = """
#include <omp.h>
static volatile int sink;
int main(void) {
	omp_set_max_active_levels(5);
	for (int i = 0; i < 20; i++) {
		#pragma omp parallel num_threads(%s)
		#pragma omp parallel num_threads(%s)
		#pragma omp parallel num_threads(%s)
		#pragma omp parallel num_threads(%s)
		sink++;
	}
}
"""


@test
def kin_around_regions_of_one():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "depths.c").write_text(DEPTHS)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-I", ROOT / "include", folder / "depths.c", "-o", folder / "depths.so"], check=True, timeout=60)
        turns = "i % 2 + 1"  # of one and of two in turns: teams are used again for either
        for sizes, depth in (((2, 2, 2, 2), 3), ((2, 1, 2, 1), 1), ((1, 2, 1, 2), 1), ((2, 1, 1, 2), 1), ((1, 1, 2, 2), 1),
                             ((2, turns, turns, 2), 3), ((2, "2 - i % 2", turns, 2), 2)):
            source, program = folder / "nests.c", folder / "nests"
            source.write_text(NESTS % sizes)
            subprocess.run(["gcc", "-fopenmp", "-O1", source, "-o", program], check=True, timeout=60)
            result = call("run", program, env={"FGOMP_SCHED": str(folder / "depths.so")})
            expected = f"depth {depth}, kin {depth}"
            expect(result.returncode == 0 and result.stderr.strip() == expected, f"{sizes}: {result.stderr!r}, not {expected!r}")


@test
def run_passes_bad_options_on():
    result = call("run", "true", env={"FGOMP_SPIN": "long"})
    expect(result.stderr.count("FGOMP_SPIN") <= 1, f"said twice: {result.stderr!r}")


@test
def run_uses_our_library():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "maps"
        source = program.with_suffix(".c")
        source.write_text('#include <omp.h>\n#include <stdio.h>\nint main(void) { int n = 0;\n'
                          '#pragma omp parallel reduction(+ : n)\nn++;\n'
                          'char line[512]; FILE *f = fopen("/proc/self/maps", "r");\n'
                          'while (fgets(line, sizeof line, f)) fputs(line, stdout);\nprintf("threads %d\\n", n); return 0; }\n')
        subprocess.run(["gcc", "-fopenmp", "-O1", source, "-o", program], check=True, timeout=60)
        result = call("run", "-n", "3", program)
        expect(result.returncode == 0, result.stderr)
        expect("threads 3" in result.stdout, "three threads")
        found = {line.split()[-1] for line in result.stdout.splitlines() if "libgomp" in line}
        expect(found and all(path.startswith(str(BUILD)) for path in found), f"libgomp of another folder: {found}")


@test
def topo_text_and_json():
    result = call("topo", "--topology", "node:2 l3:2 core:2 pu:1")
    expect(result.stdout == "machine, 8 PUs\n  NUMA node 0, 4 PUs\n    L3 0: PUs 0-1\n    L3 1: PUs 2-3\n"
           "  NUMA node 1, 4 PUs\n    L3 2: PUs 4-5\n    L3 3: PUs 6-7\n", result.stdout)
    tree = json.loads(call("topo", "--json", "--topology", "node:2 l3:2 core:2 pu:1").stdout)
    expect(tree["pus"] == 8 and [child["kind"] for child in tree["children"]] == ["NUMA node"] * 2, str(tree))
    here = json.loads(call("topo", "--json").stdout)
    expect(here["pus"] == PUS, "PUs of this process")


@test
def topo_follows_the_mask():
    cpu = min(os.sched_getaffinity(0))
    result = subprocess.run(["taskset", "-c", str(cpu), COMMAND, "topo", "--json"], capture_output=True, text=True, timeout=30,
                            env=CLEAN)
    expect(json.loads(result.stdout)["pus"] == 1, result.stdout)


@test
def topo_svg():
    for spec in ("pu:1", "package:2 node:2 l3:2 core:8 pu:2", "pu:4096"):
        result = call("topo", "--svg", "-", "--topology", spec)
        tree = xml.etree.ElementTree.fromstring(result.stdout)
        width, height = float(tree.get("width")), float(tree.get("height"))
        for box in tree.iter("{http://www.w3.org/2000/svg}rect"):
            if box.get("x"):
                expect(0 <= float(box.get("x")) <= float(box.get("x")) + float(box.get("width")) <= width, "box outside")
                expect(0 <= float(box.get("y")) <= float(box.get("y")) + float(box.get("height")) <= height, "box outside")
        pus = sum("PU " in (text.text or "") for text in tree.iter("{http://www.w3.org/2000/svg}text"))
        expect(pus >= {"pu:1": 1, "pu:4096": 4096}.get(spec, 128), f"{pus} PUs drawn")


@test
def info_json():
    data = json.loads(call("info", "--json", env={"FGOMP_SPIN": "1ms", "OMP_NUM_THREADS": "3"}).stdout)
    options = {option["name"]: option for option in data["options"]}
    expect(options["FGOMP_SPIN"]["value"] == "1ms" and options["FGOMP_SPIN"]["source"] == "environment", "FGOMP_SPIN")
    expect(options["FGOMP_SLICE"]["source"] == "default", "FGOMP_SLICE")
    expect(data["openmp"] == {"OMP_NUM_THREADS": "3"}, str(data["openmp"]))
    expect(data["machine"]["pus"] == PUS, "pus")
    expect(pathlib.Path(data["library"]).exists(), "library")
    bad = call("info", "--json", env={"FGOMP_SPIN": "long"})
    complaint = bad.stderr.strip().splitlines()
    expect(len(complaint) == 1 and "FGOMP_SPIN=long is not valid" in complaint[0], bad.stderr)
    expect({o["name"]: o for o in json.loads(bad.stdout)["options"]}["FGOMP_SPIN"]["value"] == "5ms", "default after a bad value")


@test
def readme_names_every_option():
    text = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text()
    for option in json.loads(call("info", "--json").stdout)["options"]:
        expect(f"| `{option['name']}` |" in text, f"{option['name']} is not in the README's table")


@test
def docs_name_every_event():
    root = pathlib.Path(__file__).resolve().parents[2]
    events = re.findall(r"^\tX\((\w+), ", (root / "src/trace/trace.h").read_text(), re.M)
    told = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (?:bubble|thread|worker) \|", (root / "docs/tracing.md").read_text(), re.M)
    named = [name for line in told for name in re.findall(r"`(\w+)`", line)]
    expect(len(events) > 15 and sorted(events) == sorted(named), f"{sorted(set(events) ^ set(named))}")


@test
def no_colours_in_a_pipe():
    expect("\033" not in call("info").stdout, "escape sequences")


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
    subprocess.run(["gcc", "-fopenmp", "-O1", program.with_suffix(".c"), "-o", program], check=True, timeout=60)
    return folder, program


def traced(*arguments, options=()):
    folder, program = nested()
    file = pathlib.Path(folder.name) / "trace.fgt"
    return call("run", *options, "--trace", file, program, *arguments), file


def check_regions(table):
    regions = {region["region"]: region for region in table["regions"]}
    expect(set(regions) == {"inner", "outer"}, str(regions))
    expect(regions["outer"]["calls"] == 5 and regions["inner"]["calls"] == 10, "calls")
    expect(regions["outer"]["threads_max"] == 2 and regions["inner"]["threads_min"] == 3, "threads")
    expect(regions["inner"]["nested"] and not regions["outer"]["nested"], "nested")
    expect(regions["outer"]["time_ns"] >= regions["outer"]["longest_ns"] >= regions["outer"]["shortest_ns"] > 0, "time")
    expect(regions["inner"]["cpu_ns"] > 0 and regions["inner"]["function"] == "inner._omp_fn.0", "work")


@test
def trace_table():
    result, file = traced()
    expect(result.returncode == 3 and result.stdout == "its own words\n" and not result.stderr, result.stderr)
    table = json.loads(call("trace", file, "--json").stdout)
    check_regions(table)
    expect(table["regions_met"] == 15 and not table["note"] and table["command"].endswith("nested"), str(table))
    text = call("trace", file)
    expect(text.returncode == 0 and "\033" not in text.stdout and not text.stderr, text.stderr)
    lines = [line.split() for line in text.stdout.splitlines()]
    expect(any(line[:3] == ["inner", "10", "3"] for line in lines) and any(line[:3] == ["outer", "5", "2"] for line in lines), text.stdout)


@test
def trace_perfetto():
    _, file = traced()
    events = json.loads(call("trace", file, "--perfetto", "-").stdout)["traceEvents"]
    members = [event for event in events if event["ph"] == "X"]
    expect(len(members) >= 15 and all(event["dur"] > 0 and event["ts"] >= 0 for event in members), "members")
    expect({"inner", "outer"} <= {event["name"] for event in members}, "names")
    expect(any(event["name"] == "put" for event in events), "marks")


@test
def trace_of_one_that_dies():
    for how, status in (("kill", -9), ("exit", 7)):
        result, file = traced(how)
        expect(result.returncode == status, f"status {result.returncode}")
        table = json.loads(call("trace", file, "--json").stdout)
        check_regions(table)
        expect("ended without a word" in table["note"], table["note"])
        page = call("trace", file, "-o", "-")
        expect(page.returncode == 0 and len(page.stderr.splitlines()) == 1 and "ended without a word" in page.stderr, page.stderr)


@test
def trace_cut_short():
    _, file = traced()
    whole = file.read_bytes()
    short = file.with_suffix(".short")
    for size in (0, 7, 63, 64, 65536, len(whole) // 3, len(whole) // 2, len(whole) - 70000):
        short.write_bytes(whole[:size])
        result = call("trace", short)
        if size < 64:
            complains(result, 1, "no trace" if size < 8 else "cut short")
        else:
            expect(result.returncode == 0 and not result.stderr, result.stderr)
    expect("regions met" in result.stdout, result.stdout)


@test
def trace_where_it_cannot_be_written():
    _, program = nested()
    for place in ("/nowhere/x", "/dev/null", "/"):
        result = call("run", "--trace", place, program)
        lines = result.stderr.strip().splitlines()
        expect(result.returncode == 3 and len(lines) == 1 and place in lines[0] and "nothing is traced" in lines[0], result.stderr)
    result, file = traced(options=["--trace-size", "64K"])
    expect(result.returncode == 3 and not result.stderr, result.stderr)
    check_regions(json.loads(call("trace", file, "--json").stdout))


@test
def trace_of_a_region_in_a_child():
    """The file belongs to the process that made it: a fork of it adds nothing."""
    folder, _ = nested()
    program = pathlib.Path(folder.name) / "forks"
    program.with_suffix(".c").write_text(
        "#include <sys/wait.h>\n#include <unistd.h>\nstatic void region(void) {\n#pragma omp parallel num_threads(2)\n"
        "{ __asm__ volatile(\"\"); } }\n"
        "int main(void) { region(); if (!fork()) { region(); return 0; } wait(0); region(); return 0; }\n")
    subprocess.run(["gcc", "-fopenmp", program.with_suffix(".c"), "-o", program], check=True, timeout=60)
    file = pathlib.Path(folder.name) / "forks.fgt"
    result = call("run", "--trace", file, program)
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    table = json.loads(call("trace", file, "--json").stdout)
    expect(table["regions"][0]["calls"] == 2 and not table["note"], str(table))


@test
def run_with_stats():
    folder, program = nested()
    result = call("run", "--stats", program)
    expect(result.returncode == 3 and result.stdout == "its own words\n", result.stderr)
    expect("inner" in result.stderr and "imbalance" in result.stderr and "\033" not in result.stderr, result.stderr)
    result = call("run", "--stats", "--json", program, "exit")
    expect(result.returncode == 7, f"status {result.returncode}")
    check_regions(json.loads(result.stderr))
    expect(call("run", "--stats", program, "kill").returncode == -9, "the program's own end")
    file = pathlib.Path(folder.name) / "kept.fgt"
    result = call("run", "--stats", "--json", "--trace", file, program)
    check_regions(json.loads(result.stderr))
    check_regions(json.loads(call("trace", file, "--json").stdout))
    complains(call("run", "--stats", "true"), 0, "no parallel region")
    complains(call("run", "--stats", "/no/such/program"), 127, "there is no program")


failed = 0
for function in TESTS:
    try:
        function()
        print(f"PASS {function.__name__}", flush=True)
    except (AssertionError, subprocess.SubprocessError, ValueError, KeyError, OSError) as error:
        failed += 1
        print(f"FAIL {function.__name__}:", " ".join(str(error).split()), flush=True)
sys.exit(1 if failed else 0)
