/* Machine: as text (floor: machine; `forestgomp topo`, golden tests). A level is a line, and PUs stand on the line of
 * the level around them. The caller is the command or a test, with the machine to itself. Nothing is changed. */
#include "machine/machine.h"

#include <stdlib.h>

static const char *const kind_names[FG_LEVEL_KINDS] = {
	[FG_MACHINE] = "machine", [FG_NUMA_NODE] = "NUMA node", [FG_PACKAGE] = "package",
	[FG_DIE] = "die",	  [FG_GROUP] = "group",		[FG_L3] = "L3",
	[FG_L2] = "L2",		  [FG_CORE] = "core",		[FG_PU] = "PU"};

const char *
fg_level_kind_name(enum fg_level_kind kind)
{
	return kind_names[kind];
}

char *
fg_level_name(const struct fg_level *level, char *text, size_t size)
{
	if (level->kind == FG_MACHINE || level->os_index == FG_NO_INDEX)
		snprintf(text, size, "%s", kind_names[level->kind]);
	else
		snprintf(text, size, "%s %u", kind_names[level->kind], level->os_index);
	return text;
}

static void
print_bytes(FILE *file, uint64_t bytes)
{
	if (bytes >= UINT64_C(10) << 30)
		fprintf(file, " %.0f GiB", (double)bytes / (1 << 30));
	else if (bytes >= 1 << 20)
		fprintf(file, " %.0f MiB", (double)bytes / (1 << 20));
	else if (bytes)
		fprintf(file, " %.0f KiB", (double)bytes / 1024);
}

static void
print_pus(const struct fg_machine *machine, const struct fg_level *level, FILE *file)
{
	struct fg_cpuset set;
	fg_level_cpuset(machine, level, &set);
	size_t size = (size_t)fg_cpuset_format(&set, NULL, 0) + 1;
	char *text = malloc(size);
	if (text)
		fg_cpuset_format(&set, text, size);
	fprintf(file, ": %s %s", level->n_pus == 1 ? "PU" : "PUs", text ? text : "?");
	free(text);
}

static void
print_level(const struct fg_machine *machine, const struct fg_level *level, FILE *file)
{
	char text[256];
	bool leaves = true;
	fprintf(file, "%*s%s", (int)level->depth * 2, "", fg_level_name(level, text, sizeof text));
	if (level->kind == FG_NUMA_NODE)
		print_bytes(file, level->memory_bytes);
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		if (kind != level->kind && kind != FG_CORE && fg_level_is(level, kind)) {
			fprintf(file, ", %s", kind_names[kind]);
			if (kind == FG_L3 || (kind == FG_L2 && !fg_level_is(level, FG_L3)))
				print_bytes(file, level->cache_bytes);
			else if (kind == FG_NUMA_NODE)
				print_bytes(file, level->memory_bytes);
		}
	if (level->kind == FG_L3 || level->kind == FG_L2)
		print_bytes(file, level->cache_bytes);
	for (unsigned i = 0; i < level->n_children; i++)
		leaves = leaves && level->children[i]->kind == FG_PU;
	if (leaves && level->n_children) {
		print_pus(machine, level, file);
	} else if (level->n_children) {
		fprintf(file, ", %u PUs", level->n_pus);
	}
	fputc('\n', file);
	for (unsigned i = 0; i < level->n_children && !leaves; i++)
		print_level(machine, level->children[i], file);
}

void
fg_machine_print(const struct fg_machine *machine, FILE *file)
{
	print_level(machine, machine->root, file);
}
