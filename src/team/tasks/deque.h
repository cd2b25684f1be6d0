/* Deque: the ready tasks of one member (floor: team; used by the files of tasks). The owner pushes and pops at the
 * bottom. Thieves take the oldest task, at the top.
 *
 * It is the deque of Chase and Lev, with the C11 orders that Le, Pop, Cohen and Zappa Nardelli proved (PPoPP 2013).
 * Invariants:
 *
 *     top never decreases
 *     the tasks in the deque == those that lie at [top, bottom)
 *     the thread that moves top from t to t + 1 by compare-and-swap takes the task at t
 *
 * Proof sketch. The owner stores bottom = b, makes a full fence, and pops at b without a compare-and-swap only if it
 * then sees top < b. A thief that could take the task at b has seen top == b, then made a full fence, then seen
 * b < bottom. The two fences have an order. Either the thief's look at bottom sees the owner's store, and the thief
 * turns away. Or the owner sees top == b, and both must win the same compare-and-swap.
 *
 * The compare-and-swap proves more. A thief that wins t has read the words of t while they were in the deque, because
 * no other thread can have taken them. So a thief may first look whose family they are, and decide (family.h).
 *
 * Every store of bottom is a release, because a thief may read any of them. In the paper they are relaxed, behind a
 * release fence in push.
 *
 * The owner may take several of the oldest tasks by one such compare-and-swap, from t to t + k. It does not pop
 * meanwhile, so [t, t + k) stay in the deque unless a thief moves top away from t.
 *
 * A ring of twice the size replaces a full one. Thieves may still read the old ring, which stays until the region ends,
 * or in a large pool until the member meets the pool again (pool.c). The words of [top, bottom) are equal in both. A
 * thief with an old `top` may read a slot of the new ring in which no task has lain: its family is NULL. A closed
 * deque has a ring without room, so its first push fails.
 *
 * The owner calls inside the runtime, because a push may allocate. */
#pragma once
#include <assert.h>

#include "base/atomic.h"

struct fg_deque_slot {
	struct fg_atomic_ptr task, family;
};

struct fg_deque_ring {
	struct fg_deque_ring *older;
	uint64_t mask, size;
	struct fg_deque_slot slot[];
};

struct fg_deque {
	/* Written by the owner. */
	_Alignas(128) struct fg_atomic_u64 bottom;
	struct fg_atomic_ptr ring;
	uint64_t top_seen; /* top_seen <= top */
	/* Written by thieves. */
	_Alignas(128) struct fg_atomic_u64 top;
};

/* For the owner, while no other thread looks: makes an empty deque, which is closed. */
void fg_deque_init(struct fg_deque *deque);
/* Owner: opens the deque. `first` is memory of fg_deque_first_bytes() for its first ring. */
void fg_deque_open(struct fg_deque *deque, void *first);
size_t fg_deque_first_bytes(void);
/* Goes back to the first ring, and frees the others. The deque is empty, and no thief looks at it. The owner calls, or
 * the primary thread after the region. */
void fg_deque_trim(struct fg_deque *deque);
/* Closes a deque that is empty and trimmed. */
void fg_deque_close(struct fg_deque *deque);
/* NULL: there is no memory, or the deque is closed. */
struct fg_deque_ring *fg_deque_grow(struct fg_deque *deque, uint64_t bottom);

#ifndef NDEBUG
/* Owner, outside of these functions; for an assert. It may read an old value of `top`, but none before the one that it
 * has seen. */
static inline bool
fg_deque_valid(const struct fg_deque *deque)
{
	const struct fg_deque_ring *ring = fg_load_relaxed(&deque->ring);
	uint64_t bottom = fg_load_relaxed(&deque->bottom), top = fg_load_relaxed(&deque->top);
	assert(top >= deque->top_seen && (int64_t)(bottom - top) >= 0);
	assert(ring->size == 0 || (ring->mask == ring->size - 1 && !(ring->size & ring->mask)));
	assert(bottom - top <= ring->size);
	assert(!ring->older || ring->older->size < ring->size);
	return true;
}
#endif

/* Owner: are there at least `limit` tasks? Their number is at most bottom - top_seen, so top is read only if that is
 * not below `limit`. */
static inline bool
fg_deque_holds(struct fg_deque *deque, uint64_t limit)
{
	uint64_t bottom = fg_load_relaxed(&deque->bottom);
	if (bottom - deque->top_seen < limit)
		return false;
	deque->top_seen = fg_load_relaxed(&deque->top);
	return bottom - deque->top_seen >= limit;
}

/* The same for a caller that asks again and again: it writes nothing. */
static inline bool
fg_deque_still_holds(const struct fg_deque *deque, uint64_t limit)
{
	uint64_t bottom = fg_load_relaxed(&deque->bottom);
	return bottom - deque->top_seen >= limit && bottom - fg_load_relaxed(&deque->top) >= limit;
}

/* Any thread may ask: the answer is a hint. */
static inline uint64_t
fg_deque_count(const struct fg_deque *deque)
{
	uint64_t top = fg_load_relaxed(&deque->top), bottom = fg_load_relaxed(&deque->bottom);
	return bottom > top ? bottom - top : 0;
}

/* Owner. */
static inline bool
fg_deque_is_open(const struct fg_deque *deque)
{
	const struct fg_deque_ring *ring = fg_load_relaxed(&deque->ring);
	return ring->size != 0;
}

/* Owner. False: the deque is closed, or is full, and there is no memory for more. */
static inline bool
fg_deque_push(struct fg_deque *deque, void *task, void *family)
{
	uint64_t bottom = fg_load_relaxed(&deque->bottom);
	struct fg_deque_ring *ring = fg_load_relaxed(&deque->ring);
	if (__builtin_expect(bottom - deque->top_seen >= ring->size, 0)) {
		deque->top_seen = fg_load_acquire(&deque->top);
		if (bottom - deque->top_seen >= ring->size && !(ring = fg_deque_grow(deque, bottom)))
			return false;
	}
	struct fg_deque_slot *slot = &ring->slot[bottom & ring->mask];
	fg_store_relaxed(&slot->task, task);
	fg_store_relaxed(&slot->family, family);
	fg_store_release(&deque->bottom, bottom + 1);
	assert(fg_deque_valid(deque));
	return true;
}

/* Owner: returns the family of the newest task, or NULL if there is none. A thief may take the task meanwhile. */
static inline void *
fg_deque_newest(struct fg_deque *deque)
{
	uint64_t bottom = fg_load_relaxed(&deque->bottom);
	if (bottom == fg_load_relaxed(&deque->top))
		return NULL;
	struct fg_deque_ring *ring = fg_load_relaxed(&deque->ring);
	return fg_load_relaxed(&ring->slot[(bottom - 1) & ring->mask].family);
}

/* Any thread: returns the family of the oldest task, or NULL if there is none. The answer is a hint. */
static inline void *
fg_deque_oldest(struct fg_deque *deque)
{
	uint64_t top = fg_load_acquire(&deque->top);
	if ((int64_t)(fg_load_acquire(&deque->bottom) - top) <= 0)
		return NULL;
	struct fg_deque_ring *ring = fg_load_acquire(&deque->ring);
	return fg_load_relaxed(&ring->slot[top & ring->mask].family);
}

/* Owner: takes the newest task. NULL: there is none. */
static inline void *
fg_deque_pop(struct fg_deque *deque)
{
	uint64_t bottom = fg_load_relaxed(&deque->bottom) - 1;
	struct fg_deque_ring *ring = fg_load_relaxed(&deque->ring);
	fg_store_release(&deque->bottom, bottom);
	fg_fence_seq_cst();
	uint64_t top = fg_load_relaxed(&deque->top);
	void *task = NULL;
	if ((int64_t)(bottom - top) > 0)
		return fg_load_relaxed(&ring->slot[bottom & ring->mask].task);
	if (bottom == top) {
		task = fg_load_relaxed(&ring->slot[bottom & ring->mask].task);
		if (!fg_cas_acq_rel(&deque->top, &top, top + 1))
			task = NULL;
	}
	fg_store_release(&deque->bottom, bottom + 1);
	assert(fg_deque_valid(deque));
	return task;
}

/* Owner: takes the oldest task and its next siblings, at most `most`. Returns their number, and their family. 0: there
 * are fewer than `least`, or a thief was faster. */
unsigned fg_deque_take_oldest(struct fg_deque *deque, void **task, unsigned least, unsigned most, void **family);

/* Thief: takes the oldest task if may_take(family, arg). The family asked for may be that of a task taken before. NULL:
 * there is none, or not this one, or another thread was faster. */
static inline void *
fg_deque_steal(struct fg_deque *deque, bool (*may_take)(void *family, void *arg), void *arg)
{
	uint64_t top = fg_load_acquire(&deque->top);
	fg_fence_seq_cst();
	uint64_t bottom = fg_load_acquire(&deque->bottom);
	if ((int64_t)(bottom - top) <= 0)
		return NULL;
	struct fg_deque_ring *ring = fg_load_acquire(&deque->ring);
	struct fg_deque_slot *slot = &ring->slot[top & ring->mask];
	void *task = fg_load_relaxed(&slot->task), *family = fg_load_relaxed(&slot->family);
	if (!family || !may_take(family, arg) || !fg_cas_acq_rel(&deque->top, &top, top + 1))
		return NULL;
	return task;
}
