/* Store: the memory of one member's tasks (floor: team; used by pool.c and create.c). The member takes and gives back blocks
 * without any atomic operation; others send a block home over a list that they push on and the member takes as a whole, so it
 * cannot meet an old pointer again (no ABA). */
#pragma once
#include "base/atomic.h"

/* FG_BLOCK_FAMILY: stays readable until the store rests, also while it is free. The others go back to the C library when
 * there are too many. FG_BLOCK_LARGE: of any size, always goes back. */
enum fg_block_kind { FG_BLOCK_FAMILY, FG_BLOCK_256, FG_BLOCK_512, FG_BLOCK_1024, FG_BLOCK_LARGE };
#define FG_BLOCK_KINDS FG_BLOCK_LARGE

struct fg_store;

/* The head of each block. */
struct fg_block {
	struct fg_store *home;
	struct fg_block *next;
	uint8_t kind;
};

struct fg_store {
	/* Owner only. */
	struct fg_block *free[FG_BLOCK_KINDS];
	unsigned count[FG_BLOCK_KINDS];
	struct fg_block *slabs;
	_Alignas(128) struct fg_atomic_ptr returned; /* by others */
};

void *fg_store_get_slow(struct fg_store *store, enum fg_block_kind kind, size_t size);
void fg_store_put_slow(struct fg_store *own, struct fg_block *block);
/* Nobody uses any block: keeps some for the next region; frees all. */
void fg_store_rest(struct fg_store *store);
void fg_store_clear(struct fg_store *store);

static inline enum fg_block_kind
fg_block_kind(size_t size)
{
	return size <= 256 ? FG_BLOCK_256 : size <= 512 ? FG_BLOCK_512 : size <= 1024 ? FG_BLOCK_1024 : FG_BLOCK_LARGE;
}

/* Owner: a block of at least `size` bytes, its head filled in; NULL: there is no memory. */
static inline void *
fg_store_get(struct fg_store *store, enum fg_block_kind kind, size_t size)
{
	struct fg_block *block = kind == FG_BLOCK_LARGE ? NULL : store->free[kind];
	if (__builtin_expect(!block, 0))
		return fg_store_get_slow(store, kind, size);
	store->free[kind] = block->next;
	store->count[kind]--;
	return block;
}

#define FG_STORE_KEEP 1024

/* Gives a block back. `own`: the store of the caller; NULL: it has none. */
static inline void
fg_store_put(struct fg_store *own, struct fg_block *block)
{
	if (__builtin_expect(block->home != own || block->kind == FG_BLOCK_LARGE ||
				     own->count[block->kind] >= FG_STORE_KEEP,
			     0)) {
		fg_store_put_slow(own, block);
		return;
	}
	block->next = own->free[block->kind];
	own->free[block->kind] = block;
	own->count[block->kind]++;
}
