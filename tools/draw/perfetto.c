/* A trace in Chrome's format (command): see page.h. A process of the job is a process there, and a row is a PU. The
 * threads that a PU ran are slices. Decisions and the like are marks, and steals are arrows. The number of PUs at work
 * is a counter, in equal parts of the run. Events of regions are no marks, because the slices show them. The argument
 * "#" of a slice or a mark is its bubble and member; it is short, because there are many slices. A slice has none where
 * the one before it in its row tells it. */
#include "draw/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/decisions.h"
#include "draw/grants.h"
#include "draw/json.h"
#include "draw/overview.h"
#include "machine/machine.h"

#define PARTS 2000 /* of the counters */

static const char *const what[] = {"", " (task)", " waits"};

struct writer {
	const struct fg_story *story;
	FILE *file;
	unsigned pid;
	uint64_t begin, from, to; /* the process's begin in the job, and the window in the trace's clock */
	bool by_lane;		  /* kernel threads share PUs, so each has its own row */
	uint32_t *by_row;	  /* slices by row and time */
	uint32_t *by_thread;	  /* slices by thread and time */
	uint64_t flows;
};

/* Chrome's format has microseconds. */
static double
stamp(const struct writer *writer, uint64_t time)
{
	return (double)(time - writer->story->from + writer->begin) / 1e3;
}

static uint32_t
row_of(const struct writer *writer, const struct fg_story_slice *slice)
{
	return writer->by_lane ? slice->lane : slice->pu;
}

struct place {
	uint64_t key, from;
	uint32_t slice;
};

static int
by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->slice > y->slice) - (x->slice < y->slice);
}

/* Returns the numbers of the slices, ordered by their row (or thread) and their begin. */
static uint32_t *
ordered(const struct writer *writer, bool rows)
{
	const struct fg_story *story = writer->story;
	struct place *places = fg_trace_memory(story->n_slices, sizeof *places);
	uint32_t *list = fg_trace_memory(story->n_slices, sizeof *list);
	for (size_t i = 0; i < story->n_slices; i++) {
		const struct fg_story_slice *slice = &story->slices[i];
		places[i] = (struct place){rows ? row_of(writer, slice) : slice->thread, slice->from, (uint32_t)i};
	}
	qsort(places, story->n_slices, sizeof *places, by_place);
	for (size_t i = 0; i < story->n_slices; i++)
		list[i] = places[i].slice;
	free(places);
	return list;
}

static void
name_write(const struct writer *writer, const char *kind, uint32_t row, const char *name, uint32_t place)
{
	fprintf(writer->file,
		",\n{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%u,\"tid\":%" PRIu32 ",\"args\":{\"name\":", kind,
		writer->pid, row);
	fg_json_string(writer->file, name);
	fprintf(writer->file,
		"}},\n{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%u,\"tid\":%" PRIu32
		",\"args\":{\"sort_index\":%" PRIu32 "}}",
		kind, writer->pid, row, place);
}

static void
names(const struct writer *writer)
{
	const struct fg_trace *trace = writer->story->trace;
	char name[300];
	name_write(writer, "process", 0, fg_job_program(writer->story, name, sizeof name), writer->pid);
	for (uint32_t lane = 0; writer->by_lane && lane < trace->n_lanes; lane++) {
		snprintf(name, sizeof name, "kernel thread %" PRIu32, lane);
		name_write(writer, "thread", lane, name, lane);
	}
	for (size_t i = 0; !writer->by_lane && i < trace->n_levels; i++) {
		const struct fg_trace_level *level = &trace->levels[i];
		struct fg_level named = {.kind = level->kind, .kinds = level->kinds, .os_index = level->os_index};
		if (level->n_pus == 1 && (i + 1 == trace->n_levels || trace->levels[i + 1].depth <= level->depth))
			name_write(writer, "thread", level->first_pu, fg_level_name(&named, name, sizeof name),
				   level->first_pu);
	}
}

/* Slices of one row must not overlap. Where two workers were on a PU at once, the later slice is cut. */
static void
slices(const struct writer *writer)
{
	const struct fg_story *story = writer->story;
	uint64_t free_from = 0;
	uint32_t told = FG_NOBODY; /* the member of the slice before, in this row */
	for (size_t i = 0; i < story->n_slices; i++) {
		const struct fg_story_slice *slice = &story->slices[writer->by_row[i]];
		const struct fg_story_thread *thread = &story->threads[slice->thread];
		const struct fg_story_bubble *bubble = &story->bubbles[thread->bubble];
		if (i == 0 || row_of(writer, slice) != row_of(writer, &story->slices[writer->by_row[i - 1]]))
			free_from = 0, told = FG_NOBODY;
		uint64_t from = slice->from > free_from ? slice->from : free_from;
		if (slice->to <= from || slice->to < writer->from || from > writer->to)
			continue;
		free_from = slice->to;
		char name[320];
		snprintf(name, sizeof name, "%s%s",
			 bubble->region == FG_NOBODY ? "region" : story->regions[bubble->region].label,
			 what[slice->doing]);
		fputs(",{\"ph\":\"X\",\"name\":", writer->file);
		fg_json_string(writer->file, name);
		fprintf(writer->file, ",\"pid\":%u,\"tid\":%" PRIu32 ",\"ts\":%.15g,\"dur\":%.15g", writer->pid,
			row_of(writer, slice), stamp(writer, from), (double)(slice->to - from) / 1e3);
		if (slice->thread != told)
			fprintf(writer->file, ",\"args\":{\"#\":\"%" PRIu32 ".%" PRIu32 "\"}", bubble->number,
				thread->member);
		told = slice->thread;
		fputc('}', writer->file);
	}
}

/* Returns the slice of a list that is the last to begin at or before `time` with this key; NULL: there is none. */
static const struct fg_story_slice *
slice_at(const struct writer *writer, bool rows, uint32_t key, uint64_t time, bool after)
{
	const struct fg_story *story = writer->story;
	const uint32_t *list = rows ? writer->by_row : writer->by_thread;
	size_t low = 0, high = story->n_slices;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct fg_story_slice *slice = &story->slices[list[middle]];
		uint32_t own = rows ? row_of(writer, slice) : slice->thread;
		if (own < key || (own == key && (after ? slice->from < time : slice->from <= time)))
			low = middle + 1;
		else
			high = middle;
	}
	if (!after && low-- == 0)
		return NULL;
	const struct fg_story_slice *found = low < story->n_slices ? &story->slices[list[low]] : NULL;
	return found && (rows ? row_of(writer, found) : found->thread) == key ? found : NULL;
}

static void
flow_end(const struct writer *writer, char phase, const struct fg_story_slice *slice, uint64_t time)
{
	fprintf(writer->file,
		",{\"ph\":\"%c\"%s,\"cat\":\"steal\",\"name\":\"steal\",\"id\":%" PRIu64 ",\"pid\":%u,\"tid\":%" PRIu32
		",\"ts\":%.15g}",
		phase, phase == 'f' ? ",\"bp\":\"e\"" : "", writer->flows, writer->pid, row_of(writer, slice),
		stamp(writer, time));
}

/* An arrow from the member that met the bubble, or the PU that the thread left, to the piece of work that was
 * stolen. */
static void
steal(struct writer *writer, const struct fg_trace_record *record)
{
	const struct fg_story *story = writer->story;
	uint32_t thread = fg_story_thread_of(story, record->bubble, record->member);
	uint32_t bubble = fg_story_bubble_of(story, record->bubble);
	if (thread == FG_NOBODY || bubble == FG_NOBODY)
		return;
	const struct fg_story_slice *to = slice_at(writer, false, thread, record->time, true);
	const struct fg_story_slice *from = slice_at(writer, false, thread, record->time, false);
	uint32_t parent = story->bubbles[bubble].parent;
	if (!from && parent != FG_NOBODY) {
		uint32_t met =
			fg_story_thread_of(story, story->bubbles[parent].number, story->bubbles[bubble].parent_member);
		from = met == FG_NOBODY ? NULL : slice_at(writer, false, met, record->time, false);
	}
	if (!from || !to || from == to || to->from > writer->to || from->from < writer->from)
		return;
	writer->flows++;
	uint64_t leaves = record->time < from->to ? record->time : from->from + (from->to - from->from) / 2;
	flow_end(writer, 's', from, leaves);
	flow_end(writer, 'f', to, to->from);
}

static void
counters(const struct writer *writer)
{
	const struct fg_story *story = writer->story;
	struct fg_overview all = fg_overview_of(story, PARTS);
	double last[2] = {-1, -1};
	for (unsigned part = 0; part <= all.parts; part++) {
		double sum[2] = {0, 0};
		for (unsigned kind = 0; part < all.parts && kind < all.kinds; kind++)
			sum[kind & 1] += all.ns[(size_t)part * all.kinds + kind] / all.part_ns;
		uint64_t time = story->from + (uint64_t)(part * all.part_ns);
		for (unsigned i = 0; i < 2 && time >= writer->from && time <= writer->to; i++)
			if (sum[i] - last[i] > 0.005 || last[i] - sum[i] > 0.005) {
				fprintf(writer->file,
					",{\"ph\":\"C\",\"name\":\"PUs "
					"%s\",\"pid\":%u,\"ts\":%.15g,\"args\":{\"PUs\":%.4g}}",
					i ? "that wait" : "at work", writer->pid, stamp(writer, time), sum[i]);
				last[i] = sum[i];
			}
	}
	fg_overview_free(&all);
}

/* How many PUs the process might keep busy, where that has changed. */
static void
granted(const struct writer *writer)
{
	struct fg_grant *list;
	size_t n = fg_grants_of(writer->story->trace, writer->from, writer->to, &list);
	for (size_t i = 0; i < n && n > 1; i++)
		fprintf(writer->file,
			",{\"ph\":\"C\",\"name\":\"PUs granted\",\"pid\":%u,\"ts\":%.15g,\"args\":{\"PUs\":%" PRIu32
			"}}",
			writer->pid, stamp(writer, list[i].time), list[i].pus);
	free(list);
}

/* Whether the event gets a mark, because slices do not show it. */
static bool
is_mark(unsigned event)
{
	switch (event) {
	case FG_EVENT_steal:
	case FG_EVENT_lend:
	case FG_EVENT_preempt:
	case FG_EVENT_relieve:
	case FG_EVENT_burst:
	case FG_EVENT_place:
	case FG_EVENT_place_bubble:
	case FG_EVENT_gather:
	case FG_EVENT_range:
	case FG_EVENT_seat:
	case FG_EVENT_loads:
	case FG_EVENT_area:
		return true;
	default:
		return false;
	}
}

static void
decision(const struct fg_decided *decided, FILE *file)
{
	char from[32], to[32];
	fputs(",\"policy\":", file);
	fg_json_string(file, decided->policy);
	fprintf(file, ",\"function\":\"%s\",\"reason\":", decided->decider);
	fg_json_string(file, decided->reason);
	fprintf(file, ",\"from\":\"%s\",\"to\":\"%s\"", fg_place_text(decided->from, from, sizeof from),
		fg_place_text(decided->to, to, sizeof to));
}

static void
mark(const struct writer *writer, const struct fg_trace_item *item)
{
	const struct fg_story *story = writer->story;
	const struct fg_trace_record *record = &item->record;
	FILE *file = writer->file;
	const struct fg_event_words *words = fg_event_words(record->event);
	struct fg_decided decided;
	fprintf(file,
		",{\"ph\":\"i\",\"s\":\"t\",\"pid\":%u,\"name\":\"%s\",\"tid\":%" PRIu32
		",\"ts\":%.15g,\"args\":{\"#\":\"%" PRIu32 ".%" PRIu32 "\"",
		writer->pid, words->name, writer->by_lane ? item->lane : record->pu, stamp(writer, record->time),
		record->bubble, record->member);
	if (fg_decided_by(story->trace, record, &decided))
		decision(&decided, file);
	else
		fprintf(file, ",\"%s\":%" PRIu32 ",\"%s\":%" PRIu64, strcmp(words->a, "none") == 0 ? "a" : words->a,
			record->a, strcmp(words->b, "none") == 0 ? "b" : words->b, record->b);
	fputs("}}", file);
}

static void
process(struct writer *writer)
{
	const struct fg_trace *trace = writer->story->trace;
	writer->by_row = ordered(writer, true);
	writer->by_thread = ordered(writer, false);
	names(writer);
	counters(writer);
	granted(writer);
	slices(writer);
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		if (record->time < writer->from || record->time > writer->to)
			continue;
		if (is_mark(record->event))
			mark(writer, &trace->items[i]);
		if (record->event == FG_EVENT_steal)
			steal(writer, record);
	}
	free(writer->by_row);
	free(writer->by_thread);
}

void
fg_perfetto_write(const struct fg_job *job, uint64_t from, uint64_t to, FILE *file)
{
	struct writer writer = {.file = file};
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
	      "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"args\":{\"labels\":\"ForestGOMP\"}}",
	      file);
	for (unsigned i = 0; i < job->n; i++) {
		char threads[64];
		const struct fg_story *story = job->stories[i];
		fg_trace_fact(story->trace, "threads", threads, sizeof threads);
		writer.story = story;
		writer.pid = i + 1;
		writer.begin = job->begins[i];
		writer.from = story->from + (from > writer.begin ? from - writer.begin : 0);
		writer.to = !to ? story->to : to > writer.begin ? story->from + to - writer.begin : 0;
		writer.by_lane = strcmp(threads, "kernel") == 0;
		process(&writer);
	}
	fputs("\n]}\n", file);
}
