/* Sums (floor: trace): see sums.h.
 *
 * A record of a call is written by the thread that met the region. Only its sums are added to by the members, with
 * atomic operations, and are read at the join, which comes after all of them have ended. A record of a member is
 * written by the running thread, or by the thread that switches it out. These records are taken from a list of the
 * worker's and go back to that of the worker where they end. A row belongs to one worker. */
#define _GNU_SOURCE
#include "trace/sums.h"

#include "base/atomic.h"
#include "trace/names.h"
#include "trace/sums_lane.h"

#define FIRST_TIMED 16 /* so many calls are timed before any is not */
#define READS_NS 600   /* a timed wait: two readings of a clock, and what misses the caches */
#define CALL_NS 2500   /* a timed call, */
#define MEMBER_NS 60   /* and each of its members */

/* For the words of a call, which its members share. The simulated machine does not charge for them. */
static void
add_shared(uint64_t *word, uint64_t number)
{
	__atomic_fetch_add(word, number, __ATOMIC_RELAXED);
}

static void
raise_shared(uint64_t *word, uint64_t number)
{
	uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
	while (seen < number &&
	       !__atomic_compare_exchange_n(word, &seen, number, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void
learn(uint64_t *mean, uint64_t time)
{
	*mean = *mean ? *mean - *mean / 8 + time / 8 : time;
}

/* The calls that were not timed lie between the end of the last one that was, and now. So they have the part of that
 * time that calls have as a rule. Even if a few calls are long and none of those was timed, the sum is no longer than
 * what went by. */
static void
know_skipped(struct fg_sums_region *region, uint64_t now)
{
	struct fg_trace_row *row = &region->row->row;
	uint64_t n = region->skipped, passed = region->left ? now - region->left : 0;
	double calls = (double)n * (double)region->call, pauses = (double)(n + 1) * (double)region->pause;
	if (n && passed && calls > 0)
		row->known += (uint64_t)((double)passed * calls / (calls + pauses));
	else
		row->known += n * region->call;
	if (!n && region->left)
		learn(&region->pause, passed);
	row->covered += n;
	region->skipped = 0;
	region->left = 0;
}

/* The first call after a timed one measures the pause between calls. It counts all calls that are not timed at once, so
 * that each of them has only row.skip to count down. */
static void
skip_begin(struct fg_sums_lane *lane, struct fg_sums_region *region)
{
	struct fg_trace_row *row = &region->row->row;
	if (!region->skipped && region->left)
		learn(&region->pause, fg_sums_now(lane) - region->left);
	region->skipped += region->sampler.skip;
	row->met += region->sampler.skip;
	atomic_signal_fence(memory_order_release); /* row.skip <= row.met, also if the process is killed here */
	row->skip = region->sampler.skip;
	region->sampler.skip = 0;
}

static void
skip_end(struct fg_sums_region *region)
{
	struct fg_trace_row *row = &region->row->row;
	uint32_t left = row->skip;
	region->skipped -= left;
	row->skip = 0;
	atomic_signal_fence(memory_order_release); /* as above */
	row->met -= left;
}

struct fg_trace_sum *
fg_sums_meet(const struct fg_trace_lane *of, uint64_t function, bool is_nested, struct fg_sums_skipped *skipped)
{
	struct fg_sums_lane *lane = fg_sums_lane_here();
	struct fg_sums_region *region = lane ? fg_sums_region_of(lane, function) : NULL;
	skipped->function = 0;
	if (!region)
		return NULL;
	struct fg_trace_row *row = &region->row->row;
	if (!row->met)
		fg_trace_names_note(function);
	row->nested |= is_nested;
	if (!row->skip && region->sampler.skip)
		skip_begin(lane, region);
	if (row->skip) {
		row->skip--;
		*skipped = (struct fg_sums_skipped){function, of, row};
		return NULL;
	}
	row->met++;
	struct fg_trace_sum *call = fg_sums_record_take(lane);
	if (!call)
		return NULL;
	call->of_call.is_nested = is_nested;
	call->of_call.lane = lane->number;
	call->of_call.meet = fg_sums_now(lane);
	know_skipped(region, call->of_call.meet);
	fg_sums_record_begin(call, FG_SUM_CALL,
			     &(struct fg_trace_sum){.function = function,
						    .weight = region->sampler.gap,
						    .call = fg_add_relaxed(&fg_sums_made.n_calls, 1) + 1});
	return call;
}

void
fg_sums_team(struct fg_trace_sum *call, uint32_t members, uint32_t mode)
{
	call->of_call.members = members;
	call->of_call.mode = mode;
}

/* Adds a call that was left to its row. `weight` is the number of calls for which it stands. */
static void
row_add(struct fg_trace_row *row, const struct fg_trace_call *call, uint64_t time, uint64_t weight)
{
	uint64_t work = __atomic_load_n(&call->work, __ATOMIC_RELAXED), ended = call->ended;
	row->timed++;
	row->weight += weight;
	row->time += weight * time;
	row->outermost += call->is_nested ? 0 : weight * time;
	row->shortest = time < row->shortest ? time : row->shortest;
	row->longest = time > row->longest ? time : row->longest;
	row->members += weight * call->members;
	row->fewest = call->members < row->fewest ? call->members : row->fewest;
	row->most = call->members > row->most ? call->members : row->most;
	row->work += weight * work;
	row->most_work += weight * ended * call->most;
	if (call->mode == FG_TRACE_FLAT)
		row->waited += weight * (ended * time - call->ends);
	row->cpu += weight * (work - call->within);
	row->whole += weight * (work - call->within + call->within_whole);
}

void
fg_sums_join(struct fg_trace_sum *call, struct fg_trace_sum *outer)
{
	struct fg_sums_lane *lane = fg_sums_lane_here();
	struct fg_sums_region *region = lane ? fg_sums_region_of(lane, call->function) : NULL;
	if (!region)
		return;
	struct fg_trace_call *own = &call->of_call;
	uint64_t now = fg_sums_now(lane), time = now - own->meet;
	region->row->row.known += time;
	region->row->row.covered++;
	region->left = now;
	learn(&region->call, time);
	row_add(&region->row->row, own, time, call->weight);
	if (outer) {
		outer->member.within += call->weight * time;
		outer->member.within_whole += call->weight * (own->work - own->within + own->within_whole);
	}
	skip_end(region); /* of an earlier call, if this one was met before that was left */
	if (region->row->row.timed >= FIRST_TIMED)
		region->sampler = fg_sums_sampler_after(lane, CALL_NS + MEMBER_NS * (uint64_t)own->members, time);
	fg_sums_record_give(lane, call);
}

struct fg_trace_sum *
fg_sums_begin(struct fg_trace_sum *call, struct fg_trace_sum *last)
{
	bool is_over = last && last->member.ended;
	struct fg_sums_lane *lane = call || is_over ? fg_sums_lane_here() : NULL;
	if (!lane)
		return NULL;
	if (is_over)
		fg_sums_record_give(lane, last);
	struct fg_trace_sum *record = call ? fg_sums_record_take(lane) : NULL;
	if (!record)
		return NULL;
	record->member.gap = 1;
	record->member.pu = (uint16_t)lane->pu;
	record->member.begin = fg_sums_now(lane);
	fg_sums_record_begin(record, FG_SUM_MEMBER, call);
	return record;
}

struct fg_trace_sum *
fg_sums_again(struct fg_trace_sum *call, struct fg_trace_sum *last)
{
	if (call && last && last->member.ended && last->call == call->call)
		return last;
	struct fg_trace_sum *record = fg_sums_begin(call, last);
	if (record)
		record->member.ended = 1;
	return record;
}

void
fg_sums_forget(struct fg_trace_sum *record)
{
	struct fg_sums_lane *lane = record->member.ended ? fg_sums_lane_here() : NULL;
	if (lane)
		fg_sums_record_give(lane, record);
}

void
fg_sums_end(struct fg_trace_sum *record, struct fg_trace_sum *call)
{
	struct fg_sums_lane *lane = fg_sums_lane_here();
	struct fg_trace_row *row = lane ? fg_sums_row_of(lane, record) : NULL;
	struct fg_trace_member *member = &record->member;
	if (!row || !call || member->ended)
		return;
	uint64_t now = fg_sums_now(lane), span = now - member->begin, weight = record->weight;
	if ((int64_t)member->waited < 0) /* by estimates of tasks that ran in waits */
		member->waited = 0;
	uint64_t idle = member->waited + member->off_pu;
	member->work = span > idle ? span - idle : 0;
	row->span += weight * span;
	row->waited += weight * member->waited;
	row->off_pu += weight * member->off_pu;
	row->suspensions += weight * member->suspensions;
	row->migrations += weight * member->migrations;
	row->preemptions += weight * member->preemptions;
	row->tasks += weight * member->tasks;
	add_shared(&call->of_call.work, member->work);
	raise_shared(&call->of_call.most, member->work);
	add_shared(&call->of_call.within, member->within);
	add_shared(&call->of_call.within_whole, member->within_whole);
	add_shared(&call->of_call.ends, now - call->of_call.meet);
	add_shared(&call->of_call.ended, 1);
	member->ended = 1;
}

void
fg_sums_wait(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	struct fg_sums_lane *lane = member->ended || member->waits ? NULL : fg_sums_lane_here();
	if (!lane)
		return;
	member->barriers += member->gap;
	member->waits_since = fg_sums_now(lane);
	member->waits = 1;
}

uint16_t
fg_sums_go(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	bool waits = member->waits;
	member->waits = 0;
	struct fg_sums_lane *lane = waits ? fg_sums_lane_here() : NULL;
	if (!lane)
		return 0;
	uint64_t now = fg_sums_now(lane);
	uint64_t waited = member->gap * (now - member->waits_since),
		 most = now - (member->went ? member->went : member->begin);
	member->waited += waited < most ? waited : most;
	member->waits_since = 0;
	member->went = now;
	uint32_t barriers = member->barriers ? member->barriers : 1; /* 0: somebody has truncated the file */
	struct fg_sums_sampler next = fg_sums_sampler_after(lane, READS_NS, (now - member->begin) / barriers);
	member->gap = next.gap;
	return (uint16_t)next.skip;
}

/* Tasks that run in a wait that is timed, or after their member's end, are no waiting. */
static bool
task_counts(const struct fg_trace_member *member)
{
	return member->depth == 1 && (member->waits || member->ended);
}

void
fg_sums_task_slow(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	struct fg_sums_lane *lane;
	member->depth++;
	member->tasks++;
	if (!task_counts(member) || !(lane = fg_sums_lane_here()))
		return;
	if (lane->tasks.skip)
		lane->tasks.skip--;
	else
		member->task_since = fg_sums_now(lane);
}

void
fg_sums_task_end_slow(struct fg_trace_sum *record, struct fg_trace_sum *call)
{
	struct fg_trace_member *member = &record->member;
	struct fg_sums_lane *lane;
	if (!member->depth)
		return;
	if (member->ended && (lane = fg_sums_lane_here())) {
		struct fg_trace_row *row = fg_sums_row_of(lane, record);
		if (row)
			row->tasks += record->weight;
	}
	bool counts = task_counts(member) && member->task_since;
	member->depth--;
	if (!counts || !call || !(lane = fg_sums_lane_here()))
		return;
	uint64_t lasts = fg_sums_now(lane) - member->task_since;
	uint64_t helped = lasts * (lane->tasks.gap ? lane->tasks.gap : 1);
	member->task_since = 0;
	if (member->ended) {
		struct fg_trace_row *row = fg_sums_row_of(lane, record);
		if (row && call->of_call.mode == FG_TRACE_FLAT)
			row->waited -= record->weight * helped;
		member->work += helped;
		add_shared(&call->of_call.work, helped);
		raise_shared(&call->of_call.most, member->work);
	} else {
		member->waited -= member->gap * helped;
	}
	lane->tasks = fg_sums_sampler_after(lane, READS_NS, lasts);
}

void
fg_sums_leave_slow(struct fg_trace_sum *record, bool waits)
{
	struct fg_trace_member *member = &record->member;
	if (member->ended)
		return;
	member->suspensions++;
	if (waits || member->waits || member->away_since)
		return;
	struct fg_sums_lane *lane = fg_sums_lane_here();
	if (lane)
		member->away_since = fg_sums_now(lane);
}

void
fg_sums_resume_slow(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	struct fg_sums_lane *lane = member->ended ? NULL : fg_sums_lane_here();
	if (!lane)
		return;
	member->migrations += member->pu != lane->pu;
	member->pu = (uint16_t)lane->pu;
	if (member->away_since)
		member->off_pu += fg_sums_now(lane) - member->away_since;
	member->away_since = 0;
}

void
fg_sums_preempt_slow(struct fg_trace_sum *record)
{
	record->member.preemptions++;
}

void
fg_sums_stolen_slow(const struct fg_trace_sum *record)
{
	bool over = record->kind == FG_SUM_MEMBER && record->member.ended;
	struct fg_sums_lane *lane = over ? NULL : fg_sums_lane_here();
	struct fg_trace_row *row = lane ? fg_sums_row_of(lane, record) : NULL;
	if (row)
		row->steals += record->weight;
}
