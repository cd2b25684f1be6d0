/* What a trace tells of sharing (command): see pin_uses.h. A touch is two events of one thread, a use is one. */
#include "pin_uses.h"
#include "plan/room.h"
#include "platform/code.h"
#include "trace/trace.h"

#include <string.h>

#define REGIONS_MOST 256
#define GRAPHS_MOST (1u << 24) /* weights in all graphs of a kind, which bounds the regions of large teams */
#define BYTES_MOST (UINT64_C(1) << 40)
#define HOT 0.95

void
pin_region_name(const struct fg_trace *trace, uint64_t function, char name[FG_PIN_NAME])
{
	name[0] = '\0';
	for (size_t i = 0; i < trace->n_modules; i++) {
		const struct fg_trace_module *module = &trace->modules[i];
		if (function >= module->low && function < module->high &&
		    !fg_code_name_in_file(module->path, function - module->bias, name, FG_PIN_NAME))
			name[0] = '\0';
	}
}

static bool
is_outermost(const struct fg_story_bubble *bubble, unsigned members)
{
	return bubble->parent == FG_NOBODY && bubble->region != FG_NOBODY && bubble->members == members;
}

unsigned
pin_sharing_size(const struct fg_story *story, unsigned most)
{
	most = most < PIN_MEMBERS ? most : PIN_MEMBERS;
	uint64_t *time = fg_room(most + 1, sizeof *time), longest = 0;
	unsigned size = 0;
	for (size_t i = 0; i < story->n_bubbles; i++) {
		const struct fg_story_bubble *bubble = &story->bubbles[i];
		if (bubble->members < 2 || bubble->members > most || !is_outermost(bubble, bubble->members))
			continue;
		time[bubble->members] += bubble->join > bubble->meet ? bubble->join - bubble->meet : 0;
		if (time[bubble->members] > longest) {
			longest = time[bubble->members];
			size = bubble->members;
		}
	}
	free(time);
	return size;
}

/* places[i]: the region of the story among those of the sharing; FG_NOBODY: it has no such team. */
static void
find_regions(const struct fg_story *story, struct pin_sharing *sharing, unsigned *places)
{
	for (size_t i = 0; i < story->n_regions; i++)
		places[i] = FG_NOBODY;
	unsigned most = GRAPHS_MOST / sharing->members / sharing->members;
	most = most < REGIONS_MOST ? most : REGIONS_MOST;
	sharing->region = fg_room(most, sizeof *sharing->region);
	for (size_t i = 0; i < story->n_bubbles; i++) {
		const struct fg_story_bubble *bubble = &story->bubbles[i];
		if (!is_outermost(bubble, sharing->members))
			continue;
		unsigned *place = &places[bubble->region];
		if (*place == FG_NOBODY && sharing->n < most) {
			struct pin_sharer *one = &sharing->region[sharing->n];
			const struct fg_story_region *region = &story->regions[bubble->region];
			pin_region_name(story->trace, region->function, one->name);
			snprintf(one->label, sizeof one->label, "%s", region->label);
			one->at = FG_NOBODY;
			*place = sharing->n++;
		}
		if (*place == FG_NOBODY)
			continue;
		sharing->region[*place].calls++;
		sharing->region[*place].time += bubble->join > bubble->meet ? bubble->join - bubble->meet : 0;
	}
}

static void
find_hot(struct pin_sharing *sharing)
{
	double all = 0, hot = 0;
	for (unsigned r = 0; r < sharing->n; r++)
		all += (double)sharing->region[r].time;
	while (hot < HOT * all) {
		struct pin_sharer *next = NULL;
		for (unsigned r = 0; r < sharing->n; r++) {
			struct pin_sharer *one = &sharing->region[r];
			if (!one->hot && (!next || one->time > next->time))
				next = one;
		}
		if (!next)
			return;
		next->hot = true;
		hot += (double)next->time;
	}
}

struct meeting {
	uint64_t time;
	unsigned region;
};

static int
by_time(const void *a, const void *b)
{
	const struct meeting *x = a, *y = b;
	return (x->time > y->time) - (x->time < y->time);
}

static void
find_order(const struct fg_story *story, struct pin_sharing *sharing, const unsigned *places)
{
	struct meeting *met = fg_room(story->n_bubbles, sizeof *met);
	size_t n = 0;
	for (size_t i = 0; i < story->n_bubbles; i++) {
		const struct fg_story_bubble *bubble = &story->bubbles[i];
		if (is_outermost(bubble, sharing->members) && places[bubble->region] != FG_NOBODY)
			met[n++] = (struct meeting){bubble->meet, places[bubble->region]};
	}
	if (n)
		qsort(met, n, sizeof *met, by_time);
	sharing->follows = fg_room((size_t)sharing->n * sharing->n, sizeof *sharing->follows);
	for (size_t i = 0; i + 1 < n; i++)
		sharing->follows[(size_t)met[i].region * sharing->n + met[i + 1].region]++;
	free(met);
}

/* The place of the region of an outermost team, in which the record's thread is; FG_NOBODY: it is in none. */
static unsigned
region_of(const struct fg_story *story, const struct pin_sharing *sharing, const unsigned *places,
	  const struct fg_trace_record *record)
{
	if (!record->bubble || record->member >= sharing->members)
		return FG_NOBODY;
	uint32_t bubble = fg_story_bubble_of(story, record->bubble);
	if (bubble == FG_NOBODY || !is_outermost(&story->bubbles[bubble], sharing->members))
		return FG_NOBODY;
	return places[story->bubbles[bubble].region];
}

static void
find_uses(const struct fg_story *story, const struct pin_sharing *sharing, const unsigned *places, struct fg_uses *uses)
{
	const struct fg_trace *trace = story->trace;
	/* Of each thread: the touch in which it is. */
	const struct fg_trace_record **touch = fg_room(story->n_threads, sizeof *touch);
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		bool begins = record->event == FG_EVENT_touch, ends = record->event == FG_EVENT_touched,
		     is_use = record->event == FG_EVENT_use;
		if (!begins && !ends && !is_use)
			continue;
		unsigned region = region_of(story, sharing, places, record);
		if (region == FG_NOBODY)
			continue;
		if (is_use) {
			fg_uses_count(uses, region, record->member, record->b, record->a / FG_TRACE_USE_ONE,
				      record->a & FG_TRACE_USE_WRITES);
			continue;
		}
		uint32_t thread = fg_story_thread_of(story, record->bubble, record->member);
		if (thread == FG_NOBODY)
			continue;
		if (ends && touch[thread] && record->b <= BYTES_MOST)
			fg_uses_add(uses, region, record->member, touch[thread]->b, record->b,
				    touch[thread]->a & FG_TRACE_TOUCH_WRITES);
		touch[thread] = begins ? record : NULL;
	}
	free(touch);
	fg_uses_sort(uses);
}

static void
make_graphs(struct pin_sharing *sharing, const struct fg_uses *uses)
{
	size_t n = sharing->n, members = sharing->members;
	sharing->graphs = fg_room(n, sizeof *sharing->graphs);
	sharing->stays = fg_room(n * n * members, sizeof *sharing->stays);
	for (unsigned r = 0; r < n; r++) {
		fg_graph_make(uses, r, sharing->members, &sharing->graphs[r]);
		sharing->records += sharing->graphs[r].records;
		for (unsigned to = 0; to < n; to++)
			if (to != r && sharing->follows[r * n + to] > 0)
				fg_uses_common(uses, r, to, sharing->members, sharing->stays + (r * n + to) * members);
	}
	sharing->lost = uses->lost;
}

bool
pin_sharing_tell(const struct fg_story *story, unsigned members, struct pin_sharing *sharing)
{
	struct fg_uses uses = {0};
	unsigned *places = fg_room(story->n_regions, sizeof *places);
	*sharing = (struct pin_sharing){.members = members};
	find_regions(story, sharing, places);
	find_hot(sharing);
	find_order(story, sharing, places);
	find_uses(story, sharing, places, &uses);
	bool told = uses.n > 0;
	if (told)
		make_graphs(sharing, &uses);
	else
		pin_sharing_free(sharing);
	fg_uses_free(&uses);
	free(places);
	return told;
}

void
pin_sharing_free(struct pin_sharing *sharing)
{
	for (unsigned r = 0; sharing->graphs && r < sharing->n; r++)
		fg_graph_free(&sharing->graphs[r]);
	free(sharing->region);
	free(sharing->graphs);
	free(sharing->follows);
	free(sharing->stays);
	*sharing = (struct pin_sharing){0};
}
