/* Machine: makes a machine of a grown tree of levels: merges, numbers, lays out (floor: machine): see build.h. level.h
 * has the invariants of the result. */
#include "machine/build.h"
#include "machine/machine.h"
#include <stdlib.h>

struct fg_level *
fg_level_new(struct fg_level *parent, enum fg_level_kind kind, unsigned os_index)
{
	struct fg_level *level = calloc(1, sizeof *level), **children = NULL;
	if (level && parent) {
		children = realloc(parent->children, (parent->n_children + 1) * sizeof *children);
		if (children)
			parent->children = children;
	}
	if (!level || (parent && !children)) {
		free(level);
		if (parent)
			parent->lacking = true;
		return parent;
	}
	level->kind = kind;
	level->kinds = 1u << kind;
	level->os_index = os_index;
	level->numa_node = kind == FG_NUMA_NODE ? os_index : FG_NO_INDEX;
	level->parent = parent;
	if (parent) {
		level->rank = parent->n_children++;
		parent->children[level->rank] = level;
	}
	return level;
}

void
fg_level_free(struct fg_level *level)
{
	for (unsigned i = 0; i < level->n_children; i++)
		fg_level_free(level->children[i]);
	free(level->children);
	free(level);
}

void
fg_machine_free(struct fg_machine *machine)
{
	fg_level_free(machine->root);
	free(machine->levels);
	free(machine->pus);
	free(machine);
}

/* Users look for a level of several kinds under the name of this kind. */
static bool
outranks(enum fg_level_kind a, enum fg_level_kind b)
{
	if (a == FG_MACHINE || b == FG_MACHINE)
		return a == FG_MACHINE;
	if (a == FG_PU || b == FG_PU)
		return a == FG_PU;
	return a < b;
}

/* `level` takes over all that its only child is and has. */
static void
swallow(struct fg_level *level)
{
	struct fg_level *child = level->children[0];
	if (outranks(child->kind, level->kind)) {
		level->kind = child->kind;
		level->os_index = child->os_index;
	}
	level->kinds |= child->kinds;
	if (level->numa_node == FG_NO_INDEX)
		level->numa_node = child->numa_node;
	if (level->cache_bytes < child->cache_bytes)
		level->cache_bytes = child->cache_bytes;
	if (level->memory_bytes == 0)
		level->memory_bytes = child->memory_bytes;
	free(level->children);
	level->children = child->children;
	level->n_children = child->n_children;
	for (unsigned i = 0; i < level->n_children; i++)
		level->children[i]->parent = level;
	free(child);
}

/* Drops branches without a PU and merges single children. The root keeps its one PU below it. False: nothing is
 * left. */
static bool
tidy(struct fg_level *level)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < level->n_children; i++) {
		struct fg_level *child = level->children[i];
		if (tidy(child)) {
			child->rank = kept;
			level->children[kept++] = child;
		} else {
			fg_level_free(child);
		}
	}
	level->n_children = kept;
	while (level->n_children == 1 && !(level->kind == FG_MACHINE && level->children[0]->kind == FG_PU))
		swallow(level);
	return level->n_children > 0 || level->kind == FG_PU;
}

static void
count(struct fg_level *level, struct fg_machine *machine)
{
	machine->n_levels++;
	machine->n_pus += level->kind == FG_PU;
	machine->n_numa_nodes += fg_level_is(level, FG_NUMA_NODE);
	for (unsigned i = 0; i < level->n_children; i++)
		count(level->children[i], machine);
}

static void
number(struct fg_level *level, struct fg_machine *machine)
{
	level->number = machine->n_levels;
	machine->levels[machine->n_levels++] = level;
	level->first_pu = machine->n_pus;
	level->depth = level->parent ? level->parent->depth + 1 : 0;
	if (level->depth > machine->max_depth)
		machine->max_depth = level->depth;
	if (level->parent && level->numa_node == FG_NO_INDEX)
		level->numa_node = level->parent->numa_node;
	if (level->kind == FG_PU)
		machine->pus[machine->n_pus++] = level;
	for (unsigned i = 0; i < level->n_children; i++)
		number(level->children[i], machine);
	level->n_pus = machine->n_pus - level->first_pu;
}

static bool
lacks(const struct fg_level *level)
{
	bool any = level->lacking;
	for (unsigned i = 0; i < level->n_children && !any; i++)
		any = lacks(level->children[i]);
	return any;
}

static struct fg_machine *
machine_new(struct fg_level *root)
{
	struct fg_machine *machine = calloc(1, sizeof *machine);
	if (!machine)
		return NULL;
	machine->root = root;
	count(root, machine);
	machine->levels = calloc(machine->n_levels, sizeof *machine->levels);
	machine->pus = calloc(machine->n_pus, sizeof *machine->pus);
	if (machine->levels && machine->pus)
		return machine;
	free(machine->levels);
	free(machine->pus);
	free(machine);
	return NULL;
}

struct fg_machine *
fg_machine_build(struct fg_level *root, enum fg_machine_source source)
{
	if (!root)
		return NULL;
	struct fg_machine *machine = !lacks(root) && tidy(root) ? machine_new(root) : NULL;
	if (!machine) {
		fg_level_free(root);
		return NULL;
	}
	machine->source = source;
	machine->n_levels = machine->n_pus = 0;
	if (machine->n_numa_nodes == 0) {
		machine->n_numa_nodes = 1;
		root->numa_node = 0;
	}
	number(root, machine);
	return machine;
}
