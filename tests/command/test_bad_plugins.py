"""Schedulers that break their contract: each gets one line, and the program goes on."""
import pathlib
import re
import tempfile

from testing import PUS, ROOT, compiled, expect, forestgomp, plugin

ABI = int(re.search(r"define FGOMP_SCHED_ABI (\d+)", (ROOT / "include/forestgomp/sched.h").read_text())[1])

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


# Each is the middle of a plug-in: functions, their entries of the table, and the words of the line.
BAD_POLICIES = {
    "wrong_abi": ("", ".abi = FGOMP_SCHED_ABI + 7, .name = \"x\", .summary = \"x\"", [f"version {ABI + 7}", f"has version {ABI}", "using default"]),
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


def says(bad, words, program):
    """Runs the program under a plug-in, which gets one line that holds the words, or none.

    Whether `met` is asked, or `idle` finds something, is a matter of chance: another PU must look before the members
    have begun."""
    by_chance = bad.stem in ("moves_nothing", "moves_to_and_fro", "loses_in_idle")
    if by_chance and PUS == 1:
        print(f"SKIP plugins_that_are_bad {bad.stem}: it needs two PUs")
        return
    chances = 100 if by_chance else 1
    for _ in range(3):
        while True:
            result = forestgomp("run", program, env={"FGOMP_SCHED": str(bad), "OMP_NUM_THREADS": "2"})
            expect(result.returncode == 0, f"{bad}: status {result.returncode}, {result.stderr!r}")
            chances -= 1
            if chances < 1 or result.stderr:
                break
        lines = [line for line in result.stderr.splitlines() if line]
        expect(len(lines) == (1 if words else 0), f"{bad}: not one line: {result.stderr!r}")
        for word in words:
            expect(word in lines[0], f"{bad}: {word!r} is not in {lines[0]!r}")


# The flat region goes on until the scheduler has tried.
FLAT_FOR_LONG = r"""
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
int main(void) {
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2) reduction(+ : n)
	n++;
	volatile int *tried = dlsym(dlopen(getenv("FGOMP_SCHED"), RTLD_NOW | RTLD_NOLOAD), "tried");
#pragma omp parallel num_threads(2) reduction(+ : n)
	for (n = 1; !*tried;)
		;
	return n < 2; }
"""

SENDS = r"""
#include <forestgomp/sched.h>
int tried;
static struct fg_runqueue *level;
static struct fg_runqueue *born(void *self, struct fg_bubble *b, struct fg_runqueue *range, struct fg_runqueue *leaf) { return level = leaf; }
static void daemon(void *self) {
	fgomp_tree_lock();
	for (struct fg_bubble *b = fgomp_tree_first(0); b; b = fgomp_tree_next(b)) {
		struct fg_entity *thread = fgomp_bubble_size(b) > MEMBER ? fgomp_bubble_thread(b, MEMBER) : 0;
		if (thread && fgomp_thread_send(thread, level)) __builtin_abort();
		tried |= thread != 0;
	}
	fgomp_tree_unlock(); }
const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI, .name = "sad", .summary = "x", .born = born, .daemon = daemon, .period = 1000000, .tree = true};
"""


def test_plugins_that_send_what_they_may_not():
    """The call returns false, the user is told once, and the program goes on."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "sends.c", pathlib.Path(folder) / "flat"
        source.write_text(SENDS)
        program.with_suffix(".c").write_text(FLAT_FOR_LONG)
        compiled(program, "-fopenmp", "-O1", program.with_suffix(".c"))
        for member, env, why in ((0, {}, "a thread of the program"), (1, {"OMP_PROC_BIND": "true"}, "bound to a place"),
                                 (1, {"FGOMP_THREADS": "kernel"}, "kernel thread of its own")):
            bad = plugin(source, "-w", f"-DMEMBER={member}")
            result = forestgomp("run", program, env={"FGOMP_SCHED": str(bad), **env})
            lines = [line for line in result.stderr.splitlines() if "sad sends a thread that cannot be sent" in line]
            expect(result.returncode == 0 and len(lines) == 1, f"{why}: status {result.returncode}, {result.stderr!r}")
            expect(why in lines[0] and "returns false" in lines[0], f"{why}: {lines[0]!r}")


def test_plugins_that_are_bad():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = folder / "nested"
        program.with_suffix(".c").write_text(NESTED_SUM)
        compiled(program, "-fopenmp", "-O1", program.with_suffix(".c"))
        says(folder / "nothing.so", ["nothing.so", "cannot open", "using default"], program)
        for name, (functions, table, words) in {"no_symbol": ("", None, ["does not define fgomp_sched_plugin"]), **BAD_POLICIES}.items():
            source = folder / (name + ".c")
            source.write_text("#include <forestgomp/sched.h>\n" + functions +
                              (f"\nconst struct fgomp_sched fgomp_sched_plugin = {{{table}}};\n" if table else "\nint nothing;\n"))
            says(plugin(source, "-w"), words, program)
        for name in ("does_not_start", "no_name"):
            result = forestgomp("run", "cat", "/proc/self/maps", env={"FGOMP_SCHED": str(folder / (name + ".so"))})
            expect("using default" in result.stderr and name not in result.stdout, f"{name}.so stays loaded")
