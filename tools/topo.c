/* `forestgomp topo`: the machine's tree of levels as text, JSON or a drawing. */
#include "command.h"
#include "draw/machine_svg.h"
#include "machine/machine.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Usage: forestgomp topo [OPTIONS]\n\n"
	"Shows the tree of levels on which ForestGOMP schedules: this machine's, cut down to the PUs that this process may use.\n"
	"Levels that cover the same PUs are shown as one.\n\n"
	"  -o, --svg FILE       draw it to FILE ('-': standard output)\n"
	"      --json           print it as JSON\n"
	"  -t, --topology SPEC  another machine: a list such as 'node:2 l3:1 core:4 pu:1' with the levels node, package, die,\n"
	"                       group, l3, l2, core, pu, or an hwloc XML file (written by `lstopo FILE.xml`)\n";

static void
print_json(const struct fg_level *level, int indent)
{
	printf("%*s{\"kind\": ", indent, "");
	fg_json_string(stdout, fg_level_kind_name(level->kind));
	if (level->kind != FG_MACHINE && level->os_index != FG_NO_INDEX)
		printf(", \"os_index\": %u", level->os_index);
	bool first = true;
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		if (kind != level->kind && fg_level_is(level, kind)) {
			printf("%s", first ? ", \"also\": [" : ", ");
			fg_json_string(stdout, fg_level_kind_name(kind));
			first = false;
		}
	if (!first)
		putchar(']');
	if (level->cache_bytes)
		printf(", \"cache_bytes\": %llu", (unsigned long long)level->cache_bytes);
	if (level->memory_bytes)
		printf(", \"memory_bytes\": %llu", (unsigned long long)level->memory_bytes);
	printf(", \"pus\": %u", level->n_pus);
	if (level->n_children) {
		printf(", \"children\": [\n");
		for (unsigned i = 0; i < level->n_children; i++) {
			print_json(level->children[i], indent + 1);
			printf("%s\n", i + 1 < level->n_children ? "," : "");
		}
		printf("%*s]", indent, "");
	}
	putchar('}');
}

static struct fg_machine *
find_machine(const char *topology, const char **why)
{
	struct fg_cpuset allowed;
	size_t length = topology ? strlen(topology) : 0;
	if (length == 0) {
		fg_cpuset_affinity(&allowed);
		return fg_machine_load(NULL, &allowed);
	}
	if (strchr(topology, '/') || (length > 4 && strcmp(topology + length - 4, ".xml") == 0))
		return fg_machine_xml(topology, why);
	return fg_machine_synthetic(topology, why);
}

static int
write_svg(const struct fg_machine *machine, const char *path)
{
	FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
	if (!file) {
		complain("topo", "cannot write '%s': %s", path, strerror(errno));
		return 1;
	}
	fg_draw_machine(machine, file);
	bool failed = ferror(file);
	if ((file == stdout ? fflush(file) : fclose(file)) != 0 || failed) {
		complain("topo", "cannot write '%s': %s", path, strerror(errno));
		return 1;
	}
	return 0;
}

int
command_topo(int argc, char **argv)
{
	const char *svg = NULL, *topology = getenv("FGOMP_TOPOLOGY"), *value;
	bool json = false;
	for (int i = 1; i < argc; i++) {
		const char *missing = NULL;
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(help, stdout);
			return 0;
		}
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if ((value = option_value(argc, argv, &i, "svg", 'o', &missing)))
			svg = value;
		else if ((value = option_value(argc, argv, &i, "topology", 't', &missing)))
			topology = value;
		else if (missing)
			return complain("topo", "%s needs a value", missing);
		else
			return complain("topo", "no option is called '%s'; known: --svg FILE, --json, --topology SPEC",
					argv[i]);
	}
	const char *why = "";
	struct fg_machine *machine = find_machine(topology, &why);
	if (!machine)
		return complain(
			"topo",
			"--topology %s: %s; accepted: a list such as 'node:2 l3:1 core:4 pu:1', or an hwloc XML file",
			topology, why);
	int status = 0;
	if (json) {
		print_json(machine->root, 0);
		putchar('\n');
	} else if (!svg) {
		fg_machine_print(machine, stdout);
	}
	if (svg)
		status = write_svg(machine, svg);
	fg_machine_free(machine);
	return status;
}
