/* Seatings from a recording, as further candidates of `forestgomp pin` (command). */
#include "pin.h"
#include "command.h"
#include "plan/room.h"
#include "plan/sampled.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define APART_MOST 0.02 /* of the prices of plans from both halves of the samples */
#define WORTH 0.01	/* what seats by region must save, of the price */
#define WORTH_SAMPLED 0.05

/* A model of this machine without a figure: so each has its default. */
void
pin_plan_estimate(struct pin *pin)
{
	const struct fg_model presets = {.thread_switch = 26, .cache_l2 = -1, .cache_l3 = -1};
	pin->model = presets;
	pin->model.machine = pin->tree;
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		pin->model.transfer[kind] = -1;
}

static double
between(const void *pin, unsigned from, unsigned to)
{
	return fg_model_transfer(&((const struct pin *)pin)->model, from, to);
}

/* Lines that a PU's caches keep of a member: it has its part of those that it shares. */
static double
kept(const struct pin *pin, const struct fg_level *pu)
{
	double l2 = pin->model.cache_l2, l3 = pin->model.cache_l3, kilobytes = l2 >= 0 ? l2 : FG_MODEL_L2_A_PU;
	for (const struct fg_level *level = pu; level; level = level->parent) {
		if (l2 < 0 && level->cache_bytes && fg_level_is(level, FG_L2))
			kilobytes = (double)level->cache_bytes / 1024 / level->n_pus;
		if (!fg_level_is(level, FG_L3))
			continue;
		double size = l3 >= 0 ? l3 : (double)level->cache_bytes / 1024;
		return 1024 / FG_USE_BLOCK * (kilobytes + (size > 0 ? size / level->n_pus : FG_MODEL_L3_A_PU));
	}
	return 1024 / FG_USE_BLOCK * kilobytes;
}

static bool
has_regions(const struct fg_story *story, const struct fg_trace_module *module)
{
	for (size_t r = 0; r < story->n_regions; r++)
		if (story->regions[r].function >= module->low && story->regions[r].function < module->high)
			return true;
	return false;
}

/* The file of a region's code is newer than the recording: offsets may be those of other regions. */
static bool
is_outdated(const struct pin *pin, const struct fg_story *story)
{
	struct stat file;
	const struct fg_trace *trace = story->trace;
	for (size_t i = 0; i < trace->n_modules; i++) {
		const char *path = trace->modules[i].path;
		if (!has_regions(story, &trace->modules[i]) || *path != '/' || stat(path, &file) != 0 ||
		    (uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec <= trace->head.wall)
			continue;
		complain("pin", "%s was written after %s: record it again", path, pin->from);
		return true;
	}
	return false;
}

/* Returns 0, or an exit status after a message. */
static int
tell_sharing(struct pin *pin, const struct fg_trace *trace, const struct fg_story *story)
{
	unsigned size = pin_sharing_size(story, FG_MODEL_PUS);
	char recorder[16];
	fg_trace_fact(trace, "recorder", recorder, sizeof recorder);
	pin->built_anew = strcmp(recorder, "hooks") == 0;
	bool told = size && pin_sharing_tell(story, size, &pin->sharing);
	int status = told && is_outdated(pin, story) ? 1 : 0;
	/* Hooks in a signal handler may meet a table in the midst of a change, and lose an access. */
	bool few = pin->built_anew && trace->head.dropped * 100 <= pin->sharing.records;
	if (trace->cut || (trace->head.dropped && !few) ||
	    (trace->lost && !pin->sharing.samples)) { /* of samples a part will do */
		complain("pin", "%s tells a part of the run only (%s): record it again", pin->from, trace->note);
		status = 1;
	} else if (!told)
		status = complain("pin", "%s tells no data that regions use: docs/pinning.md tells how to record them",
				  pin->from);
	return status;
}

int
pin_plan_read(struct pin *pin)
{
	char why[200];
	struct fg_trace *trace = fg_trace_read(pin->from, why, sizeof why);
	if (!trace)
		return complain("pin", "%s %s", pin->from, why);
	struct fg_story *story = fg_story_tell(trace);
	int status = pin->perf.path ? pin_perf_add(&pin->perf, trace, story) : 0;
	if (!status)
		status = tell_sharing(pin, trace, story);
	fg_story_free(story);
	fg_trace_free(trace);
	return status;
}

/* A program with hooks in it is another build, so its regions have the same names for people only. */
static bool
is_same(const struct pin *pin, const struct pin_sharer *one, const struct pin_region *region)
{
	return pin->built_anew ? strcmp(one->label, region->label) == 0
			       : *one->name && strcmp(one->name, region->name) == 0;
}

int
pin_plan_match(struct pin *pin)
{
	unsigned found = 0;
	for (unsigned r = 0; r < pin->sharing.n; r++) {
		struct pin_sharer *one = &pin->sharing.region[r];
		for (unsigned i = 0; i < pin->n_regions; i++)
			if (is_same(pin, one, &pin->region[i]))
				one->at = i;
		found += one->at != FG_NOBODY;
	}
	if (!pin->from)
		return 0;
	if (!found) {
		complain("pin", "%s is of another program than %s, or of another build", pin->from, pin->program[0]);
		return 1;
	}
	if (pin->sharing.members != pin->threads) {
		complain("pin", "%s is of teams of %u, and %s has teams of %u", pin->from, pin->sharing.members,
			 pin->program[0], pin->threads);
		return 1;
	}
	return 0;
}

static struct pin_candidate *
add(struct pin *pin, const char *name)
{
	struct pin_candidate *candidate = &pin->candidate[pin->n++];
	candidate->pinned = true;
	candidate->size = pin->threads;
	candidate->pu = pin->seating.fixed;
	snprintf(candidate->name, sizeof candidate->name, "%s", name);
	return candidate;
}

const uint16_t *
pin_plan_pus(const struct pin *pin, unsigned region)
{
	return pin->seating.by_region + (size_t)region * pin->sharing.members;
}

/* No region has a line of its own in a pin file without a name, or if the program did not meet it. */
static void
add_by_region(struct pin *pin)
{
	struct pin_candidate *candidate = add(pin, "planned, by region");
	candidate->by_region = true;
	bool any = false;
	for (unsigned r = 0; r < pin->sharing.n; r++) {
		const uint16_t *pu = pin_plan_pus(pin, r);
		if (pin->sharing.region[r].at == FG_NOBODY || memcmp(pu, candidate->pu, pin->threads * sizeof *pu) == 0)
			continue;
		candidate->of_region[pin->sharing.region[r].at] = pu;
		any = true;
	}
	if (!any) {
		*candidate = (struct pin_candidate){0};
		pin->n--;
	}
}

/* A region that takes much of the time needs some samples of each member. */
static bool
has_few(const struct pin_sharing *sharing)
{
	for (unsigned r = 0; r < sharing->n; r++)
		if (sharing->region[r].hot &&
		    sharing->region[r].samples < (uint64_t)FG_SAMPLED_LEAST * sharing->members)
			return true;
	return false;
}

/* The price for these graphs, of seats by region or of the fixed ones. */
static double
price_of(struct fg_seating_ask ask, const struct fg_graph *graphs, const struct fg_seating *seating, bool moves)
{
	unsigned n = ask.seats->n;
	uint16_t *fixed = fg_room((size_t)n * ask.regions, sizeof *fixed);
	for (unsigned r = 0; r < ask.regions; r++)
		memcpy(fixed + (size_t)r * n, seating->fixed, n * sizeof *fixed);
	ask.graphs = graphs;
	double price = fg_seating_price(&ask, moves ? seating->by_region : fixed);
	free(fixed);
	return price;
}

/* Each half of the samples has its plan. If what samples tell is more than chance, seats by region that one half finds
 * pay for the other half, too, and both plans cost about as much as that of all samples. */
static void
judge_samples(struct pin *pin, struct fg_seating_ask ask)
{
	struct pin_sharing *sharing = &pin->sharing;
	const struct fg_graph *all = ask.graphs;
	struct fg_seating seating[PIN_HALVES];
	bool pays = true;
	for (unsigned half = 0; half < PIN_HALVES; half++) {
		const struct fg_graph *other = sharing->half[!half];
		ask.graphs = sharing->half[half];
		fg_seating_find(&ask, &seating[half]);
		pays &= price_of(ask, other, &seating[half], true) <=
			(1 - WORTH_SAMPLED) * price_of(ask, other, &seating[half], false);
	}
	double least = price_of(ask, all, &pin->seating, pays), first = price_of(ask, all, &seating[0], pays),
	       second = price_of(ask, all, &seating[1], pays), most = first > second ? first : second;
	pin->apart = most > least ? (most - least) / most : 0;
	pin->unsure = pin->apart > APART_MOST || has_few(sharing);
	for (unsigned r = 0; r < sharing->n && !pays; r++)
		memcpy(pin->seating.by_region + (size_t)r * sharing->members, pin->seating.fixed,
		       sharing->members * sizeof *pin->seating.fixed);
	pin->seating.moves &= pays;
	for (unsigned half = 0; half < PIN_HALVES; half++)
		fg_seating_free(&seating[half]);
}

void
pin_plan_add(struct pin *pin, unsigned best)
{
	struct pin_sharing *sharing = &pin->sharing;
	const uint16_t *starts[PIN_CANDIDATES];
	unsigned n = 0;
	if (!sharing->n || sharing->members != pin->threads)
		return;
	pin->planned_from = best;
	fg_seats_make(&pin->seats, pin->tree, pin->candidate[best].pu, pin->threads, between, pin);
	pin->seats.move = pin->model.thread_switch;
	double most = kept(pin, pin->tree->pus[pin->seats.pu[0]]);
	for (size_t edge = 0; edge < (size_t)sharing->n * sharing->n; edge++)
		for (double *stays = sharing->stays + edge * pin->threads, *end = stays + pin->threads;
		     sharing->follows[edge] > 0 && stays < end; stays++)
			*stays = *stays < most ? *stays : most;
	for (unsigned i = 1; i < pin->n; i++)
		if (pin_same_pus(&pin->candidate[i], &pin->candidate[best]))
			starts[n++] = pin->candidate[i].pu;
	bool *hot = fg_room(sharing->n, sizeof *hot);
	for (unsigned r = 0; r < sharing->n; r++)
		hot[r] = sharing->region[r].hot;
	struct fg_seating_ask ask = {&pin->seats,
				     sharing->n,
				     sharing->graphs,
				     hot,
				     sharing->follows,
				     sharing->stays,
				     starts,
				     n,
				     sharing->samples ? WORTH_SAMPLED : WORTH};
	fg_seating_find(&ask, &pin->seating);
	if (sharing->samples)
		judge_samples(pin, ask);
	free(hot);
	pin->shares = true;
	if (pin->unsure)
		return;
	if (!pin_has_alike(pin, pin->seating.fixed))
		add(pin, "planned");
	if (pin->seating.moves)
		add_by_region(pin);
}

/* The pairs between which the most lines go, up to eight. */
static void
print_pairs(const struct fg_graph *graph)
{
	double before = -1;
	unsigned shown = 0, n = graph->members;
	for (double most = 1; most > 0 && shown < 8;) {
		most = 0;
		for (size_t i = 0; i < (size_t)n * n; i++)
			if (i / n < i % n && graph->lines[i] > most && (before < 0 || graph->lines[i] < before))
				most = graph->lines[i];
		for (size_t i = 0; i < (size_t)n * n && shown < 8; i++)
			if (most > 0 && i / n < i % n && graph->lines[i] >= most &&
			    (before < 0 || graph->lines[i] < before))
				printf("%s %zu-%zu", shown++ ? "," : "; most:", i / n, i % n);
		before = most;
	}
	putchar('\n');
}

static void
print_seats(const char *name, const uint16_t *pu, unsigned n)
{
	printf("%s:", name);
	for (unsigned k = 0; k < n; k++)
		printf(" %u", pu[k]);
	putchar('\n');
}

void
pin_plan_print(const struct pin *pin)
{
	const struct pin_sharing *sharing = &pin->sharing;
	printf("%u threads, %u region%s, %" PRIu64 " blocks of members\n", sharing->members, sharing->n,
	       sharing->n == 1 ? "" : "s", sharing->records);
	for (unsigned r = 0; r < sharing->n; r++) {
		const struct pin_sharer *one = &sharing->region[r];
		double lines = 0;
		for (size_t i = 0; i < (size_t)sharing->members * sharing->members; i++)
			lines += sharing->graphs[r].lines[i] / 2;
		if (!one->hot)
			continue;
		printf("  %s: %" PRIu64 " call%s, %.0f lines go from one to another", one->label, one->calls,
		       one->calls == 1 ? "" : "s", lines);
		print_pairs(&sharing->graphs[r]);
	}
	if (pin->perf.path)
		printf("%s: %" PRIu64 " loads and stores, %" PRIu64 " of them in regions\n", pin->perf.path,
		       pin->perf.read, pin->perf.used);
	if (sharing->samples)
		printf("%" PRIu64 " samples%s: a plan from half of them costs up to %.1f%% more\n", sharing->samples,
		       has_few(sharing) ? ", too few" : "", 100 * pin->apart);
	if (pin->unsure) {
		printf("They do not tell where members should sit: record a longer run.\n");
		return;
	}
	printf("PU of each member\n");
	print_seats("  all regions", pin->seating.fixed, sharing->members);
	for (unsigned r = 0; r < sharing->n && pin->seating.moves; r++)
		if (memcmp(pin_plan_pus(pin, r), pin->seating.fixed, sharing->members * sizeof *pin->seating.fixed) !=
		    0) {
			printf("  ");
			print_seats(sharing->region[r].label, pin_plan_pus(pin, r), sharing->members);
		}
	printf("%s Nothing was measured: give the program, too.\n",
	       pin->seating.moves ? "Seats by region pay by reckoning." : "Regions need no seats of their own.");
}

static void
print_json_numbers(const char *name, const double *numbers, size_t n)
{
	printf(", \"%s\": [", name);
	for (size_t i = 0; i < n; i++)
		printf("%s%.0f", i ? ", " : "", numbers[i]);
	printf("]");
}

static void
print_json_pus(const uint16_t *pu, unsigned n)
{
	printf(", \"pus\": [");
	for (unsigned k = 0; k < n; k++)
		printf("%s%u", k ? ", " : "", pu[k]);
	printf("]");
}

/* Graphs are lists of rows without a break. */
void
pin_plan_print_json(const struct pin *pin)
{
	const struct pin_sharing *sharing = &pin->sharing;
	size_t square = (size_t)sharing->members * sharing->members;
	printf("{\"machine\": \"%u %016" PRIx64 "\", ", pin->tree->n_pus, fg_pin_digest(pin->tree));
	printf("\"threads\": %u, \"records\": %" PRIu64 ", \"lost_bytes\": %" PRIu64 ", \"samples\": %" PRIu64
	       ", \"halves_apart\": %.4f, \"sure\": %s, \"moves\": %s",
	       sharing->members, sharing->records, sharing->lost, sharing->samples, pin->apart,
	       pin->unsure ? "false" : "true", pin->seating.moves ? "true" : "false");
	print_json_pus(pin->seating.fixed, sharing->members);
	print_json_numbers("follows", sharing->follows, (size_t)sharing->n * sharing->n);
	printf(", \"regions\": [");
	for (unsigned r = 0; r < sharing->n; r++) {
		const struct pin_sharer *one = &sharing->region[r];
		const struct fg_graph *graph = &sharing->graphs[r];
		printf("%s\n {\"code\": ", r ? "," : "");
		fg_json_string(stdout, one->name);
		printf(", \"label\": ");
		fg_json_string(stdout, one->label);
		printf(", \"calls\": %" PRIu64 ", \"time_ns\": %" PRIu64 ", \"hot\": %s, \"records\": %" PRIu64
		       ", \"reads\": %.0f, \"writes\": %.0f",
		       one->calls, one->time, one->hot ? "true" : "false", graph->records, graph->reads, graph->writes);
		print_json_pus(pin_plan_pus(pin, r), sharing->members);
		print_json_numbers("sm", graph->sm, square);
		print_json_numbers("rwm", graph->rwm, square);
		print_json_numbers("lines", graph->lines, square);
		printf("}");
	}
	printf("]}");
}
