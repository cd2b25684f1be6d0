/* Model (floor: sim): see model.h. */
#include "sim/model.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/stream.h"

/* These are estimates for unknown machines, by the innermost level that two PUs share: a large x86 server of the
 * 2020s. */
static const double presets[FG_LEVEL_KINDS] = {
	[FG_MACHINE] = 150, [FG_NUMA_NODE] = 80, [FG_PACKAGE] = 80, [FG_DIE] = 60, [FG_GROUP] = 80,
	[FG_L3] = 25,	    [FG_L2] = 15,	 [FG_CORE] = 8,	    [FG_PU] = 0,
};

static bool __attribute__((format(printf, 2, 3)))
wrong(struct fg_model *model, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(model->why, sizeof model->why, format, args);
	va_end(args);
	return false;
}

/* The word for a level in the keys `transfer.LEVEL`. */
static const char *const level_words[FG_LEVEL_KINDS] = {
	[FG_MACHINE] = "machine", [FG_NUMA_NODE] = "node", [FG_PACKAGE] = "package", [FG_DIE] = "die",
	[FG_GROUP] = "group",	  [FG_L3] = "l3",	   [FG_L2] = "l2",	     [FG_CORE] = "core",
};

static double *
memory_figure(struct fg_model *model, const char *key, const char **unit)
{
#define FIND(field, name, preset, its_unit)                                                                            \
	if (strcmp(key, name) == 0) {                                                                                  \
		*unit = its_unit;                                                                                      \
		return &model->field;                                                                                  \
	}
	FG_MODEL_MEMORY(FIND)
#undef FIND
	return NULL;
}

static double *
cost_of(struct fg_model *model, const char *key)
{
#define FIND(field, name, preset, meaning)                                                                             \
	if (strcmp(key, name) == 0)                                                                                    \
		return &model->field;
	FG_MODEL_COSTS(FIND)
#undef FIND
	static const char prefix[] = "transfer.", hop[] = "transfer.hop";
	if (strncmp(key, hop, sizeof hop - 1) == 0 && key[sizeof hop - 1] >= '1' &&
	    key[sizeof hop - 1] <= '0' + FG_MODEL_HOPS && !key[sizeof hop])
		return &model->hop[key[sizeof hop - 1] - '0'];
	if (strncmp(key, prefix, sizeof prefix - 1) != 0)
		return NULL;
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		if (level_words[kind] && strcmp(key + sizeof prefix - 1, level_words[kind]) == 0)
			return &model->transfer[kind];
	return NULL;
}

static bool
read_hops(struct fg_model *model, const char *text)
{
	unsigned room = 0, n = 0;
	free(model->hops);
	model->hops = NULL;
	for (; *text; text++) {
		if (isspace((unsigned char)*text) || *text == '/')
			continue;
		if (*text < '0' || *text > '0' + FG_MODEL_HOPS)
			return wrong(model, "hops: links are digits from 0 to %d", FG_MODEL_HOPS);
		if (n == room)
			model->hops = realloc(model->hops, room = room ? 2 * room : 64);
		model->hops[n++] = (unsigned char)(*text - '0');
	}
	for (model->n_hops = 0; model->n_hops * model->n_hops < n;)
		model->n_hops++;
	if (n == 0 || model->n_hops * model->n_hops != n)
		return wrong(model, "hops: %u links are not a square", n);
	return true;
}

static bool
read_number(struct fg_model *model, const char *key, const char *value, const char *unit, double *number)
{
	char *end;
	*number = strtod(value, &end);
	if (end == value || *end || !(*number >= 0 && *number <= 1e9))
		return wrong(model, "%s: '%s' is not a number of %s", key, value, unit);
	return true;
}

/* The limit is needed because all tags of a cache are kept. */
#define CACHE_MAX_KB 4e6

static bool
read_memory_figure(struct fg_model *model, const char *key, const char *value, const char *unit, double *figure)
{
	if (!read_number(model, key, value, unit, figure))
		return false;
	if (*figure == 0 && strcmp(unit, "MB/s") == 0)
		return wrong(model, "%s: '%s' is nothing at all; accepted: more than 0 MB/s", key, value);
	if (*figure > CACHE_MAX_KB && strcmp(unit, "kilobytes") == 0)
		return wrong(model, "%s: '%s' is too large; accepted: up to %.0f kilobytes", key, value, CACHE_MAX_KB);
	return true;
}

/* The list begins with local memory's latency. The latencies over one link, over two, and so on follow. */
static bool
read_latencies(struct fg_model *model, const char *key, const char *value, double *list, unsigned *n)
{
	for (*n = 0; *value; (*n)++) {
		char *end;
		double number = strtod(value, &end);
		if (end == value || (*end && !isspace((unsigned char)*end)) || !(number > 0 && number <= 1e9))
			return wrong(model,
				     "%s: '%s' is not a list of nanoseconds: local memory's, then over one link, over "
				     "two ...",
				     key, value);
		if (*n > FG_MODEL_HOPS)
			return wrong(model, "%s: more than %d figures: local memory's, then over 1 to %d links", key,
				     FG_MODEL_HOPS + 1, FG_MODEL_HOPS);
		list[*n] = number;
		for (value = end; isspace((unsigned char)*value);)
			value++;
	}
	return true;
}

#define QUEUE_MAX 10 /* transfers */

static bool
read_share(struct fg_model *model, const char *key, const char *value, double most, double *share)
{
	char *end;
	*share = strtod(value, &end);
	if (end == value || *end || !(*share > 0 && *share <= most))
		return wrong(model, "%s: '%s' is not a share of more than 0 and at most %g", key, value, most);
	return true;
}

static bool
read_count(struct fg_model *model, const char *key, const char *value, unsigned most, unsigned *count)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);
	if (end == value || *end || number < 1 || number > most)
		return wrong(model, "%s: '%s' is not a number from 1 to %u", key, value, most);
	*count = (unsigned)number;
	return true;
}

static char *
trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	char *end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static bool
read_entry(struct fg_model *model, const char *key, const char *value)
{
	if (strcmp(key, "name") == 0) {
		free(model->name);
		model->name = strdup(value);
	} else if (strcmp(key, "topology") == 0) {
		free(model->topology);
		model->topology = strdup(value);
	} else if (strcmp(key, "xml") == 0) {
		free(model->topology);
		const char *slash = strrchr(model->source, '/');
		int folder = slash && *value != '/' ? (int)(slash + 1 - model->source) : 0;
		if (asprintf(&model->topology, "%.*s%s", folder, model->source, value) < 0)
			model->topology = NULL;
	} else if (strcmp(key, "hops") == 0) {
		return read_hops(model, value);
	} else if (strcmp(key, "memory.read") == 0) {
		return read_latencies(model, key, value, model->read, &model->n_read);
	} else if (strcmp(key, "memory.write") == 0) {
		return read_latencies(model, key, value, model->write, &model->n_write);
	} else if (strcmp(key, "smt") == 0) {
		return read_share(model, key, value, 1, &model->smt);
	} else if (strcmp(key, "line.queue") == 0) {
		return read_share(model, key, value, QUEUE_MAX, &model->queue);
	} else if (strcmp(key, "misses") == 0) {
		return read_count(model, key, value, FG_MISSES_MAX, &model->misses);
	} else if (strcmp(key, "note") != 0) {
		const char *unit = NULL;
		double *figure = memory_figure(model, key, &unit), *cost = cost_of(model, key);
		if (figure)
			return read_memory_figure(model, key, value, unit, figure);
		if (!cost)
			return wrong(model, "'%s' is not known here", key);
		return read_number(model, key, value, "nanoseconds", cost);
	}
	return true;
}

static bool
read_file(struct fg_model *model, FILE *file)
{
	char text[4096];
	for (model->line = 1; fgets(text, sizeof text, file); model->line++) {
		text[strcspn(text, "#")] = '\0';
		char *key = trim(text), *value = strchr(key, '=');
		if (!*key)
			continue;
		if (!value)
			return wrong(model, "not of the form 'key = value'");
		*value++ = '\0';
		value = trim(value);
		if (!*value)
			return wrong(model, "nothing follows the '='");
		if (!read_entry(model, trim(key), value))
			return false;
	}
	model->line = 0;
	if (!model->topology)
		return wrong(model, "neither 'topology' nor 'xml' is there");
	return true;
}

static bool
ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Each innermost level that is given without PUs gets one PU: "numa:4 l3:1 core:4". */
static bool
build(struct fg_model *model)
{
	const char *why = "";
	if (ends_in(model->topology, ".xml")) {
		model->machine = fg_machine_xml(model->topology, &why);
	} else {
		char *last = strrchr(model->topology, ' '), *whole = NULL;
		bool complete = !*model->topology || strncasecmp(last ? last + 1 : model->topology, "pu:", 3) == 0;
		if (asprintf(&whole, "%s%s", model->topology, complete ? "" : " pu:1") < 0)
			return wrong(model, "out of memory");
		free(model->topology);
		model->topology = whole;
		model->machine = fg_machine_synthetic(whole, &why);
	}
	if (!model->machine)
		return wrong(model, "%s", why);
	if (model->machine->n_pus > FG_MODEL_PUS)
		return wrong(model, "more than %d PUs", FG_MODEL_PUS);
	if (model->hops && model->n_hops < model->machine->n_numa_nodes)
		return wrong(model, "hops has %u rows, the machine %u NUMA nodes", model->n_hops,
			     model->machine->n_numa_nodes);
	return true;
}

bool
fg_model_read(struct fg_model *model, const char *text)
{
	*model = (struct fg_model){.estimated = true, .smt = 1, .queue = FG_MODEL_QUEUE, .misses = FG_MODEL_MISSES};
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		model->transfer[kind] = -1;
	for (unsigned hops = 0; hops <= FG_MODEL_HOPS; hops++)
		model->hop[hops] = -1;
#define PRESET(field, key, preset, meaning) model->field = preset;
	FG_MODEL_COSTS(PRESET)
	FG_MODEL_MEMORY(PRESET)
#undef PRESET
	FILE *file = ends_in(text, ".xml") || strchr(text, ':') ? NULL : fg_stream_open(text, "r");
	if (file) {
		model->source = strdup(text);
		bool read = read_file(model, file);
		fclose(file);
		if (!read)
			return false;
	} else if (strchr(text, '/') && !ends_in(text, ".xml")) {
		return wrong(model, "%s", strerror(errno));
	} else {
		model->topology = strdup(text);
	}
	if (!model->name)
		model->name = strdup(text);
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		model->estimated = model->estimated && model->transfer[kind] < 0;
	return build(model);
}

/* Leaves the first PU of a machine of an XML file, with all of its caches. */
static bool
keep_first_pu(struct fg_model *model)
{
	struct fg_level *pu = model->machine->pus[0];
	const struct fg_level *inner = fg_level_above(pu, FG_L2), *outer = fg_level_above(pu, FG_L3);
	if (inner && inner->cache_bytes && model->cache_l2 < 0)
		model->cache_l2 = (double)inner->cache_bytes / 1024;
	if (outer && outer->cache_bytes && model->cache_l3 < 0)
		model->cache_l3 = (double)outer->cache_bytes / 1024;
	free(model->topology);
	model->topology = strdup(outer ? "l3:1 core:1 pu:1" : "core:1 pu:1");
	fg_machine_free(model->machine);
	model->machine = NULL;
	return build(model);
}

#define WORDS 16

bool
fg_model_resize(struct fg_model *model, unsigned n_pus)
{
	char *words[WORDS], *whole = NULL, *saved;
	unsigned counts[WORDS], n = 0;
	if (ends_in(model->topology, ".xml"))
		return n_pus == 1 ? keep_first_pu(model)
				  : wrong(model, "a machine of an XML file can only be cut down to one PU");
	for (char *word = strtok_r(model->topology, " ", &saved); word; word = strtok_r(NULL, " ", &saved)) {
		words[n] = word;
		word[strcspn(word, ":")] = '\0';
		counts[n++] = (unsigned)atoi(word + strlen(word) + 1);
	}
	unsigned left = n_pus;
	for (unsigned i = n; i-- > 0;) {
		unsigned here = i == 0 || counts[i] > left ? left : counts[i];
		if (left % here)
			return wrong(model, "%u PUs do not fill its levels evenly", n_pus);
		left /= here;
		counts[i] = here;
	}
	for (unsigned i = 0; i < n; i++) {
		char *longer;
		if (asprintf(&longer, "%s%s%s:%u", whole ? whole : "", whole ? " " : "", words[i], counts[i]) < 0)
			return wrong(model, "out of memory");
		free(whole);
		whole = longer;
	}
	free(model->topology);
	model->topology = whole;
	fg_machine_free(model->machine);
	model->machine = NULL;
	return build(model);
}

void
fg_model_free(struct fg_model *model)
{
	free(model->name);
	free(model->topology);
	free(model->source);
	free(model->hops);
	if (model->machine)
		fg_machine_free(model->machine);
}

int
fg_model_core(const struct fg_model *model, unsigned pu)
{
	const struct fg_level *core = fg_level_above(model->machine->pus[pu], FG_CORE);
	return core && core->n_pus > 1 && model->smt < 1 ? (int)core->first_pu : -1;
}

unsigned
fg_model_node(const struct fg_model *model, unsigned pu)
{
	const struct fg_level *node = fg_level_above(model->machine->pus[pu], FG_NUMA_NODE);
	unsigned number = 0;
	for (unsigned i = 0; node && i < model->machine->n_levels && model->machine->levels[i] != node; i++)
		number += fg_level_is(model->machine->levels[i], FG_NUMA_NODE);
	return number;
}

unsigned
fg_model_hops(const struct fg_model *model, unsigned from, unsigned to)
{
	return model->hops ? model->hops[fg_model_node(model, from) * model->n_hops + fg_model_node(model, to)] : 0;
}

unsigned
fg_model_node_hops(const struct fg_model *model, unsigned from, unsigned to)
{
	return model->hops ? model->hops[from * model->n_hops + to] : from != to;
}

/* These are estimates, like those for lines. */
#define LOCAL_NS 90
#define LINK_NS 50

double
fg_model_memory(const struct fg_model *model, unsigned hops, bool write)
{
	unsigned n = write && model->n_write ? model->n_write : model->n_read;
	const double *list = write && model->n_write ? model->write : model->read;
	if (n == 0)
		return LOCAL_NS + LINK_NS * (double)hops;
	if (hops < n)
		return list[hops];
	double last = list[n - 1], step = n > 1 ? last - list[n - 2] : LINK_NS;
	return last + step * (hops - n + 1);
}

/* The figure of the innermost kind that has one, of this level or of those above it. */
static double
by_level(const double *figure, const struct fg_level *level)
{
	for (; level; level = level->parent)
		for (int kind = FG_LEVEL_KINDS - 1; kind >= 0; kind--)
			if (fg_level_is(level, (enum fg_level_kind)kind) && figure[kind] >= 0)
				return figure[kind];
	return -1;
}

double
fg_model_preset(enum fg_level_kind kind, const char **word)
{
	*word = level_words[kind];
	return presets[kind];
}

double
fg_model_transfer(const struct fg_model *model, unsigned from, unsigned to)
{
	if (from == to)
		return 0;
	unsigned hops = fg_model_hops(model, from, to);
	if (hops && model->hop[hops] >= 0)
		return model->hop[hops];
	const struct fg_level *common = fg_level_common(model->machine->pus[from], model->machine->pus[to]);
	double given = by_level(model->transfer, common);
	return given >= 0 ? given : by_level(presets, common);
}
