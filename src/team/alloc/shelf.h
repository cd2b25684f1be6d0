/* Shelves: small blocks on pages of pages.h (floor: team; used by allocator.c and boot/process_fork.c). One block
 * for each page would waste the page.
 *
 * An allocator has a shelf for each node whose threads wanted blocks nearest to them, and otherwise one. A shelf has
 * slabs. A slab is cut into blocks of one size, a power of two. The allocator keeps its slabs until it is destroyed.
 *
 * Any thread of the program may get and put blocks at any time, inside or outside the runtime, but in no signal
 * handler. Its identity may be NULL. It holds no lock of the runtime: a new shelf comes from the program's malloc, and
 * a new slab from the system. To clear the shelves, the caller must be their only user, and then drops them. */
#pragma once
#include "base/atomic.h"
#include "team/alloc/pages.h"

#define FG_SHELF_MAX 2048 /* the largest block */

struct fg_shelves {
	struct fg_atomic_ptr first; /* struct fg_shelf; the list only grows */
	enum fg_partition partition;
	bool pinned;
};

/* Returns a block of at least `size` bytes. NULL: there is no memory. */
void *fg_shelf_get(struct fg_shelves *shelves, size_t size);
void fg_shelf_put(void *block);
/* Gives all slabs back, even where blocks of them are in use. */
void fg_shelves_clear(struct fg_shelves *shelves);

/* In the child of a fork, because the holder of a lock does not exist there. */
void fg_shelf_after_fork(void);
