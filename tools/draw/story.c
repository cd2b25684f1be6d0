/* The story of a trace (command): see story.h.
 *
 * One pass goes through the events in the order of time. A lane (worker) runs one thread at a time. A thread is born at
 * `begin`. It is on a lane from there to `suspend` or `end`, and again from `resume` on. The trace may begin in the
 * middle, because a long run overwrites the oldest events, and any event may be missing. So the only assumption is that
 * times do not go back. */
#include "draw/story.h"
#include "draw/story_regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lane {
	uint32_t thread; /* FG_NOBODY: none */
	uint64_t since;
	uint16_t pu;
};

struct teller {
	struct fg_story *story;
	struct lane *lanes;
	size_t room;
};

static uint64_t
bubble_key(const void *item)
{
	return ((const struct fg_story_bubble *)item)->number;
}

static uint64_t
thread_key(const void *item)
{
	return ((const struct fg_story_thread *)item)->key;
}

uint32_t
fg_story_bubble_of(const struct fg_story *story, uint32_t number)
{
	return number ? (uint32_t)fg_story_bisect(story->bubbles, story->n_bubbles, sizeof *story->bubbles, number,
						  bubble_key)
		      : FG_NOBODY;
}

uint32_t
fg_story_thread_of(const struct fg_story *story, uint32_t number, uint32_t member)
{
	return (uint32_t)fg_story_bisect(story->threads, story->n_threads, sizeof *story->threads,
					 (uint64_t)number << 32 | member, thread_key);
}

static bool
is_about_thread(const struct fg_trace_record *record)
{
	return strcmp(fg_event_words(record->event)->about, "thread") == 0;
}

/* Finds the bubbles and threads that occur in any event. */
static void
population(struct fg_story *story)
{
	const struct fg_trace *trace = story->trace;
	uint64_t *keys = fg_trace_memory(2 * trace->n_items, sizeof *keys);
	size_t n = 0;
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		if (record->bubble)
			keys[n++] = (uint64_t)record->bubble << 32 | (is_about_thread(record) ? record->member : 0);
		if (record->event == FG_EVENT_meet && record->a)
			keys[n++] = (uint64_t)record->a << 32 | record->member;
	}
	qsort(keys, n, sizeof *keys, fg_story_by_key);
	size_t threads = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || keys[i] != keys[i - 1])
			keys[threads++] = keys[i];
	story->threads = fg_trace_memory(threads, sizeof *story->threads);
	story->bubbles = fg_trace_memory(threads, sizeof *story->bubbles);
	for (size_t i = 0; i < threads; i++) {
		uint32_t number = (uint32_t)(keys[i] >> 32);
		if (story->n_bubbles == 0 || story->bubbles[story->n_bubbles - 1].number != number)
			story->bubbles[story->n_bubbles++] = (struct fg_story_bubble){.number = number,
										      .parent = FG_NOBODY,
										      .region = FG_NOBODY,
										      .first_thread = (uint32_t)i};
		story->bubbles[story->n_bubbles - 1].n_threads++;
		story->threads[i] = (struct fg_story_thread){.key = keys[i],
							     .bubble = (uint32_t)story->n_bubbles - 1,
							     .member = (uint32_t)keys[i],
							     .lane = FG_NOBODY,
							     .pu = FG_NOBODY};
	}
	story->n_threads = threads;
	free(keys);
}

static void
slice_add(struct teller *teller, uint32_t lane, uint64_t now, enum fg_doing doing)
{
	struct fg_story *story = teller->story;
	struct lane *own = &teller->lanes[lane];
	if (own->thread == FG_NOBODY || own->since >= now)
		return;
	if (story->n_slices == teller->room) {
		teller->room = 2 * teller->room + 1024;
		story->slices = fg_trace_more(story->slices, teller->room, sizeof *story->slices);
	}
	story->slices[story->n_slices++] = (struct fg_story_slice){.from = own->since,
								   .to = now,
								   .thread = own->thread,
								   .lane = lane,
								   .pu = own->pu,
								   .doing = (uint8_t)doing};
}

static enum fg_doing
doing(const struct fg_story_thread *thread)
{
	return thread->tasks ? FG_RUNS_TASK : thread->waits ? FG_WAITS : FG_RUNS;
}

/* From now on the lane runs this thread, or none. */
static void
lane_runs(struct teller *teller, uint32_t lane, uint32_t thread, const struct fg_trace_record *now)
{
	struct fg_story *story = teller->story;
	struct lane *own = &teller->lanes[lane];
	if (own->thread != FG_NOBODY)
		slice_add(teller, lane, now->time, doing(&story->threads[own->thread]));
	own->thread = thread;
	own->since = now->time;
	own->pu = now->pu;
	if (thread == FG_NOBODY)
		return;
	struct fg_story_thread *next = &story->threads[thread];
	struct fg_story_region *region = story->bubbles[next->bubble].region == FG_NOBODY
						 ? NULL
						 : &story->regions[story->bubbles[next->bubble].region];
	if (region && next->pu != FG_NOBODY && next->pu != now->pu)
		region->migrations++;
	next->lane = lane;
	next->pu = now->pu;
}

/* The work of the lane until now becomes a slice, and the lane goes on with something else. */
static void
lane_cut(struct teller *teller, uint32_t lane, uint32_t thread, uint64_t now)
{
	struct lane *own = &teller->lanes[lane];
	if (own->thread != thread)
		return;
	slice_add(teller, lane, now, doing(&teller->story->threads[thread]));
	own->since = now;
}

static struct fg_story_region *
region_of(struct fg_story *story, uint32_t bubble)
{
	uint32_t region = bubble == FG_NOBODY ? FG_NOBODY : story->bubbles[bubble].region;
	return region == FG_NOBODY ? NULL : &story->regions[region];
}

static void
meet(struct fg_story *story, struct fg_story_bubble *bubble, const struct fg_trace_record *record)
{
	bubble->parent = fg_story_bubble_of(story, record->a);
	if (bubble->parent != FG_NOBODY && story->bubbles[bubble->parent].number >= bubble->number)
		bubble->parent = FG_NOBODY; /* a child's number is larger, else the bubbles would be no tree */
	bubble->parent_member = record->member;
	bubble->meet = record->time;
	bubble->region = fg_story_region_of(story, record->b);
	if (bubble->parent != FG_NOBODY)
		bubble->depth = story->bubbles[bubble->parent].depth + 1;
}

/* The trace ends while the thread is at its work. */
static void
stops(struct fg_story_thread *thread, uint64_t now)
{
	thread->end = now;
	if (thread->waits)
		thread->waited += now - thread->since;
	else if (thread->away)
		thread->off_pu += now - thread->since;
	if (thread->tasks && thread->waits)
		thread->helped += now - thread->task_since;
}

/* Returns the time from the thread's begin to its end, less the time that it waited or had no PU. */
static uint64_t
work_of(const struct fg_story_thread *thread)
{
	uint64_t idle = thread->waited + thread->off_pu, span = thread->end - thread->begin + thread->helped;
	return span > idle ? span - idle : 0;
}

/* The region was left at `now`, or the trace ends there. */
static void
join(struct fg_story *story, struct fg_story_bubble *bubble, uint64_t now)
{
	uint64_t work = 0, most = 0, waited = 0, n = 0;
	struct fg_story_region *region = bubble->region == FG_NOBODY ? NULL : &story->regions[bubble->region];
	if (!region)
		return;
	for (uint32_t i = 0; i < bubble->n_threads; i++) {
		struct fg_story_thread thread = story->threads[bubble->first_thread + i];
		if (!thread.begin)
			continue;
		if (!thread.end)
			stops(&thread, now);
		uint64_t own = work_of(&thread);
		uint64_t waits = thread.waited + (bubble->mode == FG_TRACE_FLAT ? now - thread.end : 0);
		work += own;
		waited += waits > thread.helped ? waits - thread.helped : 0;
		most = own > most ? own : most;
		n++;
	}
	uint64_t time = now - bubble->meet;
	region->calls++;
	region->timed++;
	region->open += bubble->join == 0;
	region->time += time;
	region->outermost += bubble->parent == FG_NOBODY ? time : 0;
	region->shortest = time < region->shortest ? time : region->shortest;
	region->longest = time > region->longest ? time : region->longest;
	region->members += bubble->members;
	region->fewest = bubble->members < region->fewest ? bubble->members : region->fewest;
	region->most = bubble->members > region->most ? bubble->members : region->most;
	region->work += work;
	region->most_work += most * n;
	region->waited += waited;
	region->nested |= bubble->parent != FG_NOBODY;
}

static void
of_bubble(struct teller *teller, uint32_t lane, const struct fg_trace_record *record)
{
	struct fg_story *story = teller->story;
	uint32_t index = fg_story_bubble_of(story, record->bubble);
	if (index == FG_NOBODY)
		return;
	struct fg_story_bubble *bubble = &story->bubbles[index];
	if (record->event == FG_EVENT_meet)
		meet(story, bubble, record);
	else if (record->event == FG_EVENT_team) {
		bubble->members = record->a;
		bubble->mode = (uint32_t)record->b;
	} else if (record->event == FG_EVENT_join && bubble->meet && !bubble->join) {
		bubble->join = record->time;
		join(story, bubble, record->time);
		uint32_t parent = bubble->parent == FG_NOBODY
					  ? FG_NOBODY
					  : fg_story_thread_of(story, story->bubbles[bubble->parent].number,
							       bubble->parent_member);
		lane_runs(teller, lane, parent, record);
	}
}

static void
off_pu_end(struct fg_story_thread *thread, uint64_t now)
{
	if (thread->away && !thread->waits)
		thread->off_pu += now - thread->since;
	thread->away = false;
}

static void
leaves(struct teller *teller, uint32_t lane, uint32_t index, const struct fg_trace_record *record)
{
	struct fg_story_thread *thread = &teller->story->threads[index];
	if (teller->lanes[lane].thread == index)
		lane_runs(teller, lane, FG_NOBODY, record);
	if (thread->ended || thread->away)
		return;
	thread->away = true;
	if (!thread->waits)
		thread->since = record->time;
}

static void
task_begins(struct teller *teller, uint32_t lane, uint32_t index, const struct fg_trace_record *record)
{
	struct fg_story_thread *thread = &teller->story->threads[index];
	struct fg_story_region *region = region_of(teller->story, thread->bubble);
	lane_cut(teller, lane, index, record->time);
	if (teller->lanes[lane].thread == FG_NOBODY)
		lane_runs(teller, lane, index, record);
	if (!thread->tasks++)
		thread->task_since = record->time;
	if (region)
		region->tasks++;
}

static void
task_ends(struct teller *teller, uint32_t lane, uint32_t index, uint64_t now)
{
	struct fg_story_thread *thread = &teller->story->threads[index];
	lane_cut(teller, lane, index, now);
	if (thread->tasks && !--thread->tasks && (thread->waits || thread->ended))
		thread->helped += now - thread->task_since;
	if (thread->ended && !thread->tasks && teller->lanes[lane].thread == index)
		teller->lanes[lane].thread = FG_NOBODY;
}

static void
of_thread(struct teller *teller, uint32_t lane, const struct fg_trace_record *record)
{
	struct fg_story *story = teller->story;
	uint32_t index = fg_story_thread_of(story, record->bubble, record->member);
	if (index == FG_NOBODY)
		return;
	struct fg_story_thread *thread = &story->threads[index];
	struct fg_story_region *region = region_of(story, thread->bubble);
	uint64_t now = record->time;
	switch (record->event) {
	case FG_EVENT_begin:
		thread->begin = now;
		lane_runs(teller, lane, index, record);
		break;
	case FG_EVENT_end:
		if (teller->lanes[lane].thread == index)
			lane_runs(teller, lane, FG_NOBODY, record);
		thread->end = now;
		thread->ended = true;
		break;
	case FG_EVENT_relieve:
	case FG_EVENT_suspend:
		if (region && !thread->ended)
			region->suspensions++;
		leaves(teller, lane, index, record);
		break;
	case FG_EVENT_resume:
		if (thread->ended)
			break;
		off_pu_end(thread, now);
		lane_runs(teller, lane, index, record);
		break;
	case FG_EVENT_wait:
		lane_cut(teller, lane, index, now);
		thread->waits = true;
		thread->since = now;
		break;
	case FG_EVENT_go:
		lane_cut(teller, lane, index, now);
		if (thread->waits)
			thread->waited += now - thread->since;
		thread->waits = false;
		break;
	case FG_EVENT_task:
		task_begins(teller, lane, index, record);
		break;
	case FG_EVENT_task_end:
		task_ends(teller, lane, index, now);
		break;
	case FG_EVENT_steal:
		if (region)
			region->steals++;
		break;
	case FG_EVENT_preempt:
		if (region)
			region->preemptions++;
		break;
	}
}

/* A bubble within another has the larger number, so one pass from the last to the first sums up what lies within. */
static void
cpu_time(struct fg_story *story)
{
	for (size_t i = 0; i < story->n_slices; i++) {
		const struct fg_story_slice *slice = &story->slices[i];
		if (slice->doing != FG_WAITS)
			story->bubbles[story->threads[slice->thread].bubble].cpu += slice->to - slice->from;
	}
	for (size_t i = story->n_bubbles; i-- > 0;) {
		struct fg_story_bubble *bubble = &story->bubbles[i];
		struct fg_story_region *region = region_of(story, (uint32_t)i);
		bubble->whole += bubble->cpu;
		if (bubble->parent != FG_NOBODY)
			story->bubbles[bubble->parent].whole += bubble->whole;
		if (region) {
			region->cpu += bubble->cpu;
			region->whole += bubble->whole;
		}
	}
}

struct fg_story *
fg_story_tell(const struct fg_trace *trace)
{
	struct fg_story *story = fg_trace_memory(1, sizeof *story);
	struct teller teller = {.story = story};
	story->trace = trace;
	if (trace->n_items) {
		story->from = trace->items[0].record.time;
		story->to = trace->items[trace->n_items - 1].record.time;
		if (!trace->head.end && trace->seen_end > story->to)
			story->to = trace->seen_end;
	}
	population(story);
	fg_story_regions_find(story);
	teller.lanes = fg_trace_memory(trace->n_lanes, sizeof *teller.lanes);
	for (unsigned i = 0; i < trace->n_lanes; i++)
		teller.lanes[i].thread = FG_NOBODY;
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_item *item = &trace->items[i];
		if (is_about_thread(&item->record))
			of_thread(&teller, item->lane, &item->record);
		else
			of_bubble(&teller, item->lane, &item->record);
	}
	for (unsigned i = 0; i < trace->n_lanes; i++)
		if (teller.lanes[i].thread != FG_NOBODY)
			slice_add(&teller, i, story->to, doing(&story->threads[teller.lanes[i].thread]));
	free(teller.lanes);
	for (size_t i = 0; i < story->n_bubbles; i++)
		if (story->bubbles[i].meet && !story->bubbles[i].join)
			join(story, &story->bubbles[i], story->to);
	cpu_time(story);
	fg_story_regions_sort(story);
	return story;
}

void
fg_story_free(struct fg_story *story)
{
	free(story->bubbles);
	free(story->threads);
	free(story->slices);
	free(story->regions);
	free(story);
}
