/* Where a worker keeps its sums: records in the file, its regions, and which calls it times (floor: trace; called by
 * sums.c). Only the thread that the worker carries uses its lane, as lane.h says. */
#pragma once
#include "trace/sums.h"

#define FG_SUMS_REGIONS 4096 /* of one worker; at most half of them are used */

/* Says how many calls, or tasks, are skipped before the next one is timed. */
struct fg_sums_sampler {
	uint32_t skip, gap; /* `gap`: for so many stands the next one */
};

struct fg_sums_region {
	uint64_t function;
	struct fg_trace_sum *row;
	struct fg_sums_sampler sampler; /* its `skip` moves to the row when the first of those calls comes */
	uint32_t skipped;		/* calls since the last one that was timed, with row.skip */
	uint64_t left;			/* when that was left; 0: it is not */
	uint64_t call, pause;		/* mean times of the last calls, and from leaving one to meeting the next */
};

struct fg_sums_lane {
	struct fg_trace_sum *own, *next, *end; /* FG_SUM_LANE; records of the current block that nobody has had */
	struct fg_trace_sum *free;	       /* linked by `call` */
	struct fg_sums_sampler tasks;
	uint64_t random;
	unsigned number, pu, n_regions;
	struct fg_sums_region *last; /* that was looked up */
	struct fg_sums_region regions[FG_SUMS_REGIONS];
};

/* In all lanes together. */
extern struct fg_sums_made {
	struct fg_atomic_u64 n_calls, dropped;
	struct fg_atomic_u32 n_lanes;
} fg_sums_made __attribute__((visibility("hidden")));

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
