/* Where a worker keeps its sums: records in the file, its regions, and which calls it times (floor: trace; called by
 * sums.c, and fg_sums_pass and its like by the floor team). */
#pragma once
#include "trace/sums.h"

#define FG_SUMS_REGIONS 4096 /* of one worker; at most half of them are used */

/* Says how many calls, or tasks, are passed over before the next one is timed. */
struct fg_sums_sampler {
	uint32_t skip, gap; /* `gap`: for so many stands the next one */
};

struct fg_sums_region {
	uint64_t function;
	struct fg_trace_sum *row;
	struct fg_sums_sampler sampler;
	uint32_t skipped;     /* calls since the last one that was timed */
	uint64_t left;	      /* when that was left; 0: it is not */
	uint64_t call, pause; /* mean times of the last calls, and from leaving one to meeting the next */
};

struct fg_sums_lane {
	struct fg_trace_sum *own, *next, *end; /* FG_SUM_LANE; records of the current block that nobody has had */
	struct fg_trace_sum *free;	       /* linked by `call` */
	struct fg_sums_sampler tasks;
	uint64_t task_began; /* of a task that is timed */
	uint64_t random;
	unsigned number, pu, n_regions;
	struct fg_sums_region *last; /* that was looked up */
	struct fg_sums_region regions[FG_SUMS_REGIONS];
};

/* The caller's. NULL: nothing is recorded any more. */
struct fg_sums_lane *fg_sums_lane_here(void);
/* The time, which is the lane's last event, too. */
uint64_t fg_sums_now(struct fg_sums_lane *lane);
/* A record for a call or a member, all zero; NULL: there is no room. fg_sums_record_begin makes it valid. */
struct fg_trace_sum *fg_sums_record_take(struct fg_sums_lane *lane);
void fg_sums_record_begin(struct fg_trace_sum *record, enum fg_trace_sum_kind kind, const struct fg_trace_sum *like);
void fg_sums_record_give(struct fg_sums_lane *lane, struct fg_trace_sum *record);
/* NULL: there is no room. */
struct fg_sums_region *fg_sums_region_of(struct fg_sums_lane *lane, uint64_t function);
struct fg_trace_row *fg_sums_row_of(struct fg_sums_lane *lane, const struct fg_trace_sum *record);
/* Timing costs `cost`, and what is timed lasts so long: which one comes next? */
struct fg_sums_sampler fg_sums_sampler_after(struct fg_sums_lane *lane, uint64_t cost, uint64_t lasts);

/* The same worker meets the same region again, and the call is not timed: it is only counted. The first call after a
 * timed one is not passed over, because it measures the pause between calls. */
static inline bool
fg_sums_pass(const struct fg_sums_passed *passed, const struct fg_trace_lane *lane, uint64_t function, bool is_nested)
{
	if (passed->lane != lane || passed->function != function || !lane)
		return false;
	struct fg_sums_region *region = passed->region;
	if (!region->sampler.skip || !region->skipped)
		return false;
	region->sampler.skip--;
	region->skipped++;
	region->row->row.met++;
	region->row->row.nested += is_nested;
	return true;
}

/* The member comes to a barrier, and this wait is not timed. It must call fg_sums_pass_wait_end afterwards. */
static inline bool
fg_sums_pass_wait(struct fg_trace_member *member)
{
	if (member->ended || member->waits || !member->skip)
		return false;
	member->barriers++;
	member->skip--;
	member->waits = 2;
	return true;
}

static inline void
fg_sums_pass_wait_end(struct fg_trace_member *member)
{
	member->waits = 0;
}
