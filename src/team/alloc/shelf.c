/* Shelves of small blocks (floor: team; see shelf.h). */
#include "team/alloc/shelf.h"
#include "base/spinlock.h"
#include "exec/thread/identity.h"
#include "memory/where.h"
#include <stdlib.h>
#include <string.h>

#define SMALLEST_BITS 6
#define CLASSES 6 /* 64 to 2048 bytes */
#define SLAB ((size_t)16 << 10)
_Static_assert((size_t)1 << (SMALLEST_BITS + CLASSES - 1) == FG_SHELF_MAX, "the largest class");

struct free_block {
	struct free_block *next;
};

/* The shelf's lock guards the lists. A fork may copy them in the midst of a change. So each list must be valid after
 * each single store, in program order. A change links the new element first, and then stores the head. */
struct fg_shelf {
	struct fg_shelf *next;
	unsigned node;
	struct fg_atomic_ptr free[CLASSES]; /* struct free_block */
	struct slab *slabs;
};

/* A slab's structure lies in place of its first block. */
struct slab {
	struct slab *next;
	struct fg_shelf *shelf;
	unsigned class;
};
_Static_assert(sizeof(struct slab) <= (size_t)1 << SMALLEST_BITS, "it fits");

/* All shelves share a few locks, so that the child of a fork finds them. */
#define LOCKS 16
static struct fg_spinlock locks[LOCKS] = {[0 ... LOCKS - 1] = FG_SPINLOCK_INIT(FG_RANK_SHELVES)};

void
fg_shelf_after_fork(void)
{
	for (unsigned i = 0; i < LOCKS; i++)
		fg_spinlock_init(&locks[i], FG_RANK_SHELVES);
}

static struct fg_spinlock *
lock_of(const struct fg_shelf *shelf)
{
	return &locks[((uintptr_t)shelf >> 6) % LOCKS];
}

/* The result is for unlock. A library that counts the calls of malloc may allocate from inside the runtime. */
static bool
lock(struct fg_shelf *shelf)
{
	bool inside = fg_enter_again(fg_self());
	fg_spinlock_lock(lock_of(shelf));
	return inside;
}

static void
unlock(struct fg_shelf *shelf, bool inside)
{
	fg_spinlock_unlock(lock_of(shelf));
	fg_leave_again(fg_self(), inside);
}

static struct fg_shelf *
find(struct fg_shelves *shelves, unsigned node)
{
	struct fg_shelf *first = fg_load_acquire(&shelves->first);
	for (struct fg_shelf *shelf = first; shelf; shelf = shelf->next)
		if (shelf->node == node)
			return shelf;
	struct fg_shelf *new = aligned_alloc(64, (sizeof *new + 63) & ~(size_t)63);
	if (!new)
		return NULL;
	memset(new, 0, sizeof *new);
	new->node = node;
	void *expected = first;
	do
		new->next = expected;
	while (!fg_cas_release(&shelves->first, &expected, new)); /* two shelves of one node do no harm */
	return new;
}

static struct free_block *
take(struct fg_shelf *shelf, unsigned class)
{
	struct free_block *block = fg_load_relaxed(&shelf->free[class]);
	if (block)
		fg_store_relaxed(&shelf->free[class], block->next);
	return block;
}

/* Returns one block of a new slab, and puts the others on the shelf. */
static void *
stock(struct fg_shelves *shelves, struct fg_shelf *shelf, unsigned class)
{
	struct slab *slab = fg_pages_get(&(struct fg_pages_order){
		.size = SLAB, .align = SLAB, .partition = shelves->partition, .pinned = shelves->pinned});
	if (!slab)
		return NULL;
	size_t size = (size_t)1 << (SMALLEST_BITS + class);
	struct free_block *first = (struct free_block *)((char *)slab + size), *last = first;
	for (size_t at = 2 * size; at < SLAB; at += size) {
		last->next = (struct free_block *)((char *)slab + at);
		last = last->next;
	}
	*slab = (struct slab){NULL, shelf, class};
	bool inside = lock(shelf);
	slab->next = shelf->slabs;
	shelf->slabs = slab;
	last->next = fg_load_relaxed(&shelf->free[class]);
	fg_store_release(&shelf->free[class], first->next);
	unlock(shelf, inside);
	return first;
}

void *
fg_shelf_get(struct fg_shelves *shelves, size_t size)
{
	struct fg_shelf *shelf = find(shelves, shelves->partition == FG_NEAREST ? fg_where->here() : 0);
	if (!shelf)
		return NULL;
	unsigned class = 0;
	while ((size_t)1 << (SMALLEST_BITS + class) < size)
		class ++;
	bool inside = lock(shelf);
	struct free_block *block = take(shelf, class);
	unlock(shelf, inside);
	return block ? block : stock(shelves, shelf, class);
}

void
fg_shelf_put(void *memory)
{
	struct slab *slab = (struct slab *)((uintptr_t)memory & ~(uintptr_t)(SLAB - 1));
	struct fg_shelf *shelf = slab->shelf;
	struct free_block *block = memory;
	bool inside = lock(shelf);
	block->next = fg_load_relaxed(&shelf->free[slab->class]);
	fg_store_release(&shelf->free[slab->class], block);
	unlock(shelf, inside);
}

void
fg_shelves_clear(struct fg_shelves *shelves)
{
	for (struct fg_shelf *shelf = fg_load_acquire(&shelves->first), *next; shelf; shelf = next) {
		next = shelf->next;
		for (struct slab *slab = shelf->slabs, *after; slab; slab = after) {
			after = slab->next;
			fg_pages_put(slab, (char *)slab + SLAB);
		}
		free(shelf);
	}
}
