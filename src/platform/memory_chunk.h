/* Chunks: the pieces of memory that the allocator gets from the system, and their units (floor: platform; used by
 * memory.c alone, which says how all of it works). */
#pragma once
#include "platform/memory.h"

#ifndef FG_MEMORY_FOREIGN
#include <assert.h>

#include "base/spinlock.h"

#define FG_CHUNK ((size_t)1 << 20)
#define FG_UNIT ((size_t)16 << 10)
#define FG_UNITS (FG_CHUNK / FG_UNIT)
#define FG_CHUNK_HEAD ((size_t)4096)
#define FG_EARLY_GRAIN 32
#define FG_EARLY_ALIGN 128
#define FG_CHUNK_SMALL UINT64_C(0x666f726573742d31)
#define FG_CHUNK_LARGE UINT64_C(0x666f726573742d32)

struct fg_slab {
	struct fg_slab *next, **link; /* in its shard's list of slabs with room; link NULL: it is full */
	void *free;		      /* blocks given back, chained by their first word */
	uint16_t fresh, room;	      /* blocks from `fresh` on were never given */
	uint16_t used;
	uint8_t class, shard, units;
};

struct fg_chunk {
	uint64_t magic;
	uint64_t free_units;	       /* a bit each */
	struct fg_chunk *next, **link; /* of chunks with free units; link NULL: it has none */
	size_t mapped;
	uint32_t epoch;
	bool early;		    /* early blocks lie in it: it stays */
	uint8_t first_of[FG_UNITS]; /* the slab of a unit, by its first unit; 0: early blocks */
	uint8_t early_class[(FG_UNIT - FG_CHUNK_HEAD) / FG_EARLY_GRAIN];
	struct fg_slab slab[FG_UNITS]; /* by first unit */
};
_Static_assert(sizeof(struct fg_chunk) <= FG_CHUNK_HEAD, "a chunk's head is one page");
_Static_assert(FG_UNITS == 64, "a bit for each unit");

static inline struct fg_chunk *
fg_chunk_of(const void *memory)
{
	struct fg_chunk *chunk = (struct fg_chunk *)((uintptr_t)memory & ~(FG_CHUNK - 1));
	assert(chunk->magic == FG_CHUNK_SMALL || chunk->magic == FG_CHUNK_LARGE);
	return chunk;
}

static inline unsigned
fg_slab_unit(const struct fg_chunk *chunk, const struct fg_slab *slab)
{
	return (unsigned)(slab - chunk->slab);
}

/* A slab of n units; NULL: there is no memory. A lock of a shard may be held. */
struct fg_slab *fg_memory_run_take(unsigned n);
void fg_memory_run_give(struct fg_slab *slab);
/* An early block of this class, which has this size. NULL: there are no early blocks any more. */
void *fg_memory_early_take(unsigned class, size_t size);
/* A chunk of its own for one large block; NULL: there is no memory. */
struct fg_chunk *fg_chunk_get(size_t size);
void fg_chunk_give(struct fg_chunk *chunk);

/* In the child of a fork: frees the lock. true: another thread was changing the chunks. */
bool fg_chunks_after_fork(void);
/* Gives up all chunks. Returns the new epoch. */
uint32_t fg_chunks_give_up(void);
#endif
