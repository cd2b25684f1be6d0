/* The page of a trace (floor: draw): the model as JSON, between the parts of src/draw/page. This program contains those
 * as text. */
#include "draw/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/decisions.h"
#include "draw/json.h"
#include "draw/page_parts.h" /* scripts/embed.py makes it of src/draw/page */
#include "machine/machine.h"

#define SLICES_MAX 150000 /* with more, browsers are slow */
#define MOVES_MAX 100000

struct window {
	uint64_t from, to; /* ns of the trace's clock */
};

static void
fact(const struct fg_story *story, const char *name, FILE *file)
{
	char value[4096];
	fg_trace_fact(story->trace, name, value, sizeof value);
	fprintf(file, "\"%s\":", name);
	fg_json_string(file, value);
	fputc(',', file);
}

/* The moves of bubbles. The picture of the runqueues is made of them. */
static bool
is_move(unsigned event)
{
	switch (event) {
	case FG_EVENT_wait:
	case FG_EVENT_go:
	case FG_EVENT_task:
	case FG_EVENT_task_end:
	case FG_EVENT_sleep:
	case FG_EVENT_wake:
		return false;
	default:
		return true;
	}
}

/* The member that met a region waits for the region's end as a member that has ended. So its way off a PU and back is
 * no move. */
static bool
is_after_end(const struct fg_story *story, const struct fg_trace_record *record)
{
	if (record->event != FG_EVENT_suspend && record->event != FG_EVENT_resume && record->event != FG_EVENT_ready)
		return false;
	uint32_t thread = fg_story_thread_of(story, record->bubble, record->member);
	return thread != FG_NOBODY && story->threads[thread].ended && record->time >= story->threads[thread].end;
}

static bool
overlaps(const struct window *window, uint64_t from, uint64_t to)
{
	return from <= window->to && to >= window->from;
}

static int
by_end(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Returns the end of the part that a page can show, beginning at `from`. */
static uint64_t
bearable(const struct fg_story *story, uint64_t from)
{
	uint64_t end = story->to;
	size_t n = 0, moves = 0;
	uint64_t *ends = malloc((story->n_slices + 1) * sizeof *ends);
	for (size_t i = 0; ends && i < story->n_slices; i++)
		if (story->slices[i].to >= from)
			ends[n++] = story->slices[i].to;
	if (n > SLICES_MAX) {
		qsort(ends, n, sizeof *ends, by_end);
		end = ends[SLICES_MAX];
	}
	free(ends);
	for (size_t i = 0; i < story->trace->n_items; i++) {
		const struct fg_trace_record *record = &story->trace->items[i].record;
		if (record->time >= from && is_move(record->event) && ++moves == MOVES_MAX)
			return record->time < end ? record->time : end;
	}
	return end;
}

static void
levels(const struct fg_trace *trace, FILE *file)
{
	fputs("\"levels\":[", file);
	for (size_t i = 0; i < trace->n_levels; i++) {
		const struct fg_trace_level *level = &trace->levels[i];
		struct fg_level named = {.kind = level->kind, .kinds = level->kinds, .os_index = level->os_index};
		char name[80];
		fprintf(file, "%s[", i ? "," : "");
		fg_json_string(file, fg_level_name(&named, name, sizeof name));
		fprintf(file, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", level->depth, level->first_pu, level->n_pus);
	}
	fputs("],\n", file);
}

static void
regions(const struct fg_story *story, FILE *file)
{
	fputs("\"regions\":[", file);
	for (size_t i = 0; i < story->n_regions; i++) {
		const struct fg_story_region *region = &story->regions[i];
		fprintf(file, "%s\n{\"label\":", i ? "," : "");
		fg_json_string(file, region->label);
		fputs(",\"name\":", file);
		fg_json_string(file, region->name);
		fprintf(file,
			",\"calls\":%" PRIu64 ",\"time\":%" PRIu64 ",\"fewest\":%" PRIu32 ",\"most\":%" PRIu32
			",\"cpu\":%" PRIu64 ",\"work\":%" PRIu64 ",\"waited\":%" PRIu64
			",\"imbalance\":%.4f,\"steals\":%" PRIu64 ",\"migrations\":%" PRIu64 ",\"suspensions\":%" PRIu64
			",\"preemptions\":%" PRIu64 ",\"tasks\":%" PRIu64 ",\"nested\":%d}",
			region->calls, region->time, region->calls ? region->fewest : 0, region->most, region->cpu,
			region->work, region->waited, fg_story_imbalance(region), region->steals, region->migrations,
			region->suspensions, region->preemptions, region->tasks, region->nested);
	}
	fputs("],\n", file);
}

/* Gives the bubbles of the window, and those around them, places in the page's list. */
static uint32_t *
bubbles(const struct fg_story *story, const struct window *window, FILE *file)
{
	uint32_t *place = malloc((story->n_bubbles + 1) * sizeof *place), n = 0;
	if (!place)
		exit(1);
	for (size_t i = 0; i < story->n_bubbles; i++)
		place[i] = FG_NOBODY;
	for (size_t i = story->n_bubbles; i-- > 0;) {
		const struct fg_story_bubble *bubble = &story->bubbles[i];
		uint64_t join = bubble->join ? bubble->join : story->to;
		if (overlaps(window, bubble->meet, join))
			place[i] = 0;
		if (place[i] == 0 && bubble->parent != FG_NOBODY)
			place[bubble->parent] = 0;
	}
	fputs("\"bubbles\":[", file);
	for (size_t i = 0; i < story->n_bubbles; i++) {
		const struct fg_story_bubble *bubble = &story->bubbles[i];
		if (place[i] == FG_NOBODY)
			continue;
		place[i] = n;
		fprintf(file,
			"%s[%" PRIu32 ",%" PRId32 ",%" PRIu32 ",%" PRId32 ",%" PRIu32 ",%" PRIu32 ",%" PRId64
			",%" PRId64 "]",
			n ? "," : "", bubble->number, bubble->parent == FG_NOBODY ? -1 : (int32_t)place[bubble->parent],
			bubble->parent_member, (int32_t)bubble->region, bubble->members, bubble->mode,
			bubble->meet ? (int64_t)(bubble->meet - story->from) : -1,
			bubble->join ? (int64_t)(bubble->join - story->from) : -1);
		n++;
	}
	fputs("],\n", file);
	return place;
}

static void
slices(const struct fg_story *story, const struct window *window, const uint32_t *place, FILE *file)
{
	bool first = true;
	fputs("\"slices\":[", file);
	for (size_t i = 0; i < story->n_slices; i++) {
		const struct fg_story_slice *slice = &story->slices[i];
		const struct fg_story_thread *thread = &story->threads[slice->thread];
		if (!overlaps(window, slice->from, slice->to) || place[thread->bubble] == FG_NOBODY)
			continue;
		fprintf(file, "%s%u,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%u", first ? "" : ",",
			slice->pu, slice->lane, slice->from - story->from, slice->to - slice->from,
			place[thread->bubble], thread->member, slice->doing);
		first = false;
	}
	fputs("],\n", file);
}

/* A decision that occurs in the window: a of its events. */
struct deciders {
	uint32_t *decision;
	unsigned n, room;
};

/* Returns the place in the list, from 1 on; 0: the event is no decision. */
static unsigned
decider_of(const struct fg_story *story, const struct fg_trace_record *record, struct deciders *deciders)
{
	struct fg_decided decided;
	if (!fg_decided_by(story->trace, record, &decided))
		return 0;
	for (unsigned i = 0; i < deciders->n; i++)
		if (deciders->decision[i] == record->a)
			return i + 1;
	if (deciders->n == deciders->room) {
		deciders->room = 2 * deciders->room + 32;
		deciders->decision = realloc(deciders->decision, deciders->room * sizeof *deciders->decision);
		if (!deciders->decision)
			exit(1);
	}
	deciders->decision[deciders->n++] = record->a;
	return deciders->n;
}

static void
deciders_write(const struct fg_story *story, const struct deciders *deciders, FILE *file)
{
	struct fg_decided decided;
	fputs("],\n\"deciders\":[", file);
	for (unsigned i = 0; i < deciders->n; i++) {
		fg_decided_by(story->trace,
			      &(struct fg_trace_record){.event = FG_EVENT_place, .a = deciders->decision[i]}, &decided);
		fprintf(file, "%s[", i ? "," : "");
		fg_json_string(file, decided.policy);
		fprintf(file, ",\"%s\",", decided.decider);
		fg_json_string(file, decided.reason);
		fputc(']', file);
	}
}

/* How often each was decided, in the whole trace. */
static void
decisions(const struct fg_story *story, FILE *file)
{
	struct fg_decisions *list;
	size_t n = fg_decisions_count(story->trace, &list);
	fputs("\"decisions\":[", file);
	for (size_t i = 0; i < n; i++) {
		fprintf(file, "%s\n[", i ? "," : "");
		fg_json_string(file, list[i].policy);
		fprintf(file, ",\"%s\",\"%s\",", list[i].decider, list[i].event);
		fg_json_string(file, list[i].reason);
		fprintf(file, ",%" PRIu64 "]", list[i].count);
	}
	fputs("],\n", file);
	free(list);
}

static void
move(const struct fg_story *story, const struct fg_trace_record *record, uint32_t place, unsigned decider, FILE *file)
{
	uint32_t a = record->a, n = (uint32_t)record->b;
	if (decider)
		a = (uint32_t)(record->b >> 32); /* from where; n: to where */
	else if (record->event == FG_EVENT_meet)
		a = n = 0;
	fprintf(file, "%" PRIu64 ",%u,%" PRIu32 ",%" PRIu32 ",%u,%" PRIu32 ",%" PRIu32 ",%u",
		record->time - story->from, record->event, place, record->member, record->pu, a, n, decider);
}

static void
moves(const struct fg_story *story, const struct window *window, const uint32_t *place, FILE *file)
{
	const struct fg_trace *trace = story->trace;
	struct deciders deciders = {0};
	bool first = true;
	fputs("\"events\":[", file);
	for (unsigned i = 0; i < FG_EVENT_COUNT; i++) {
		const struct fg_event_words *words = fg_event_words(i);
		fprintf(file, "%s[\"%s\",", i ? "," : "", words ? words->name : "");
		fg_json_string(file, words ? words->meaning : "");
		fprintf(file, ",%d]", words && strcmp(words->about, "thread") == 0);
	}
	fputs("],\n\"moves\":[", file);
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		uint32_t bubble = fg_story_bubble_of(story, record->bubble);
		if (!is_move(record->event) || record->time < window->from || record->time > window->to ||
		    bubble == FG_NOBODY || place[bubble] == FG_NOBODY || is_after_end(story, record))
			continue;
		fputs(first ? "" : ",", file);
		move(story, record, place[bubble], decider_of(story, record, &deciders), file);
		first = false;
	}
	deciders_write(story, &deciders, file);
	fputs("]}\n", file);
	free(deciders.decision);
}

static void
model(const struct fg_story *story, const struct window *window, FILE *file)
{
	const struct fg_trace *trace = story->trace;
	fputc('{', file);
	fact(story, "command", file);
	fact(story, "host", file);
	fact(story, "policy", file);
	fact(story, "carrier", file);
	fact(story, "threads", file);
	fact(story, "version", file);
	fputs("\"note\":", file);
	fg_json_string(file, trace->note);
	fprintf(file,
		",\"lost\":%" PRIu64 ",\"wall\":%" PRIu64 ",\"met\":%zu,\"span\":%" PRIu64 ",\"window\":[%" PRIu64
		",%" PRIu64 "],\"lanes\":%u,\n",
		trace->lost + trace->head.dropped, trace->head.wall, story->n_bubbles, story->to - story->from,
		window->from - story->from, window->to - story->from, trace->n_lanes);
	levels(trace, file);
	regions(story, file);
	decisions(story, file);
	uint32_t *place = bubbles(story, window, file);
	slices(story, window, place, file);
	moves(story, window, place, file);
	free(place);
}

void
fg_page_write(const struct fg_story *story, uint64_t from, uint64_t to, FILE *file)
{
	struct window window = {story->from + from, to ? story->from + to : 0};
	if (window.from < story->from || window.from > story->to)
		window.from = story->to;
	if (!to)
		window.to = bearable(story, window.from);
	if (window.to < window.from || window.to > story->to)
		window.to = story->to;
	fputs(fg_page_head, file);
	fputs("<style>\n", file);
	fputs(fg_page_style, file);
	fputs("</style>\n", file);
	fputs(fg_page_body, file);
	fputs("<script type=\"application/json\" id=\"model\">\n", file);
	model(story, &window, file);
	fputs("</script>\n<script>\n", file);
	fputs(fg_page_script, file);
	fputs(fg_page_steps, file);
	fputs(fg_page_tables, file);
	fputs("</script>\n</body>\n</html>\n", file);
}
