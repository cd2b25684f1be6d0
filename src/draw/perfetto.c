/* A trace in Chrome's format (floor: draw): see page.h. A process stands for a bubble scheduler's machine, and its
 * threads for the workers. */
#include "draw/page.h"

#include <inttypes.h>
#include <string.h>

#include "draw/decisions.h"
#include "draw/json.h"

static const char *const what[] = {"", " (task)", " (at a barrier)"};

static void
lane_names(const struct fg_story *story, FILE *file)
{
	fputs("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"ForestGOMP\"}}", file);
	for (unsigned lane = 0; lane < story->trace->n_lanes; lane++)
		fprintf(file,
			",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%u,\"args\":{\"name\":\"worker %u\"}}",
			lane, lane);
}

static void
slice(const struct fg_story *story, const struct fg_story_slice *slice, FILE *file)
{
	const struct fg_story_thread *thread = &story->threads[slice->thread];
	const struct fg_story_bubble *bubble = &story->bubbles[thread->bubble];
	char name[320];
	snprintf(name, sizeof name, "%s%s",
		 bubble->region == FG_NOBODY ? "region" : story->regions[bubble->region].label, what[slice->doing]);
	fputs(",\n{\"ph\":\"X\",\"pid\":1,\"name\":", file);
	fg_json_string(file, name);
	fprintf(file,
		",\"cat\":\"member\",\"tid\":%" PRIu32 ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"bubble\":%" PRIu32
		",\"member\":%" PRIu32 ",\"pu\":%u}}",
		slice->lane, (double)(slice->from - story->from) / 1e3, (double)(slice->to - slice->from) / 1e3,
		bubble->number, thread->member, slice->pu);
}

/* Whether the event gets a mark, because slices do not show it. */
static bool
is_mark(unsigned event)
{
	switch (event) {
	case FG_EVENT_meet:
	case FG_EVENT_join:
	case FG_EVENT_put:
	case FG_EVENT_take:
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
mark(const struct fg_story *story, const struct fg_trace_item *item, FILE *file)
{
	const struct fg_trace_record *record = &item->record;
	const struct fg_event_words *words = fg_event_words(record->event);
	struct fg_decided decided;
	fprintf(file,
		",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"name\":\"%s\",\"cat\":\"runtime\",\"tid\":%" PRIu32
		",\"ts\":%.3f,\"args\":{\"bubble\":%" PRIu32 ",\"member\":%" PRIu32,
		words->name, item->lane, (double)(record->time - story->from) / 1e3, record->bubble, record->member);
	if (fg_decided_by(story->trace, record, &decided))
		decision(&decided, file);
	else
		fprintf(file, ",\"%s\":%" PRIu32 ",\"%s\":%" PRIu64, strcmp(words->a, "none") == 0 ? "a" : words->a,
			record->a, strcmp(words->b, "none") == 0 ? "b" : words->b, record->b);
	fputs("}}", file);
}

void
fg_perfetto_write(const struct fg_story *story, FILE *file)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file);
	lane_names(story, file);
	for (size_t i = 0; i < story->n_slices; i++)
		slice(story, &story->slices[i], file);
	for (size_t i = 0; i < story->trace->n_items; i++)
		if (is_mark(story->trace->items[i].record.event))
			mark(story, &story->trace->items[i], file);
	fputs("\n]}\n", file);
}
