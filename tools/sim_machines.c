/* The machines of `forestgomp sim`: the list of those that we deliver, the sources of one's figures, and words for a
 * text that names none. */
#include "sim.h"
#include "command.h"
#include "suggest.h"
#include "draw/json.h"
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *
sim_shelf(void)
{
	static const char *const places[] = {"/../share/machines", "/../" FG_DATADIR "/forestgomp/machines"};
	static char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 256);
	if (length > 0) {
		path[length] = '\0';
		char *end = strrchr(path, '/');
		for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
			strcpy(end, places[i]);
			if (access(path, R_OK) == 0)
				return path;
		}
	}
	static const char installed[] = FG_PREFIX "/" FG_DATADIR "/forestgomp/machines";
	return access(installed, R_OK) == 0 ? installed : NULL;
}

static int
is_machine(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');
	return dot && strcmp(dot, ".machine") == 0;
}

static void
list_one(const char *folder, char *name, bool json, bool first)
{
	struct fg_model model;
	char path[8192];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	bool read = fg_model_read(&model, path);
	*strrchr(name, '.') = '\0';
	if (!read)
		complain("sim", "%s:%u: %s", path, model.line, model.why);
	else if (!json)
		printf("%-18s %4u PUs  %s\n", name, model.machine->n_pus, model.name);
	else {
		printf("%s\n {\"name\": ", first ? "" : ",");
		fg_json_string(stdout, name);
		printf(", \"pus\": %u, \"topology\": ", model.machine->n_pus);
		fg_json_string(stdout, model.topology);
		printf(", \"machine\": ");
		fg_json_string(stdout, model.name);
		putchar('}');
	}
	fg_model_free(&model);
}

int
sim_list(bool json)
{
	const char *folder = sim_shelf();
	struct dirent **entries;
	int n = folder ? scandir(folder, &entries, is_machine, alphasort) : -1;
	if (n < 0)
		return complain("sim",
				"the folder of machine files is not where it was built or installed; run `make`");
	if (json)
		putchar('[');
	for (int i = 0; i < n; i++)
		list_one(folder, entries[i]->d_name, json, i == 0);
	if (json)
		puts("\n]");
	return 0;
}

#define NAMES 64

/* Finds the machine, or the level, whose name is nearest to a word of the text. NULL: none is near. */
static const char *
nearest_word(const char *text)
{
	static const char *const levels[] = {"numa",  "node", "package", "socket", "die",
					     "group", "l3",   "l2",	 "core",   "pu"};
	static char *names[NAMES];
	struct dirent **entries;
	const char *folder = sim_shelf();
	if (strchr(text, ':')) {
		const char *nearest = NULL;
		for (size_t length; *text && !nearest;
		     text += length + strcspn(text + length, " "), text += strspn(text, " ")) {
			length = strcspn(text, ": ");
			nearest = suggest(text, length, levels, sizeof levels / sizeof *levels);
		}
		return nearest;
	}
	int n = folder ? scandir(folder, &entries, is_machine, alphasort) : 0, kept = 0;
	for (int i = 0; i < n && kept < NAMES; i++, kept++) {
		names[kept] = entries[i]->d_name;
		*strrchr(names[kept], '.') = '\0';
	}
	return suggest(text, strlen(text), (const char *const *)names, (unsigned)kept);
}

int
sim_complain_machine(const char *text, const struct fg_model *model)
{
	if (model->line)
		return complain("sim", "%s:%u: %s", text, model->line, model->why);
	const char *nearest = strchr(text, '/') ? NULL : nearest_word(text);
	return complain("sim",
			"--machine %s: %s%s%s%s; accepted: a name out of `forestgomp sim --list`, a machine file, an "
			"hwloc XML file (*.xml), or a list such as 'numa:4 l3:1 core:4'",
			text, model->why, nearest ? "; did you mean '" : "", nearest ? nearest : "",
			nearest ? "'?" : "");
}

static void
show_text(const char *key, const char *value, const char *source)
{
	printf("%-26s %-30s %s\n", key, value, source);
}

static void
show_json(const char *key, const char *value, const char *source)
{
	static bool more;
	printf("%s\n {\"key\": ", more ? "," : "");
	more = true;
	fg_json_string(stdout, key);
	printf(", \"value\": ");
	fg_json_string(stdout, value);
	printf(", \"source\": ");
	fg_json_string(stdout, source);
	putchar('}');
}

typedef void show(const char *key, const char *value, const char *source);

static char *
trimmed(char *text)
{
	text += strspn(text, " \t");
	size_t length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* The figures of the file. Returns its text, in which each key stands as "\nKEY =", for given(). Comments on lines of
 * their own explain the marks of sources. */
static char *
show_file(FILE *file, show *print, bool comments)
{
	char line[4096], *keys = strdup("\n"), *longer;
	while (fgets(line, sizeof line, file)) {
		char *source = strchr(line, '#'), *value = NULL;
		if (source)
			*source++ = '\0';
		char *key = trimmed(line);
		if (!*key && comments && source)
			printf("# %s\n", trimmed(source));
		if (!*key || !(value = strchr(key, '=')))
			continue;
		*value++ = '\0';
		key = trimmed(key);
		print(key, trimmed(value), source ? trimmed(source) : "");
		if (asprintf(&longer, "%s%s\n", keys, key) > 0) {
			free(keys);
			keys = longer;
		}
	}
	return keys;
}

static bool
given(const char *keys, const char *key)
{
	char line[64];
	snprintf(line, sizeof line, "\n%s\n", key);
	return strstr(keys, line);
}

static void
show_presets(const struct fg_model *model, const char *keys, show *print)
{
	char value[64];
#define SHOW(field, key, preset, meaning)                                                                              \
	if (!given(keys, key)) {                                                                                       \
		snprintf(value, sizeof value, "%g", (double)model->field);                                             \
		print(key, model->field < 0 ? "-" : value,                                                             \
		      model->field < 0 ? "not given: " meaning : "default, an estimate: " meaning);                    \
	}
	FG_MODEL_COSTS(SHOW)
	FG_MODEL_MEMORY(SHOW)
#undef SHOW
	if (!given(keys, "misses")) {
		snprintf(value, sizeof value, "%u", model->misses);
		print("misses", value, "default: lines that a PU can wait for at the same time");
	}
	if (!given(keys, "line.queue")) {
		snprintf(value, sizeof value, "%.2f", model->queue);
		print("line.queue", value,
		      "default, an estimate: the share of a transfer for which a line's home serves one reader");
	}
	for (unsigned kind = 0; model->estimated && kind < FG_LEVEL_KINDS; kind++) {
		const char *word;
		char key[64];
		snprintf(value, sizeof value, "%g", fg_model_preset((enum fg_level_kind)kind, &word));
		if (!word)
			continue;
		snprintf(key, sizeof key, "transfer.%s", word);
		print(key, value, "default, an estimate: until another PU has the line that shares no inner level");
	}
}

int
sim_show(const char *machine, bool json)
{
	struct fg_model model;
	const char *path = sim_machine_path(machine);
	show *print = json ? show_json : show_text;
	if (!fg_model_read(&model, path))
		return sim_complain_machine(machine, &model);
	FILE *file = model.source ? fopen(model.source, "r") : NULL;
	if (json)
		putchar('[');
	else
		printf("%s%s%s: %u PUs\n\n%-26s %-30s %s\n", bold, model.name, plain, model.machine->n_pus, "figure",
		       "value", "source");
	char *keys = file ? show_file(file, print, !json) : strdup("\n");
	if (!file)
		print("topology", model.topology, "the command line");
	show_presets(&model, keys, print);
	if (json)
		puts("\n]");
	if (file)
		fclose(file);
	free(keys);
	fg_model_free(&model);
	return 0;
}
