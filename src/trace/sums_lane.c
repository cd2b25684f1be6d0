/* Where a worker keeps its sums (floor: trace): see sums_lane.h. */
#define _GNU_SOURCE
#include "trace/sums_lane.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "platform/map.h"
#include "trace/file.h"
#include "trace/lane.h"

#define SHARE 100 /* the cost may be one of so many parts */
#define GAP_MOST 8192
#define RECORDS ((FG_TRACE_ALIGN - sizeof(struct fg_trace_block)) / sizeof(struct fg_trace_sum)) /* of a block */

struct fg_sums_made fg_sums_made;

uint64_t
fg_sums_dropped(void)
{
	return fg_load_relaxed(&fg_sums_made.dropped);
}

static struct fg_trace_sum *
record_fresh(struct fg_sums_lane *lane)
{
	if (lane->next == lane->end) {
		uint64_t offset;
		struct fg_trace_block *block = fg_trace_file_block(FG_TRACE_ALIGN, &offset);
		if (!block) {
			fg_add_relaxed(&fg_sums_made.dropped, 1);
			return NULL;
		}
		block->count = RECORDS;
		block->kind = FG_TRACE_SUMS;
		lane->next = (struct fg_trace_sum *)(block + 1);
		lane->end = lane->next + RECORDS;
	}
	return lane->next++;
}

/* A record for a call or a member. Its words are zero, but for the kind, which makes it valid, and is stored last. */
struct fg_trace_sum *
fg_sums_record_take(struct fg_sums_lane *lane)
{
	struct fg_trace_sum *record = lane->free;
	if (!record)
		return record_fresh(lane);
	lane->free = (struct fg_trace_sum *)(uintptr_t)record->call;
	for (unsigned i = 0; i < 16; i++) /* all that a call or a member has */
		record->words[i] = 0;
	return record;
}
_Static_assert(sizeof(struct fg_trace_call) <= 128 && sizeof(struct fg_trace_member) <= 128, "record_take clears them");

void
fg_sums_record_begin(struct fg_trace_sum *record, enum fg_trace_sum_kind kind, const struct fg_trace_sum *like)
{
	record->function = like->function;
	record->weight = like->weight;
	record->call = like->call;
	atomic_signal_fence(memory_order_release);
	record->kind = kind;
}

void
fg_sums_record_give(struct fg_sums_lane *lane, struct fg_trace_sum *record)
{
	record->kind = FG_SUM_FREE;
	atomic_signal_fence(memory_order_release);
	record->call = (uintptr_t)lane->free;
	lane->free = record;
}

static struct fg_sums_lane *
lane_new(void)
{
	int saved = errno;
	struct fg_sums_lane *lane = fg_map_unreserved(sizeof *lane);
	if (lane) {
		lane->random = (uintptr_t)lane | 1;
		lane->number = fg_add_relaxed(&fg_sums_made.n_lanes, 1) + 1;
		lane->own = record_fresh(lane);
		if (lane->own)
			lane->own->kind = FG_SUM_LANE;
	}
	errno = saved;
	return lane;
}

/* The caller's. NULL: nothing is recorded any more. */
struct fg_sums_lane *
fg_sums_lane_here(void)
{
	struct fg_trace_worker worker = {0};
	struct fg_sums_lane **here = fg_trace_lane_sums(&worker);
	if (!here)
		return NULL;
	if (__builtin_expect(!*here, 0) && !(*here = lane_new()))
		return NULL;
	(*here)->pu = worker.pu;
	return *here;
}

uint64_t
fg_sums_now(struct fg_sums_lane *lane)
{
	uint64_t now = fg_carrier->now();
	if (lane->own)
		lane->own->last = now;
	return now;
}

struct fg_sums_region *
fg_sums_region_of(struct fg_sums_lane *lane, uint64_t function)
{
	if (lane->last && lane->last->function == function)
		return lane->last;
	uint64_t place = function * UINT64_C(0x9e3779b97f4a7c15) >> 52;
	for (;; place = (place + 1) % FG_SUMS_REGIONS) {
		struct fg_sums_region *region = &lane->regions[place];
		if (region->function == function)
			return lane->last = region;
		if (region->function)
			continue;
		if (lane->n_regions >= FG_SUMS_REGIONS / 2 || !(region->row = record_fresh(lane))) {
			fg_add_relaxed(&fg_sums_made.dropped, 1);
			return NULL;
		}
		lane->n_regions++;
		region->sampler.gap = 1;
		region->row->row.shortest = UINT64_MAX;
		region->row->row.fewest = UINT32_MAX;
		region->row->function = region->function = function;
		region->row->call = lane->number;
		region->row->kind = FG_SUM_ROW;
		return region;
	}
}

struct fg_trace_row *
fg_sums_row_of(struct fg_sums_lane *lane, const struct fg_trace_sum *record)
{
	struct fg_sums_region *region = fg_sums_region_of(lane, record->function);
	return region ? &region->row->row : NULL;
}

/* The next of so many on the average is timed. The number is random, so that no rhythm of the program meets it. */
struct fg_sums_sampler
fg_sums_sampler_after(struct fg_sums_lane *lane, uint64_t cost, uint64_t lasts)
{
	uint64_t mean = lasts ? cost * SHARE / lasts : GAP_MOST, gap = 1;
	lane->random ^= lane->random << 13;
	lane->random ^= lane->random >> 7;
	lane->random ^= lane->random << 17;
	if (mean > GAP_MOST)
		mean = GAP_MOST;
	if (mean > 1)
		gap = 1 + lane->random % (2 * mean - 1);
	return (struct fg_sums_sampler){(uint32_t)gap - 1, (uint32_t)gap};
}
