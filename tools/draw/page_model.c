/* The model of a page (command): see page_model.h. Times are ns after the job's begin, and numbers of lists that
 * are long are differences, because these are short. */
#include "draw/page_model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/decisions.h"
#include "draw/grants.h"
#include "draw/json.h"
#include "draw/overview.h"
#include "draw/story_regions.h"
#include "machine/machine.h"

#define PARTS 1200 /* of the overview */

/* A window in the trace's clock. */
struct window {
	uint64_t from, to;
	uint64_t begin; /* of the process in the job */
};

/* A window that ends before the process began has no moment of it. */
static struct window
own_window(const struct fg_story *story, const struct fg_page_window *window)
{
	struct window own = {.from = 1, .to = 0, .begin = window->begin};
	if (window->to < window->begin)
		return own;
	own.from = story->from + (window->from > window->begin ? window->from - window->begin : 0);
	own.to = story->from + (window->to - window->begin);
	own.to = own.to < story->to ? own.to : story->to;
	return own;
}

/* Returns ns after the job's begin. */
static uint64_t
job_time(const struct fg_story *story, const struct window *window, uint64_t time)
{
	return time - story->from + window->begin;
}

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
	case FG_EVENT_touch:
	case FG_EVENT_touched:
	case FG_EVENT_use:
	case FG_EVENT_grant:
	case FG_EVENT_set:
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
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

uint64_t
fg_page_bearable(const struct fg_story *story, const struct fg_page_window *window, size_t slices, size_t moves)
{
	struct window own = own_window(story, window);
	uint64_t end = UINT64_MAX;
	size_t n = 0;
	uint64_t *ends = fg_trace_memory(story->n_slices, sizeof *ends);
	for (size_t i = 0; i < story->n_slices; i++)
		if (story->slices[i].to >= own.from)
			ends[n++] = story->slices[i].to;
	if (n > slices) {
		qsort(ends, n, sizeof *ends, by_number);
		end = ends[slices];
	}
	free(ends);
	for (size_t i = 0; i < story->trace->n_items && moves; i++) {
		const struct fg_trace_record *record = &story->trace->items[i].record;
		if (record->time >= own.from && is_move(record->event) && --moves == 0)
			end = record->time < end ? record->time : end;
	}
	return end == UINT64_MAX ? window->to : job_time(story, &own, end);
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
		fprintf(file, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", level->depth, level->first_pu,
			level->n_pus, level->os_index);
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

static void
bubble_write(const struct fg_story *story, const struct window *window, const struct fg_story_bubble *bubble,
	     const uint32_t *place, uint32_t own, uint64_t *before, FILE *file)
{
	fprintf(file, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRId32 ",%" PRIu32 ",%" PRIu32 ",", own ? "," : "",
		bubble->number, bubble->parent == FG_NOBODY ? 0 : own - place[bubble->parent], bubble->parent_member,
		(int32_t)bubble->region, bubble->members, bubble->mode);
	if (bubble->meet) {
		uint64_t meet = job_time(story, window, bubble->meet);
		fprintf(file, "%" PRId64 ",", (int64_t)(meet - *before));
		*before = meet;
	} else {
		fputs("null,", file);
	}
	if (bubble->join)
		fprintf(file, "%" PRIu64, bubble->join - (bubble->meet ? bubble->meet : story->from));
	else
		fputs("null", file);
}

/* Gives the bubbles of the window, and those around them, places in the page's list. */
static uint32_t *
bubbles(const struct fg_story *story, const struct window *window, FILE *file)
{
	uint32_t *place = fg_trace_memory(story->n_bubbles + 1, sizeof *place), n = 0;
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
	uint64_t before = 0;
	for (size_t i = 0; i < story->n_bubbles; i++)
		if (place[i] != FG_NOBODY) {
			place[i] = n++;
			bubble_write(story, window, &story->bubbles[i], place, place[i], &before, file);
		}
	fputs("],\n", file);
	return place;
}

struct row_slice {
	uint32_t row, slice;
	uint64_t from;
};

static int
by_row(const void *a, const void *b)
{
	const struct row_slice *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->slice > y->slice) - (x->slice < y->slice);
}

/* Writes the work of each row, in the order of time: the time since the last piece's begin, duration, bubble (as a
 * difference), and 3 * member + doing. A row is a PU; but kernel threads share PUs, so each of these has its own
 * row. */
static void
slices(const struct fg_story *story, const struct window *window, const uint32_t *place, FILE *file)
{
	char threads[64];
	fg_trace_fact(story->trace, "threads", threads, sizeof threads);
	bool by_lane = strcmp(threads, "kernel") == 0;
	struct row_slice *list = fg_trace_memory(story->n_slices, sizeof *list);
	size_t n = 0;
	for (size_t i = 0; i < story->n_slices; i++) {
		const struct fg_story_slice *slice = &story->slices[i];
		if (overlaps(window, slice->from, slice->to) &&
		    place[story->threads[slice->thread].bubble] != FG_NOBODY)
			list[n++] = (struct row_slice){by_lane ? slice->lane : slice->pu, (uint32_t)i, slice->from};
	}
	qsort(list, n, sizeof *list, by_row);
	fputs("\"rows\":[", file);
	uint64_t before = 0;
	int64_t bubble = 0;
	for (size_t i = 0; i < n; i++) {
		const struct fg_story_slice *slice = &story->slices[list[i].slice];
		const struct fg_story_thread *thread = &story->threads[slice->thread];
		if (i == 0 || list[i].row != list[i - 1].row) {
			fprintf(file, "%s\n[%" PRIu32 ",%u", i ? "]," : "", list[i].row, slice->pu);
			before = 0;
		}
		uint64_t from = job_time(story, window, slice->from);
		fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu32, from - before, slice->to - slice->from,
			(int64_t)place[thread->bubble] - bubble, 3 * thread->member + slice->doing);
		before = from;
		bubble = place[thread->bubble];
	}
	fputs(n ? "]],\n" : "],\n", file);
	free(list);
}

static void
overview(const struct fg_story *story, FILE *file)
{
	struct fg_overview all = fg_overview_of(story, PARTS);
	double whole = all.part_ns * story->trace->n_pus;
	fputs("\"overview\":[", file);
	for (unsigned part = 0; part < all.parts; part++) {
		bool first = true;
		fputs(part ? ",[" : "[", file);
		for (unsigned kind = 0; kind < all.kinds; kind++) {
			unsigned share = (unsigned)(1e4 * all.ns[(size_t)part * all.kinds + kind] / whole + 0.5);
			if (share)
				fprintf(file, "%s%u,%u", first ? "" : ",", kind, share);
			first &= !share;
		}
		fputc(']', file);
	}
	fputs("],\n", file);
	fg_overview_free(&all);
}

/* The event is in the window, and its bubble on the page. */
static bool
is_shown(const struct fg_story *story, const struct window *window, const uint32_t *place,
	 const struct fg_trace_record *record)
{
	uint32_t bubble = fg_story_bubble_of(story, record->bubble);
	return is_move(record->event) && record->time >= window->from && record->time <= window->to &&
	       bubble != FG_NOBODY && place[bubble] != FG_NOBODY && !is_after_end(story, record);
}

/* Each decision that occurs in the window, in order: a of its events. */
struct deciders {
	uint64_t *decision;
	unsigned n;
};

static struct deciders
deciders_find(const struct fg_story *story, const struct window *window, const uint32_t *place)
{
	const struct fg_trace *trace = story->trace;
	struct deciders deciders = {.decision = fg_trace_memory(trace->n_items, sizeof *deciders.decision)};
	struct fg_decided decided;
	size_t n = 0;
	for (size_t i = 0; i < trace->n_items; i++)
		if (is_shown(story, window, place, &trace->items[i].record) &&
		    fg_decided_by(trace, &trace->items[i].record, &decided))
			deciders.decision[n++] = trace->items[i].record.a;
	qsort(deciders.decision, n, sizeof *deciders.decision, fg_story_by_key);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || deciders.decision[i] != deciders.decision[i - 1])
			deciders.decision[deciders.n++] = deciders.decision[i];
	return deciders;
}

static uint64_t
decision_of(const void *item)
{
	return *(const uint64_t *)item;
}

/* Returns the place in the list, from 1 on; 0: the event is no decision. */
static unsigned
decider_of(const struct fg_story *story, const struct fg_trace_record *record, const struct deciders *deciders)
{
	struct fg_decided decided;
	if (!fg_decided_by(story->trace, record, &decided))
		return 0;
	return 1 + (unsigned)fg_story_bisect(deciders->decision, deciders->n, sizeof *deciders->decision, record->a,
					     decision_of);
}

static void
deciders_write(const struct fg_story *story, const struct deciders *deciders, FILE *file)
{
	struct fg_decided decided;
	fputs("],\n\"deciders\":[", file);
	for (unsigned i = 0; i < deciders->n; i++) {
		fg_decided_by(story->trace,
			      &(struct fg_trace_record){.event = FG_EVENT_place, .a = (uint32_t)deciders->decision[i]},
			      &decided);
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

/* `since` is the time after the last move. */
static void
move(const struct fg_trace_record *record, uint64_t since, int64_t place, unsigned decider, FILE *file)
{
	uint32_t a = record->a, n = (uint32_t)record->b;
	if (decider)
		a = (uint32_t)(record->b >> 32); /* from where; n: to where */
	else if (record->event == FG_EVENT_meet)
		a = n = 0;
	fprintf(file, "%" PRIu64 ",%u,%" PRId64 ",%" PRIu32 ",%u,%" PRIu32 ",%" PRIu32 ",%u", since, record->event,
		place, record->member, record->pu, a, n, decider);
}

static void
moves(const struct fg_story *story, const struct window *window, const uint32_t *place, FILE *file)
{
	const struct fg_trace *trace = story->trace;
	struct deciders deciders = deciders_find(story, window, place);
	bool first = true;
	uint64_t before = 0;
	int64_t last = 0;
	fputs("\"moves\":[", file);
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		if (!is_shown(story, window, place, record))
			continue;
		uint32_t bubble = fg_story_bubble_of(story, record->bubble);
		fputs(first ? "" : ",", file);
		uint64_t now = job_time(story, window, record->time);
		move(record, now - before, place[bubble] - last, decider_of(story, record, &deciders), file);
		before = now;
		last = place[bubble];
		first = false;
	}
	deciders_write(story, &deciders, file);
	fputs("]}", file);
	free(deciders.decision);
}

/* Each is a time, the PUs that were granted, and a list of those that were chosen, by the kernel's numbers. */
static void
grants(const struct fg_story *story, const struct window *window, FILE *file)
{
	struct fg_grant *list;
	size_t n = fg_grants_of(story->trace, window->from, window->to, &list);
	fputs("\"grants\":[", file);
	for (size_t i = 0; i < n; i++) {
		bool first = true;
		fprintf(file, "%s[%" PRIu64 ",%" PRIu32 ",[", i ? "," : "", job_time(story, window, list[i].time),
			list[i].pus);
		for (unsigned cpu = 0; cpu < 64 * FG_GRANT_WORDS; cpu++)
			if (list[i].set[cpu / 64] >> cpu % 64 & 1) {
				fprintf(file, "%s%u", first ? "" : ",", cpu);
				first = false;
			}
		fputs("]]", file);
	}
	fputs("],\n", file);
	free(list);
}

void
fg_page_events(FILE *file)
{
	fputs("\"events\":[", file);
	for (unsigned i = 0; i < FG_EVENT_COUNT; i++) {
		const struct fg_event_words *words = fg_event_words(i);
		fprintf(file, "%s[\"%s\",", i ? "," : "", words ? words->name : "");
		fg_json_string(file, words ? words->meaning : "");
		fprintf(file, ",%d]", words && strcmp(words->about, "thread") == 0);
	}
	fputs("],\n", file);
}

void
fg_page_model(const struct fg_story *story, unsigned machine, const struct fg_page_window *page, FILE *file)
{
	const struct fg_trace *trace = story->trace;
	const struct window window = own_window(story, page);
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
		",\"machine\":%u,\"pid\":%" PRIu32 ",\"lost\":%" PRIu64 ",\"wall\":%" PRIu64
		",\"met\":%zu,\"begin\":%" PRIu64 ",\"span\":%" PRIu64 ",\n",
		machine, trace->head.pid, trace->lost + trace->head.dropped, trace->head.wall, story->n_bubbles,
		window.begin, story->to - story->from);
	levels(trace, file);
	regions(story, file);
	decisions(story, file);
	overview(story, file);
	grants(story, &window, file);
	uint32_t *place = bubbles(story, &window, file);
	slices(story, &window, place, file);
	moves(story, &window, place, file);
	free(place);
}
