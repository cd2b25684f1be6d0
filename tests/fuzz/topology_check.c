/* See topology_check.h. */
#include "topology_check.h"
#include "fuzz.h"
#include "machine/machine.h"

void
topology_check(const struct fg_machine *machine)
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
