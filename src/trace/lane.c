/* Lanes (floor: trace): see lane.h. */
#define _GNU_SOURCE
#include "trace/lane.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "base/options.h"
#include "platform/map.h"
#include "trace/file.h"
#include "trace/trace.h"

#define FIRST_BYTES FG_TRACE_ALIGN
#define MOST_BYTES (16 * FG_TRACE_ALIGN) /* of one block; the first are smaller, because there may be many PUs */

struct fg_trace_lane {
	struct fg_trace_record *next, *end; /* in the current block */
	struct fg_trace_block *block;
	uint64_t block_bytes;
	uint32_t number;
	int tid; /* that its current block tells; 0: none yet */
	uint64_t sequence, lost;
	uint64_t bytes; /* of all its blocks */
	unsigned n_blocks, oldest, room;
	struct fg_sums_lane *sums;
	struct {
		uint64_t offset, bytes;
	} blocks[];
};

static struct {
	struct fg_trace_lane **(*here)(struct fg_trace_worker *worker);
	struct fg_atomic_u32 open; /* it is set after all that a writer needs */
	struct fg_atomic_u32 n;
	struct fg_atomic_u64 dropped;
	struct fg_atomic_u32 full; /* the file cannot grow */
} lanes;

void
fg_trace_lanes_start(struct fg_trace_lane **(*here)(struct fg_trace_worker *worker))
{
	lanes.here = here;
}

void
fg_trace_lanes_open(bool open)
{
	fg_store_release(&lanes.open, open);
}

bool
fg_trace_lanes_are_open(void)
{
	return fg_load_relaxed(&lanes.open);
}

unsigned
fg_trace_lanes_count(uint64_t *lost)
{
	*lost = fg_load_relaxed(&lanes.dropped);
	return fg_load_relaxed(&lanes.n);
}

void
fg_trace_lanes_lose(uint64_t events)
{
	fg_add_relaxed(&lanes.dropped, events);
}

/* Maps its memory, because an event may happen in a signal handler. */
static struct fg_trace_lane *
lane_new(void)
{
	struct fg_trace_lane *lane;
	unsigned room = (unsigned)(fg_options.trace_size / MOST_BYTES) + 8;
	size_t size = sizeof *lane + room * sizeof lane->blocks[0];
	lane = fg_map_unreserved(size);
	if (!lane)
		return NULL;
	lane->number = fg_add_relaxed(&lanes.n, 1);
	lane->room = room;
	return lane;
}

static struct fg_trace_block *
block_new(struct fg_trace_lane *lane)
{
	uint64_t bytes = FIRST_BYTES, offset;
	if (lane->n_blocks)
		bytes = 2 * lane->blocks[lane->n_blocks - 1].bytes;
	if (bytes > MOST_BYTES)
		bytes = MOST_BYTES;
	bool may = lane->n_blocks < lane->room && lane->bytes + bytes <= fg_options.trace_size && !lane->lost;
	if (!may || fg_load_relaxed(&lanes.full))
		return NULL;
	struct fg_trace_block *block = fg_trace_file_block(bytes, &offset);
	if (!block) {
		fg_store_relaxed(&lanes.full, 1);
		return NULL;
	}
	lane->blocks[lane->n_blocks].offset = offset;
	lane->blocks[lane->n_blocks++].bytes = lane->block_bytes = bytes;
	lane->bytes += bytes;
	return block;
}

static struct fg_trace_block *
block_oldest(struct fg_trace_lane *lane)
{
	if (!lane->n_blocks)
		return NULL;
	unsigned i = lane->oldest++ % lane->n_blocks;
	lane->block_bytes = lane->blocks[i].bytes;
	struct fg_trace_block *block = fg_trace_file_map(lane->blocks[i].offset, lane->block_bytes);
	if (block)
		lane->lost += block->count;
	return block;
}

static bool
lane_grow(struct fg_trace_lane *lane)
{
	if (lane->block)
		fg_trace_file_unmap(lane->block, lane->block_bytes);
	struct fg_trace_block *block = block_new(lane);
	if (!block)
		block = block_oldest(lane);
	lane->block = block;
	lane->tid = 0;
	if (!block) {
		lane->next = lane->end = NULL;
		fg_add_relaxed(&lanes.dropped, 1);
		return false;
	}
	block->count = 0;
	block->sequence = lane->sequence++;
	block->lost = lane->lost;
	block->reserved[0] =
		lane->lost && fg_load_relaxed(&lanes.full); /* the disk was full, or else the size was reached */
	block->lane = lane->number;
	lane->next = (struct fg_trace_record *)(block + 1);
	lane->end = lane->next + (lane->block_bytes - sizeof *block) / sizeof *lane->next;
	return true;
}

/* The record is stored before its count. So every counted record is complete, however the process ends. */
static void
record(struct fg_trace_lane *lane, const struct fg_trace_record *record)
{
	*lane->next++ = *record;
	atomic_signal_fence(memory_order_release);
	lane->block->count++;
}

static struct fg_trace_lane **
lane_place(struct fg_trace_worker *worker)
{
	return fg_load_acquire(&lanes.open) ? lanes.here(worker) : NULL;
}

struct fg_sums_lane **
fg_trace_lane_sums(struct fg_trace_worker *worker)
{
	struct fg_trace_lane **here = lane_place(worker);
	if (__builtin_expect(here && !*here, 0)) {
		int saved = errno;
		*here = lane_new();
		errno = saved;
	}
	return here && *here ? &(*here)->sums : NULL;
}

static struct fg_trace_lane *
lane_with_room(struct fg_trace_worker *worker)
{
	struct fg_trace_lane **here = lane_place(worker);
	if (!here)
		return NULL;
	struct fg_trace_lane *lane = *here;
	if (__builtin_expect(lane && lane->next != lane->end, 1))
		return lane;
	int saved = errno;
	if (!lane)
		lane = *here = lane_new();
	if (lane && !lane_grow(lane))
		lane = NULL;
	errno = saved;
	return lane;
}

/* Each block tells it first, because older blocks may be overwritten. Only live kernel threads are told: simulated
 * workers have none of their own. There is room for one record. */
static void
carry(struct fg_trace_lane *lane, const struct fg_trace_worker *worker)
{
	lane->tid = worker->tid;
	if (fg_carrier == &fg_carrier_live)
		record(lane, &(struct fg_trace_record){.time = fg_carrier->now(),
						       .event = FG_EVENT_carry,
						       .pu = (uint16_t)worker->pu,
						       .a = (uint32_t)worker->tid});
}

void
fg_trace_slow(enum fg_event event, uint32_t bubble, uint32_t member, uint32_t a, uint64_t b)
{
	struct fg_trace_worker worker = {0};
	struct fg_trace_lane *lane = lane_with_room(&worker);
	if (lane && __builtin_expect(worker.tid != lane->tid, 0)) {
		carry(lane, &worker);
		lane = lane_with_room(&worker);
	}
	if (lane)
		record(lane,
		       &(struct fg_trace_record){fg_carrier->now(), event, (uint16_t)worker.pu, bubble, member, a, b});
}
