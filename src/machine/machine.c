/* Machine: chooses its source, and answers questions about it (floor: machine). */
#include "machine/build.h"
#include "machine/machine.h"
#include "base/log.h"
#include <string.h>

struct fg_machine *
fg_machine_flat(const struct fg_cpuset *allowed)
{
	struct fg_level *root = fg_level_new(NULL, FG_MACHINE, FG_NO_INDEX);
	if (!root)
		return NULL;
	for (unsigned cpu = fg_cpuset_next(allowed, 0); cpu < FG_CPUSET_MAX; cpu = fg_cpuset_next(allowed, cpu + 1))
		fg_level_new(root, FG_PU, cpu);
	if (root->n_children == 0)
		fg_level_new(root, FG_PU, 0);
	return fg_machine_build(root, FG_FROM_AFFINITY);
}

struct fg_machine *
fg_machine_load(const char *topology, const struct fg_cpuset *allowed)
{
	const char *why = NULL;
	struct fg_machine *machine;
	if (!topology || !*topology) {
		machine = fg_machine_hwloc(allowed, &why);
		if (!machine)
			fg_note("the machine's caches and NUMA nodes are not known (%s): taking all PUs as equal", why);
	} else {
		size_t length = strlen(topology);
		bool xml = strchr(topology, '/') || (length > 4 && strcmp(topology + length - 4, ".xml") == 0);
		machine = xml ? fg_machine_xml(topology, &why) : fg_machine_synthetic(topology, &why);
		if (!machine)
			fg_error("FGOMP_TOPOLOGY=%s: %s; accepted: a list such as 'node:2 l3:1 core:4 pu:1', or an "
				 "hwloc "
				 "XML file; taking all PUs as equal",
				 topology, why);
	}
	return machine ? machine : fg_machine_flat(allowed);
}

struct fg_level *
fg_level_common(struct fg_level *a, struct fg_level *b)
{
	while (a != b)
		if (a->depth >= b->depth)
			a = a->parent;
		else
			b = b->parent;
	return a;
}

unsigned
fg_machine_distance(const struct fg_machine *machine, unsigned pu_a, unsigned pu_b)
{
	const struct fg_level *a = machine->pus[pu_a], *b = machine->pus[pu_b];
	const struct fg_level *common = fg_level_common(machine->pus[pu_a], machine->pus[pu_b]);
	return (a->depth > b->depth ? a->depth : b->depth) - common->depth;
}

struct fg_level *
fg_level_above(struct fg_level *level, enum fg_level_kind kind)
{
	while (level && !fg_level_is(level, kind))
		level = level->parent;
	return level;
}

void
fg_level_cpuset(const struct fg_machine *machine, const struct fg_level *level, struct fg_cpuset *set)
{
	fg_cpuset_clear(set);
	for (unsigned i = 0; i < level->n_pus; i++)
		fg_cpuset_add(set, machine->pus[level->first_pu + i]->os_index);
}
