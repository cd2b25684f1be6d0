/* Machine: chooses its source, and answers questions about it (floor: machine). */
#include "machine/build.h"
#include "machine/machine.h"
#include "base/log.h"
#include "platform/file.h"
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

static bool
names_file(const char *topology)
{
	size_t length = strlen(topology);
	return strchr(topology, '/') || (length > 4 && strcmp(topology + length - 4, ".xml") == 0);
}

struct fg_machine *
fg_machine_told(const char *topology, const char **why)
{
	return names_file(topology) ? fg_machine_xml(topology, why) : fg_machine_synthetic(topology, why);
}

/* Of FGOMP_TOPOLOGY. */
static void
tell_error(const char *topology, const char *why, const char *instead)
{
	fg_error("FGOMP_TOPOLOGY=%s: %s; accepted: a list such as 'node:2 l3:1 core:4 pu:1', or an hwloc XML file; %s",
		 topology, why, instead);
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
		machine = fg_machine_told(topology, &why);
		if (!machine)
			tell_error(topology, why, "taking all PUs as equal");
	}
	return machine ? machine : fg_machine_flat(allowed);
}

/* A file is read later, because that takes hwloc. */
bool
fg_machine_check(const char *topology)
{
	const char *why = NULL;
	if (names_file(topology))
		why = fg_file_unreadable(topology);
	else {
		struct fg_machine *machine = fg_machine_synthetic(topology, &why);
		if (machine) {
			fg_machine_free(machine);
			return true;
		}
	}
	if (why)
		tell_error(topology, why, "taking this machine as it is");
	return !why;
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
