/* Segments: the pieces of memory that the allocator gets from the system, and their units (floor: platform; used by
 * memory.c alone, which says how all of it works). The caller holds the lock of its shard, or none; these functions
 * take that of the segments, and call the system. */
#pragma once
#include "platform/memory.h"

#ifndef FG_MEMORY_FOREIGN
#include <assert.h>

#include "base/spinlock.h"

#define FG_SEGMENT ((size_t)1 << 20)
#define FG_UNIT ((size_t)16 << 10)
#define FG_UNITS (FG_SEGMENT / FG_UNIT)
#define FG_SEGMENT_HEAD ((size_t)4096)
#define FG_EARLY_GRAIN 32
#define FG_EARLY_ALIGN 128
#define FG_SEGMENT_SMALL UINT64_C(0x666f726573742d31)
#define FG_SEGMENT_LARGE UINT64_C(0x666f726573742d32)

struct fg_slab {
	struct fg_slab *next, **link; /* in its shard's list of slabs with room; link NULL: it is full */
	void *free;		      /* blocks given back, chained by their first word */
	uint16_t fresh, room;	      /* blocks from `fresh` on were never given */
	uint16_t used;
	uint8_t class, shard, units;
};

struct fg_segment {
	uint64_t magic;
	uint64_t free_units;		 /* a bit each */
	struct fg_segment *next, **link; /* of segments with free units; link NULL: it has none */
	size_t mapped;
	uint32_t epoch;
	bool early;		    /* early blocks lie in it: it stays */
	uint8_t first_of[FG_UNITS]; /* the slab of a unit, by its first unit; 0: early blocks */
	uint8_t early_class[(FG_UNIT - FG_SEGMENT_HEAD) / FG_EARLY_GRAIN];
	struct fg_slab slab[FG_UNITS]; /* by first unit */
};
_Static_assert(sizeof(struct fg_segment) <= FG_SEGMENT_HEAD, "a segment's head is one page");
_Static_assert(FG_UNITS == 64, "a bit for each unit");

static inline struct fg_segment *
fg_segment_of(const void *memory)
{
	struct fg_segment *segment = (struct fg_segment *)((uintptr_t)memory & ~(FG_SEGMENT - 1));
	assert(segment->magic == FG_SEGMENT_SMALL || segment->magic == FG_SEGMENT_LARGE);
	return segment;
}

static inline unsigned
fg_slab_unit(const struct fg_segment *segment, const struct fg_slab *slab)
{
	return (unsigned)(slab - segment->slab);
}

/* A slab of n units; NULL: there is no memory. A lock of a shard may be held. */
struct fg_slab *fg_memory_run_take(unsigned n);
void fg_memory_run_give(struct fg_slab *slab);
/* An early block of this class, which has this size. NULL: there are no early blocks any more. */
void *fg_memory_early_take(unsigned class, size_t size);
/* A segment of its own for one large block; NULL: there is no memory. */
struct fg_segment *fg_segment_get(size_t size);
void fg_segment_give(struct fg_segment *segment);

/* In the child of a fork: frees the lock. true: another thread was changing the segments. */
bool fg_segments_after_fork(void);
/* Gives up all segments. Returns the new epoch. */
uint32_t fg_segments_give_up(void);
#endif
