/* The score of a trace (command): see score.h.
 *
 * One pass goes through the events in the order of time. Each thread has a stack of frames: its own strand, and the
 * tasks that it runs on top. While it computes, the time goes to the strand of the top frame. Any event may be missing
 * or wrong. The score is a tree nevertheless, because only `meet` and `create` make strands: new ones, each below the
 * strand that was on top at that moment. */
#include "draw/score.h"
#include "draw/score_finish.h"
#include "draw/score_made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define UNSEEN_MAX 65536 /* members of all regions that no event tells of */

struct frame {
	uint32_t strand;
	bool waits, is_task;
};

struct performer {
	struct frame *frames;
	unsigned n, room;
	uint64_t since;
	uint32_t lane;			     /* where it was put on a PU last */
	uint32_t home;			     /* NUMA node where it began, counted from 1; 0: not known */
	bool on;			     /* it has a PU, and is in no region that it has met */
	const struct fg_trace_record *touch; /* it goes through data since then */
};

struct maker {
	const struct fg_story *story;
	struct fg_score *score;
	struct performer *performers; /* the story's threads, then the program's first thread */
	uint32_t *lanes;	      /* the performer that each lane runs */
	uint32_t *nodes;	      /* the NUMA node of each PU */
	struct fg_score_made made;
	size_t members_max;
	uint32_t root_in; /* the bubble that the program's first thread has met; 0: it is outside */
	uint32_t root_lane;
	bool begun; /* the score has its first event */
};

static struct frame *
top(struct performer *performer)
{
	return performer->n ? &performer->frames[performer->n - 1] : NULL;
}

static void
push(struct performer *performer, uint32_t strand, bool is_task)
{
	if (performer->n == performer->room) {
		performer->room = 2 * performer->room + 4;
		performer->frames = fg_trace_more(performer->frames, performer->room, sizeof *performer->frames);
	}
	performer->frames[performer->n++] = (struct frame){.strand = strand, .is_task = is_task};
}

/* What the thread has computed until now goes to its strand. */
static void
account(struct maker *maker, struct performer *performer, const struct fg_trace_record *record)
{
	struct frame *frame = top(performer);
	struct fg_score *score = maker->score;
	uint64_t ns = record->time - performer->since;
	bool computes = performer->on && record->time > performer->since;
	if (performer->touch && computes)
		score->losses.memory += ns; /* it does not end as it must */
	computes = computes && !performer->touch;
	performer->since = record->time;
	performer->touch = NULL;
	if (!computes || (frame && frame->waits))
		return;
	if (!frame) {
		score->losses.computing += ns;
		return;
	}
	fg_score_step(score, frame->strand, FG_SCORE_WORK, ns);
	if (performer->home && maker->nodes[record->pu] != performer->home)
		score->moved += ns;
}

static void
goes_off(struct maker *maker, uint32_t index, const struct fg_trace_record *record)
{
	struct performer *performer = &maker->performers[index];
	account(maker, performer, record);
	performer->on = false;
	if (maker->lanes[performer->lane] == index)
		maker->lanes[performer->lane] = FG_NOBODY;
}

static void
comes_on(struct maker *maker, uint32_t index, uint32_t lane, const struct fg_trace_record *record)
{
	struct performer *performer = &maker->performers[index];
	if (maker->lanes[lane] != FG_NOBODY && maker->lanes[lane] != index)
		goes_off(maker, maker->lanes[lane], record);
	account(maker, performer, record);
	performer->on = true;
	performer->lane = lane;
	maker->lanes[lane] = index;
}

/* The performer of a thread; outside of regions the program's first one. FG_NOBODY: there is none. */
static uint32_t
performer_of(const struct maker *maker, uint32_t bubble, uint32_t member)
{
	return bubble ? fg_story_thread_of(maker->story, bubble, member) : (uint32_t)maker->story->n_threads;
}

/* Another thread of the program may meet regions meanwhile. They are left out. Time between regions of different
 * threads is no computing of either. */
static bool
root_meets(struct maker *maker, uint32_t lane, const struct fg_trace_record *record)
{
	struct performer *root = &maker->performers[maker->story->n_threads];
	if (maker->root_in) {
		maker->score->losses.other_roots++;
		return false;
	}
	if (maker->root_lane != FG_NOBODY && maker->root_lane != lane)
		root->on = false;
	maker->root_in = record->bubble;
	maker->root_lane = lane;
	if (!maker->begun)
		maker->score->first = record->time;
	maker->begun = true;
	return true;
}

static void
meets(struct maker *maker, uint32_t lane, uint32_t bubble, const struct fg_trace_record *record)
{
	struct fg_score *score = maker->score;
	uint32_t index = performer_of(maker, record->a, record->member);
	if (index == FG_NOBODY || score->regions[bubble].told == FG_SCORE_NONE)
		return;
	score->regions[bubble].told = FG_SCORE_NONE; /* no second event may meet it */
	if (!record->a && !root_meets(maker, lane, record))
		return;
	goes_off(maker, index, record);
	struct frame *frame = top(&maker->performers[index]);
	if (!frame) {
		score->losses.broken++;
		return;
	}
	struct fg_score_line *line = &score->strands[frame->strand];
	if (line->depth >= DEPTH_MAX) {
		score->losses.deep++;
		return;
	}
	score->regions[bubble].first_member = line->depth + 1; /* until the members are numbered */
	fg_score_step(score, frame->strand, FG_SCORE_REGION, bubble);
}

static void
makes_team(struct maker *maker, uint32_t bubble, const struct fg_trace_record *record)
{
	struct fg_score *score = maker->score;
	struct fg_score_region *region = &score->regions[bubble];
	if (region->members || region->told != FG_SCORE_NONE)
		return;
	if (!region->first_member || record->a == 0 || record->a > maker->members_max - score->n_members) {
		score->losses.broken += region->first_member != 0;
		return;
	}
	uint32_t depth = region->first_member;
	region->members = record->a;
	region->first_member = (uint32_t)score->n_members;
	score->losses.kernel_threads += record->b == FG_TRACE_KERNEL;
	score->n_members += record->a;
	score->members = fg_trace_more(score->members, score->n_members, sizeof *score->members);
	for (uint32_t k = 0; k < record->a; k++)
		score->members[region->first_member + k] =
			(struct fg_score_member){.strand = fg_score_strand(score, bubble, depth)};
}

static void
joins(struct maker *maker, uint32_t lane, uint32_t bubble, const struct fg_trace_record *record)
{
	const struct fg_story_bubble *own = &maker->story->bubbles[bubble];
	if (maker->root_in == record->bubble) {
		maker->root_in = 0;
		maker->score->last = record->time;
		comes_on(maker, (uint32_t)maker->story->n_threads, lane, record);
	} else if (own->parent != FG_NOBODY) {
		uint32_t index = performer_of(maker, maker->story->bubbles[own->parent].number, own->parent_member);
		if (index != FG_NOBODY)
			comes_on(maker, index, lane, record);
	}
}

static void
of_bubble(struct maker *maker, uint32_t lane, const struct fg_trace_record *record)
{
	uint32_t bubble = fg_story_bubble_of(maker->story, record->bubble);
	if (bubble == FG_NOBODY)
		return;
	switch (record->event) {
	case FG_EVENT_meet:
		meets(maker, lane, bubble, record);
		break;
	case FG_EVENT_team:
		makes_team(maker, bubble, record);
		break;
	case FG_EVENT_join:
		joins(maker, lane, bubble, record);
		break;
	}
}

static void
makes_task(struct maker *maker, struct performer *performer, const struct fg_trace_record *record)
{
	struct frame *frame = top(performer);
	account(maker, performer, record);
	if (!frame)
		return;
	struct fg_score_task *made = fg_score_made_place(&maker->made, record->a);
	uint32_t strand = fg_score_strand(maker->score, FG_SCORE_NONE, maker->score->strands[frame->strand].depth);
	*made = (struct fg_score_task){record->a, strand};
	fg_score_step(maker->score, frame->strand, FG_SCORE_TASK, strand);
}

/* Strand 0 is no task, so it stands for a task that has begun. If no event has made the task, its time goes to the
 * thread that runs it. */
static void
takes_task(struct maker *maker, uint32_t index, uint32_t lane, const struct fg_trace_record *record)
{
	struct performer *performer = &maker->performers[index];
	struct fg_score_task *made = fg_score_made_place(&maker->made, record->a);
	struct frame *frame = top(performer);
	uint32_t strand = made->strand == FG_SCORE_NONE ? 0 : made->strand;
	account(maker, performer, record);
	if (strand)
		made->strand = FG_SCORE_NONE;
	else if (frame) {
		strand = frame->strand;
		maker->score->losses.tasks_unmade++;
	} else
		return;
	if (!performer->on)
		comes_on(maker, index, lane, record);
	push(performer, strand, true);
}

static void
ends_task(struct maker *maker, uint32_t index, const struct fg_trace_record *record)
{
	struct performer *performer = &maker->performers[index];
	account(maker, performer, record);
	if (!performer->n || !top(performer)->is_task)
		return;
	performer->n--;
	if (!performer->n) /* the member has ended before, so it only helped */
		goes_off(maker, index, record);
}

static void
waits(struct maker *maker, struct performer *performer, const struct fg_trace_record *record)
{
	account(maker, performer, record);
	if (top(performer))
		top(performer)->waits = true;
}

/* A barrier counts where it is left, because the tasks of the wait come before. */
static void
passes(struct maker *maker, struct performer *performer, const struct fg_trace_record *record)
{
	struct frame *frame = top(performer);
	struct fg_score *score = maker->score;
	account(maker, performer, record);
	if (!frame || !frame->waits)
		return;
	struct fg_score_line *line = &score->strands[frame->strand];
	frame->waits = false;
	if (record->event == FG_EVENT_go && line->member_of != FG_SCORE_NONE) {
		fg_score_step(score, frame->strand, FG_SCORE_BARRIER, 0);
		line->barriers++;
	} else if (record->event == FG_EVENT_go_tasks && record->a == FG_TRACE_CHILDREN)
		fg_score_step(score, frame->strand, FG_SCORE_CHILDREN, 0);
	else if (record->event == FG_EVENT_go_tasks && line->groups) {
		line->groups--;
		fg_score_step(score, frame->strand, FG_SCORE_GROUP_END, 0);
	}
}

/* Before the first region, the program's first thread computes from its first touch on. Touches of other threads of the
 * program between regions are lost. */
static uint32_t
toucher_of(struct maker *maker, uint32_t lane, const struct fg_trace_record *record)
{
	uint32_t index = performer_of(maker, record->bubble, record->member);
	if (record->bubble)
		return index;
	if (maker->root_in || (maker->root_lane != FG_NOBODY && maker->root_lane != lane))
		return FG_NOBODY;
	if (!maker->begun) {
		maker->begun = true;
		maker->score->first = record->time;
		comes_on(maker, index, lane, record);
	}
	return index;
}

static void
touches(struct maker *maker, uint32_t lane, const struct fg_trace_record *record)
{
	uint32_t index = toucher_of(maker, lane, record);
	struct performer *performer = index == FG_NOBODY ? NULL : &maker->performers[index];
	struct fg_score *score = maker->score;
	if (performer && record->event == FG_EVENT_touch) {
		account(maker, performer, record);
		performer->touch = record;
	} else if (performer && performer->touch && performer->on && top(performer)) {
		const struct fg_trace_record *touch = performer->touch;
		uint64_t ns = record->time > performer->since ? record->time - performer->since : 0;
		performer->touch = NULL;
		performer->since = record->time;
		fg_score_touch(score, top(performer)->strand, touch->a, touch->b, record->b, ns);
	} else
		score->losses.touches += record->event == FG_EVENT_touched;
}

static void
begins(struct maker *maker, uint32_t index, uint32_t lane, const struct fg_trace_record *record)
{
	struct fg_score *score = maker->score;
	struct performer *performer = &maker->performers[index];
	uint32_t bubble = fg_story_bubble_of(maker->story, record->bubble);
	if (bubble == FG_NOBODY || performer->n || record->member >= score->regions[bubble].members)
		return;
	struct fg_score_member *member = &score->members[score->regions[bubble].first_member + record->member];
	performer->home = maker->nodes[record->pu];
	performer->since = record->time;
	push(performer, member->strand, false);
	comes_on(maker, index, lane, record);
}

static void
of_thread(struct maker *maker, uint32_t lane, const struct fg_trace_record *record)
{
	uint32_t index = fg_story_thread_of(maker->story, record->bubble, record->member);
	if (index == FG_NOBODY)
		return;
	struct performer *performer = &maker->performers[index];
	struct fg_score_losses *losses = &maker->score->losses;
	switch (record->event) {
	case FG_EVENT_begin:
		begins(maker, index, lane, record);
		break;
	case FG_EVENT_end:
		goes_off(maker, index, record);
		performer->n = 0;
		break;
	case FG_EVENT_relieve:
		losses->relieved++;
		__attribute__((fallthrough));
	case FG_EVENT_suspend:
		goes_off(maker, index, record);
		break;
	case FG_EVENT_resume:
		if (performer->n)
			comes_on(maker, index, lane, record);
		break;
	case FG_EVENT_wait:
	case FG_EVENT_wait_tasks:
		waits(maker, performer, record);
		break;
	case FG_EVENT_go:
	case FG_EVENT_go_tasks:
		passes(maker, performer, record);
		break;
	case FG_EVENT_create:
		makes_task(maker, performer, record);
		break;
	case FG_EVENT_task:
		takes_task(maker, index, lane, record);
		break;
	case FG_EVENT_task_end:
		ends_task(maker, index, record);
		break;
	case FG_EVENT_group:
		account(maker, performer, record);
		if (top(performer)) {
			maker->score->strands[top(performer)->strand].groups++;
			fg_score_step(maker->score, top(performer)->strand, FG_SCORE_GROUP, 0);
		}
		break;
	case FG_EVENT_follow:
		losses->follows++;
		break;
	case FG_EVENT_area:
		losses->areas++;
		break;
	case FG_EVENT_seat:
		losses->places += record->b == FG_TRACE_SEAT_PLACES;
		break;
	}
}

/* A worker that sleeps does not compute, even if a thread that waits for a lock is still on it. */
static void
of_worker(struct maker *maker, uint32_t lane, const struct fg_trace_record *record)
{
	uint32_t index = maker->lanes[lane];
	if (index == FG_NOBODY)
		return;
	struct performer *performer = &maker->performers[index];
	account(maker, performer, record);
	performer->on = record->event == FG_EVENT_wake && performer->n;
}

static void
prepare(struct maker *maker)
{
	const struct fg_trace *trace = maker->story->trace;
	struct fg_score *score = maker->score;
	size_t n_made = 0, n_threads = maker->story->n_threads;
	for (size_t i = 0; i < trace->n_items; i++)
		n_made += trace->items[i].record.event == FG_EVENT_create;
	fg_score_made_begin(&maker->made, n_made);
	maker->performers = fg_trace_memory(n_threads + 1, sizeof *maker->performers);
	maker->lanes = fg_trace_memory(trace->n_lanes, sizeof *maker->lanes);
	for (unsigned i = 0; i < trace->n_lanes; i++)
		maker->lanes[i] = FG_NOBODY;
	maker->nodes = fg_score_nodes(trace);
	maker->root_lane = FG_NOBODY;
	maker->members_max = trace->n_items + UNSEEN_MAX;
	score->n_regions = maker->story->n_bubbles;
	score->regions = fg_trace_memory(score->n_regions, sizeof *score->regions);
	push(&maker->performers[n_threads], fg_score_strand(score, FG_SCORE_NONE, 0), false);
	for (size_t i = 0; i < score->n_regions; i++) {
		uint32_t site = maker->story->bubbles[i].region;
		score->regions[i].site = site == FG_NOBODY ? 0 : site % FG_SCORE_SITES;
	}
	if (maker->story->n_regions > FG_SCORE_SITES)
		score->losses.sites = maker->story->n_regions - FG_SCORE_SITES;
}

static void
clean_up(struct maker *maker)
{
	for (size_t i = 0; i <= maker->story->n_threads; i++)
		free(maker->performers[i].frames);
	free(maker->performers);
	free(maker->lanes);
	free(maker->nodes);
	free(maker->made.tasks);
}

struct fg_score *
fg_score_make(const struct fg_story *story, bool data, char *why, size_t why_size)
{
	const struct fg_trace *trace = story->trace;
	struct fg_score *score = fg_trace_memory(1, sizeof *score);
	struct maker maker = {.story = story, .score = score};
	prepare(&maker);
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		const char *about = fg_event_words(record->event)->about;
		if (data && (record->event == FG_EVENT_touch || record->event == FG_EVENT_touched))
			touches(&maker, trace->items[i].lane, record);
		else if (strcmp(about, "thread") == 0)
			of_thread(&maker, trace->items[i].lane, record);
		else if (strcmp(about, "bubble") == 0)
			of_bubble(&maker, trace->items[i].lane, record);
		else if (strcmp(about, "worker") == 0)
			of_worker(&maker, trace->items[i].lane, record);
	}
	if (maker.root_in || !score->last) /* the last region never ended */
		score->last = story->to;
	fg_score_loads(score, story);
	clean_up(&maker);
	if (fg_score_finish(score, why, why_size))
		return score;
	fg_score_free(score);
	return NULL;
}

void
fg_score_free(struct fg_score *score)
{
	for (size_t i = 0; i < score->n_strands; i++)
		free(score->strands[i].steps);
	free(score->strands);
	free(score->regions);
	free(score->members);
	free(score);
}
