"""Schedulers that are loaded: the example, what they are told of counters and loads, and the bubbles that they see."""
import pathlib
import tempfile

from testing import BUILD, PUS, ROOT, compiled, complains, expect, forestgomp, plugin


def test_plugin_of_the_example():
    with tempfile.TemporaryDirectory() as folder:
        example, heavy = ROOT / "examples" / "scheduler", pathlib.Path(folder) / "heavy.so"
        expect(len((example / "heavy.c").read_text().splitlines()) < 100, "the example has 100 lines or more")
        compiled(heavy, "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I", ROOT / "include", example / "heavy.c")
        compiled(folder + "/zones", "-Wall", "-O2", "-fopenmp", "-I", ROOT / "include", example / "zones.c")
        for options in ("", ",few=8"):
            result = forestgomp("run", folder + "/zones", env={"FGOMP_SCHED": f"{heavy}{options}"})
            expect(result.returncode == 0 and "mean 2.000000" in result.stdout and not result.stderr, f"{options}: {result}")
        result = forestgomp("run", "true", env={"FGOMP_SCHED": f"{heavy},tiny=3"})
        complains(result, 0, "heavy has no option 'tiny'")


COUNTS = r"""
#include <forestgomp/sched.h>
#include <stdio.h>
#include <unistd.h>
struct counts { double event, above; };
int counts_said;
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
	if (counts_said++ == 0 && write(1, text, snprintf(text, sizeof text, "changed %d %s\n", change, right ? "right" : "wrong")) < 0) _exit(9); }
const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI, .name = "counts", .summary = "x", .size = sizeof(struct counts),
	.options = options, .counters = counters, .changed = changed};
"""


# With an argument it goes on until the scheduler has said its word.
FAULTS = r"""
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char **argv) {
	void *module = dlopen(getenv("SCHEDULER"), RTLD_NOW | RTLD_NOLOAD);
	volatile int *said = argc > 1 && module ? dlsym(module, "counts_said") : NULL;
	for (double end = omp_get_wtime() + 0.4; said ? !*said : omp_get_wtime() < end;)
#pragma omp parallel num_threads(2)
	{ char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(p, 1, 1 << 20); munmap(p, 1 << 20); }
	return 0; }
"""


def test_plugin_is_told_of_counters():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "counts.c").write_text(COUNTS)
        (folder / "faults.c").write_text(FAULTS)
        plugin(folder / "counts.c", "-Wall", "-Werror")
        compiled(folder / "faults", "-fopenmp", "-O1", folder / "faults.c")

        def run(options, *words, verbose="false"):
            scheduler = str(folder / "counts.so")
            return forestgomp("run", folder / "faults", *words,
                              env={"FGOMP_SCHED": scheduler + options, "SCHEDULER": scheduler, "FGOMP_VERBOSE": verbose})

        def unknown(result):
            return [line for line in result.stderr.splitlines() if "counts asks for" in line and "cannot be counted here" in line]

        result = run("", verbose="true")
        if unknown(result):  # the system lets no process count
            expect(len(unknown(result)) == 1 and not result.stdout, f"{result}")
        else:
            result = run("", "said")
            expect(result.returncode == 0 and result.stdout == "changed 3 right\n", f"{result}")
        result = run(",above=1e12")
        expect(result.returncode == 0 and not result.stdout and not result.stderr, f"never: {result}")
        for event in (1, 2):  # of the hardware: told, or one line where that is wanted
            expect(len(unknown(run(f",event={event}", verbose="true"))) <= 1, "said twice")
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


def test_hints_and_seats():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "counts.c").write_text(PLACES)
        plugin(folder / "counts.c")
        for name, condition, threads, expected in (
                ("always", "1", "size", "1 placed, 1 known"),
                ("never", "0", "size", "1 placed, 0 known"),
                ("in turns", "i % 2", "size", "2 placed, 1 known"),  # unknown, known; then it stays where it is
                ("for a team of one", "i % 2 == 0", "i % 2 ? size : 1", "1 placed, 0 known")):  # and not for the next one
            source, program = folder / "turns.c", folder / "turns"
            source.write_text(TURNS % (condition, threads))
            compiled(program, "-fopenmp", "-O1", "-I", ROOT / "include", source, "-L", BUILD / "lib", "-l:libgomp.so.1")
            if PUS == 1:
                expected = "0 placed, 0 known"  # there is but one place
            result = forestgomp("run", program, env={"FGOMP_SCHED": str(folder / "counts.so")})
            expect(result.returncode == 0 and result.stderr.strip() == expected, f"{name}: {result.stderr!r}, not {expected!r}")


# A policy that prints the depth of the bubbles that it saw, by their statistics and by their kin.
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


def test_kin_around_regions_of_one():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "depths.c").write_text(DEPTHS)
        plugin(folder / "depths.c")
        turns = "i % 2 + 1"  # of one and of two in turns: teams are used again for either
        for sizes, depth in (((2, 2, 2, 2), 3), ((2, 1, 2, 1), 1), ((1, 2, 1, 2), 1), ((2, 1, 1, 2), 1), ((1, 1, 2, 2), 1),
                             ((2, turns, turns, 2), 3), ((2, "2 - i % 2", turns, 2), 2)):
            source, program = folder / "nests.c", folder / "nests"
            source.write_text(NESTS % sizes)
            compiled(program, "-fopenmp", "-O1", source)
            result = forestgomp("run", program, env={"FGOMP_SCHED": str(folder / "depths.so")})
            expected = f"depth {depth}, kin {depth}"
            expect(result.returncode == 0 and result.stderr.strip() == expected, f"{sizes}: {result.stderr!r}, not {expected!r}")
