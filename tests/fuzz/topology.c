/* FGOMP_TOPOLOGY: a line that makes up a machine, or a file that hwloc saved. What comes out is a tree as machine.h says. */
#include "fuzz.h"
#include "machine/machine.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void
check(const struct fg_machine *machine)
{
	HOLDS(machine->n_pus > 0 && machine->n_numa_nodes > 0 && machine->levels[0] == machine->root);
	for (unsigned i = 0; i < machine->n_pus; i++)
		HOLDS(machine->pus[i]->first_pu == i && machine->pus[i]->kind == FG_PU);
	for (unsigned i = 0; i < machine->n_levels; i++) {
		const struct fg_level *level = machine->levels[i];
		unsigned pus = level->kind == FG_PU;
		HOLDS(level->number == i && level->depth <= machine->max_depth);
		HOLDS(level == machine->root ? fg_level_is(level, FG_MACHINE) : level->n_children != 1);
		for (unsigned child = 0; child < level->n_children; child++) {
			HOLDS(level->children[child]->parent == level && level->children[child]->rank == child);
			pus += level->children[child]->n_pus;
		}
		HOLDS(level->n_pus == pus);
	}
	FILE *nowhere = fopen("/dev/null", "w");
	fg_machine_print(machine, nowhere);
	fclose(nowhere);
}

/* The library that reads such files may be told to say nothing, and writes to a stream of its own else. */
static struct fg_machine *
from_file(const char *text, const char **why)
{
	char path[64];
	int file = memfd_create("topology", MFD_CLOEXEC);
	HOLDS(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	setenv("HWLOC_HIDE_ERRORS", "2", 1);
	struct fg_machine *machine = fg_machine_xml(path, why);
	close(file);
	return machine;
}

void
fuzz_text(const char *text)
{
	const char *why = NULL;
	struct fg_machine *machine = *text == '<' ? from_file(text, &why) : fg_machine_synthetic(text, &why);
	HOLDS(machine || why);
	if (machine) {
		check(machine);
		fg_machine_free(machine);
	}
}
