"""A scheduler is told of the memory areas of a program."""
import pathlib
import re
import subprocess
import tempfile

from testing import LIMIT, PUS, ROOT, clean_environment, compiled, expect, forestgomp


# A scheduler that prints all that it is told of memory: of the members of a new team, of all areas, and the reason.
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
    """Builds the plug-in, which keeps book of areas or not, and the program."""
    folder = pathlib.Path(folder)
    (folder / "tells.c").write_text(TELLS_AREAS)
    (folder / "told.c").write_text(TOLD_AREAS)
    plugins = []
    for areas in ("true", "false"):
        plugins.append(folder / f"tells-{areas}.so")
        compiled(plugins[-1], "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-I", ROOT / "include", f"-DAREAS={areas}", folder / "tells.c")
    return *plugins, compiled(folder / "told", "-fopenmp", "-O1", "-w", "-I", ROOT / "include", folder / "told.c")


def test_plugin_is_told_of_areas():
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
            result = forestgomp("run", program, case, env={"FGOMP_SCHED": str(plugin)})
            expect(result.returncode == 0 and not result.stderr, f"{case}: {result}")
            expect(result.stdout.splitlines() == wanted, f"{case}: {result.stdout}")
        result = forestgomp("run", program, "n", env={"FGOMP_SCHED": str(without)})
        expect("0 areas" in result.stdout and not re.search("[1-9][0-9]* areas", result.stdout) and "changed" not in result.stdout,
               f"without areas: {result}")
        other = subprocess.run([program, "n"], capture_output=True, text=True, timeout=LIMIT, env=clean_environment())
        expect(other.returncode == 0 and other.stdout == "another runtime\n" and not other.stderr, f"{other}")


def test_areas_that_are_none():
    with tempfile.TemporaryDirectory() as folder:
        plugin, _, program = areas_built(folder)
        once = ["fgomp_attach_area: (nil), 4096 bytes", "fgomp_attach_area: 0x", "fgomp_attach_area: 0x", "has no access: FGOMP_READ",
                "fgomp_add_next_team_area: 0x", "fgomp_detach_area: the calling thread is not attached to 123 bytes"]
        for sched, wanted in ((str(plugin), ["outside of a parallel region"] + 2 * once), ("default", 2 * once[:-1])):
            result = forestgomp("run", program, "w", env={"FGOMP_SCHED": sched, "FGOMP_VERBOSE": "true"})
            lines = [line for line in result.stderr.splitlines() if "fgomp_" in line]
            expect(result.returncode == 0 and len(lines) == len(wanted), f"{sched}: {result}")
            for line, words in zip(lines, wanted):
                expect(words in line and line.endswith("it is ignored"), f"{sched}: {words!r} is not in {line!r}")
            result = forestgomp("run", program, "w", env={"FGOMP_SCHED": sched})
            expect(result.returncode == 0 and not result.stderr, f"{sched}, not asked to tell: {result}")
