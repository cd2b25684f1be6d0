/* Store: the memory of one member's tasks (floor: team; used by the files of tasks). The member takes and gives back
 * blocks without atomic operations. Other threads push a block on a list of that store, and the member takes this list
 * as a whole. So no thread can meet an old pointer again (no ABA problem).
 *
 * The owner calls inside, because memory may be asked. Other threads only push:
 *
 *     a block is in use, or in `free` of its own store, or in `returned` of its own store */
#pragma once
#include <assert.h>

#include "base/atomic.h"

/* FG_BLOCK_FAMILY stays readable until the store rests, even while it is free. Blocks of the other kinds go back to
 * the C library when there are too many. FG_BLOCK_LARGE may have any size, and always goes back. */
enum fg_block_kind { FG_BLOCK_FAMILY, FG_BLOCK_256, FG_BLOCK_512, FG_BLOCK_1024, FG_BLOCK_LARGE };
#define FG_BLOCK_KINDS FG_BLOCK_LARGE

struct fg_store;

/* The head of each block. */
struct fg_block {
	struct fg_store *store;
	struct fg_block *next;
	uint8_t kind;
};

struct fg_store {
	/* Only the owner uses these. */
	struct fg_block *free[FG_BLOCK_KINDS];
	unsigned count[FG_BLOCK_KINDS];
	struct fg_block *slabs;
	_Alignas(128) struct fg_atomic_ptr returned; /* pushed by other threads */
};

void *fg_store_get_slow(struct fg_store *store, enum fg_block_kind kind, size_t size);
void fg_store_put_slow(struct fg_store *own, struct fg_block *block);
/* Gives a chain of blocks of one store back to it. None is FG_BLOCK_LARGE. */
void fg_store_put_chain(struct fg_block *first, struct fg_block *last);
/* No thread uses any block. `rest` keeps some blocks for the next region. `clear` frees all. */
void fg_store_rest(struct fg_store *store);
void fg_store_clear(struct fg_store *store);

#ifndef NDEBUG
/* Owner; for an assert. */
static inline bool
fg_store_valid(const struct fg_store *store)
{
	for (unsigned kind = 0; kind < FG_BLOCK_KINDS; kind++) {
		const struct fg_block *first = store->free[kind];
		assert((store->count[kind] == 0) == !first);
		assert(!first || (first->store == store && first->kind == kind));
	}
	return true;
}
#endif

static inline enum fg_block_kind
fg_block_kind(size_t size)
{
	return size <= 256 ? FG_BLOCK_256 : size <= 512 ? FG_BLOCK_512 : size <= 1024 ? FG_BLOCK_1024 : FG_BLOCK_LARGE;
}

/* Owner: returns a block of at least `size` bytes, with its head filled in. NULL: there is no memory. */
static inline void *
fg_store_get(struct fg_store *store, enum fg_block_kind kind, size_t size)
{
	struct fg_block *block = kind == FG_BLOCK_LARGE ? NULL : store->free[kind];
	if (__builtin_expect(!block, 0))
		return fg_store_get_slow(store, kind, size);
	assert(block->store == store && block->kind == kind && store->count[kind] > 0);
	store->free[kind] = block->next;
	store->count[kind]--;
	return block;
}

#define FG_STORE_KEEP 1024

/* Gives a block back. `own` is the caller's store. NULL: it has none. */
static inline void
fg_store_put(struct fg_store *own, struct fg_block *block)
{
	assert(block->store && block->kind <= FG_BLOCK_LARGE);
	if (__builtin_expect(block->store != own || block->kind == FG_BLOCK_LARGE ||
				     own->count[block->kind] >= FG_STORE_KEEP,
			     0)) {
		fg_store_put_slow(own, block);
		return;
	}
	block->next = own->free[block->kind];
	own->free[block->kind] = block;
	own->count[block->kind]++;
}
