/* Shelves: small blocks on pages of pages.h, which would be wasted on one block each (floor: team; used by allocator.c).
 *
 * An allocator has a shelf for each node whose threads wanted blocks nearest to them, and otherwise one. A shelf has slabs; a slab is
 * cut into blocks of one size, a power of two. Slabs are kept until the allocator is destroyed. */
#pragma once
#include "base/atomic.h"
#include "team/alloc/pages.h"

#define FG_SHELF_MAX 2048 /* the largest block */

struct fg_shelves {
	struct fg_atomic_ptr first; /* struct fg_shelf; only ever grows */
	enum fg_partition partition;
	bool pinned;
};

/* A block of at least so many bytes; NULL: no memory. */
void *fg_shelf_get(struct fg_shelves *shelves, size_t size);
void fg_shelf_put(void *block);
/* Gives all slabs back, whatever is still on them. */
void fg_shelves_clear(struct fg_shelves *shelves);

/* In the child of a fork: who had a lock is not there. */
void fg_shelf_after_fork(void);
