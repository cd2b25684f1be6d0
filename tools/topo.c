/* `forestgomp topo`: the machine's tree of levels as text, JSON or a drawing. */
#include "command.h"
#include "manual.h"
#include "base/options.h"
#include "draw/machine_svg.h"
#include "sim.h"
#include "sit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct topo {
	struct fg_machine *machine;
	struct fg_model model; /* holds the machine if `of_model` */
	bool of_model, json;
	const char *text, *svg; /* text: of the machine; NULL: this one */
	struct sit_request teams;
	struct sit_member *members;
	unsigned n_members;
};

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

/* A machine file may tell sizes of caches that its list of levels cannot. */
static void
add_sizes(const struct fg_model *model)
{
	for (unsigned i = 0; i < model->machine->n_levels; i++) {
		struct fg_level *level = model->machine->levels[i];
		double kilobytes = fg_level_is(level, FG_L3)   ? model->cache_l3
				   : fg_level_is(level, FG_L2) ? model->cache_l2
							       : -1;
		if (!level->cache_bytes && kilobytes > 0)
			level->cache_bytes = (uint64_t)(kilobytes * 1024);
	}
}

/* Returns an exit status. A list of levels may be larger than what can be simulated. */
static int
find_machine(struct topo *topo)
{
	struct fg_cpuset allowed;
	const char *why = "";
	if (!topo->text) {
		fg_cpuset_affinity(&allowed);
		topo->machine = fg_machine_load(NULL, &allowed);
		return topo->machine ? 0 : complain("topo", "there is no memory for the machine");
	}
	topo->text = sim_machine_path(topo->text);
	topo->machine = strpbrk(topo->text, "/.") ? NULL : fg_machine_synthetic(topo->text, &why);
	if (topo->machine)
		return 0;
	topo->of_model = true;
	if (fg_model_read(&topo->model, topo->text)) {
		topo->machine = topo->model.machine;
		add_sizes(&topo->model);
		return 0;
	}
	if (topo->model.line)
		return complain("topo", "%s:%u: %s", topo->text, topo->model.line, topo->model.why);
	return complain(
		"topo",
		"--machine %s: %s; accepted: a name out of `forestgomp sim --list`, a machine file, an hwloc XML "
		"file (*.xml), or a list such as 'numa:4 l3:1 core:4'",
		topo->text, topo->model.why);
}

static int
take_sizes(const char *text, struct sit_request *teams)
{
	char *end;
	const char *at = text;
	for (teams->depth = 0; teams->depth < SIT_DEPTH; at = end + 1) {
		unsigned long size = strtoul(at, &end, 10);
		if (*at < '0' || *at > '9' || size < 1 || size > SIT_MEMBERS)
			break;
		teams->sizes[teams->depth++] = (unsigned)size;
		if (*end == '\0')
			return 0;
		if (*end != ',')
			break;
	}
	return complain("topo", "-n %s is not valid; accepted: numbers from 1 to %d, at most %d of them, such as 4,4",
			text, SIT_MEMBERS, SIT_DEPTH);
}

static int
check_bind(const char *text)
{
	static const char *const words[] = {"true", "false", "spread", "close", "primary", "master"};
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ","), i = 0;
		while (i < 6 && (strlen(words[i]) != length || strncasecmp(at, words[i], length) != 0))
			i++;
		if (i == 6)
			return complain("topo",
					"--bind %s is not valid; accepted: true, false, or spread, close, primary for "
					"each team",
					text);
		at += length;
		if (!*at)
			return 0;
	}
}

static int
check_places(const char *text)
{
	static const char *const words[] = {"threads", "cores", "sockets", "ll_caches", "numa_domains"};
	size_t length = strcspn(text, "(");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0)
			return 0;
	return *text == '{' || *text == '!' ? 0
					    : complain("topo",
						       "--places %s is not valid; accepted: threads, cores, sockets, "
						       "ll_caches, numa_domains, or a list such as {0,1},{2,3}",
						       text);
}

static int
take_word(int argc, char **argv, int *i, struct topo *topo)
{
	const char *missing = NULL, *value;
	struct sit_request *teams = &topo->teams;
	if (strcmp(argv[*i], "--json") == 0)
		topo->json = true;
	else if ((value = option_value(argc, argv, i, "svg", 'o', &missing)))
		topo->svg = value;
	else if ((value = option_value(argc, argv, i, "topology", 't', &missing)) ||
		 (value = option_value(argc, argv, i, "machine", 'm', &missing)))
		topo->text = value;
	else if ((value = option_value(argc, argv, i, "threads", 'n', &missing)))
		return take_sizes(value, teams);
	else if ((value = option_value(argc, argv, i, "places", 'p', &missing)))
		return check_places(teams->places = value);
	else if ((value = option_value(argc, argv, i, "bind", 'b', &missing)))
		return check_bind(teams->bind = value);
	else if ((value = option_value(argc, argv, i, "sched", 0, &missing))) {
		teams->sched = value;
		return take_policy("topo", "sched", value);
	} else if (missing)
		return complain("topo", "%s needs a value", missing);
	else
		return manual_unknown(manual_of("topo"), argv[*i]);
	return 0;
}

/* The members of the innermost teams on each PU, one text a PU. */
static struct fg_draw_label *
labels_of(const struct topo *topo)
{
	struct fg_draw_label *labels = calloc(topo->machine->n_pus, sizeof *labels);
	for (unsigned i = 0; labels && i < topo->n_members; i++) {
		const struct sit_member *member = &topo->members[i];
		char *text;
		if (member->depth != topo->teams.depth || member->pu >= topo->machine->n_pus)
			continue;
		struct fg_draw_label *label = &labels[member->pu];
		if (asprintf(&text, "%s%s%s", label->text ? label->text : "", label->text ? " " : "", member->name) < 0)
			break;
		*label = (struct fg_draw_label){text, label->text ? label->hue : member->outermost};
	}
	return labels;
}

static void
print_members(const struct topo *topo)
{
	struct fg_draw_label *labels = labels_of(topo);
	unsigned unused = 0;
	char name[80];
	if (!labels)
		return;
	for (unsigned i = 0; i < topo->machine->n_levels; i++) {
		const struct fg_level *level = topo->machine->levels[i];
		fg_level_name(level, name, sizeof name);
		if (level->n_children)
			printf("%*s%s\n", 2 * (int)level->depth, "", name);
		else if (labels[level->first_pu].text)
			printf("%*s%-8s %s\n", 2 * (int)level->depth, "", name, labels[level->first_pu].text);
		else
			unused++;
	}
	if (unused)
		printf("%u of %u PUs have no member\n", unused, topo->machine->n_pus);
	free(labels);
}

static void
print_members_json(const struct topo *topo)
{
	fputs("[", stdout);
	for (unsigned i = 0; i < topo->n_members; i++) {
		const struct fg_level *pu =
			topo->members[i].pu < topo->machine->n_pus ? topo->machine->pus[topo->members[i].pu] : NULL;
		printf("%s{\"member\": \"%s\", \"depth\": %u, \"pu\": %u}", i ? ",\n " : "", topo->members[i].name,
		       topo->members[i].depth, pu && pu->os_index != FG_NO_INDEX ? pu->os_index : topo->members[i].pu);
	}
	fputs("]\n", stdout);
}

static int
place_teams(struct topo *topo)
{
	static char text[1024];
	topo->teams.machine = topo->text;
	topo->teams.seed = "1";
	if (!topo->text) {
		if (!sit_machine_text(topo->machine, text, sizeof text))
			return complain("topo",
					"-n: the levels of this machine are not alike; give one with --machine");
		topo->teams.machine = text;
	}
	if (topo->machine->n_pus > FG_MODEL_PUS)
		return complain("topo", "-n: the machine has %u PUs; at most %d can be simulated", topo->machine->n_pus,
				FG_MODEL_PUS);
	return sit_find(&topo->teams, &topo->members, &topo->n_members);
}

static int
write_svg(const struct topo *topo)
{
	FILE *file = strcmp(topo->svg, "-") == 0 ? stdout : fopen(topo->svg, "w");
	if (!file) {
		complain("topo", "cannot write '%s': %s", topo->svg, strerror(errno));
		return 1;
	}
	struct fg_draw_label *labels = topo->teams.depth ? labels_of(topo) : NULL;
	fg_draw_machine(topo->machine, labels, file);
	free(labels);
	bool failed = ferror(file);
	if ((file == stdout ? fflush(file) : fclose(file)) != 0 || failed) {
		complain("topo", "cannot write '%s': %s", topo->svg, strerror(errno));
		return 1;
	}
	return 0;
}

static int
show(struct topo *topo)
{
	int status = topo->teams.depth ? place_teams(topo) : 0;
	if (status)
		return status;
	if (topo->json && topo->teams.depth)
		print_members_json(topo);
	else if (topo->json) {
		print_json(topo->machine->root, 0);
		putchar('\n');
	} else if (!topo->svg && topo->teams.depth)
		print_members(topo);
	else if (!topo->svg)
		fg_machine_print(topo->machine, stdout);
	return topo->svg ? write_svg(topo) : 0;
}

int
command_topo(int argc, char **argv)
{
	const char *environment = getenv("FGOMP_TOPOLOGY");
	struct topo topo = {.text = environment && *environment ? environment : NULL};
	int status = 0;
	for (int i = 1; i < argc && !status; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("topo"));
			return 0;
		}
		status = take_word(argc, argv, &i, &topo);
	}
	const struct sit_request *teams = &topo.teams;
	if (!status && !teams->depth && (teams->places || teams->bind || teams->sched))
		status = complain("topo",
				  "--places, --bind and --sched are for -n N,...: the teams that would sit there");
	if (!status)
		status = find_machine(&topo);
	if (!status)
		status = show(&topo);
	free(topo.members);
	if (topo.of_model)
		fg_model_free(&topo.model);
	else if (topo.machine)
		fg_machine_free(topo.machine);
	return status;
}
