/* The locks that a thread holds, in debug builds (floor: base; see lock_order.h). */
#ifndef NDEBUG
#include "base/lock_order.h"
#include "base/above.h"
#include "base/uncancelled.h"

#include <stdio.h>

#define HELD_MAX 8

struct held {
	const void *lock;
	enum fg_lock_rank rank;
	uint64_t order;
	unsigned n; /* locks held of this rank, `lock` being the last taken: a machine's runqueues are many */
	bool many;  /* n was more than one: the others are not known one by one */
	bool passed;
};

/* An identity's own: no other identity touches it. The newest comes last. */
static __thread struct {
	struct held held[HELD_MAX];
	unsigned n;
} locks;

static const char *const texts[] = {
#define TEXT(name, text) text,
	FG_LOCK_RANKS(TEXT)
#undef TEXT
};

static bool
wrong(const char *what, const void *lock, enum fg_lock_rank rank)
{
	int cancel = fg_uncancelled_begin();
	fprintf(stderr, "libgomp: lock order: %s lock %p (%u, %s)\n", what, lock, rank, texts[rank]);
	for (unsigned i = 0; i < locks.n; i++)
		fprintf(stderr, "libgomp: lock order: held%s: lock %p (%u, %s)\n",
			locks.held[i].passed ? " and passed on" : "", locks.held[i].lock, locks.held[i].rank,
			texts[locks.held[i].rank]);
	fg_uncancelled_end(cancel);
	return false;
}

static struct held *
find(const void *lock)
{
	for (unsigned i = locks.n; i-- > 0;)
		if (locks.held[i].lock == lock)
			return &locks.held[i];
	return NULL;
}

bool
fg_lock_order_have(const void *lock, enum fg_lock_rank rank, uint64_t order)
{
	struct held *before = order && locks.n ? &locks.held[locks.n - 1] : NULL;
	if (before && before->rank == rank && before->order && before->order < order) {
		*before = (struct held){lock, rank, order, before->n + 1, true, false};
		return true;
	}
	if (rank == FG_RANK_NONE || locks.n == HELD_MAX || find(lock))
		return wrong("cannot have", lock, rank);
	if (&fg_base_above && fg_base_above.preemptible())
		return wrong("has, outside the runtime,", lock, rank);
	locks.held[locks.n++] = (struct held){lock, rank, order, 1, false, false};
	return true;
}

bool
fg_lock_order_take(const void *lock, enum fg_lock_rank rank, uint64_t order)
{
	for (unsigned i = 0; i < locks.n; i++)
		if (locks.held[i].rank > rank || (locks.held[i].rank == rank && locks.held[i].order >= order))
			return wrong("takes", lock, rank);
	return fg_lock_order_have(lock, rank, order);
}

static struct held *
find_one_of(const void *lock, enum fg_lock_rank rank, uint64_t order)
{
	struct held *one = find(lock);
	for (unsigned i = 0; !one && i < locks.n; i++)
		if (locks.held[i].many && locks.held[i].rank == rank && order <= locks.held[i].order)
			one = &locks.held[i];
	return one;
}

bool
fg_lock_order_free(const void *lock, enum fg_lock_rank rank, uint64_t order)
{
	struct held *one = find_one_of(lock, rank, order);
	if (!one)
		return wrong("frees, without holding it,", lock, FG_RANK_NONE);
	if (--one->n == 0)
		*one = locks.held[--locks.n];
	return true;
}

bool
fg_lock_order_pass(const void *lock)
{
	struct held *one = find(lock);
	if (!one)
		return wrong("passes on, without holding it,", lock, FG_RANK_NONE);
	one->passed = true;
	return true;
}

bool
fg_lock_order_take_back(const void *lock)
{
	struct held *one = find(lock);
	if (!one || !one->passed)
		return wrong("takes back, without having passed it on,", lock, FG_RANK_NONE);
	one->passed = false;
	return true;
}

bool
fg_lock_order_switch(void)
{
	for (unsigned i = 0; i < locks.n; i++)
		if (!locks.held[i].passed)
			return wrong("switches with", locks.held[i].lock, locks.held[i].rank);
	locks.n = 0;
	return true;
}

bool
fg_lock_order_holds(const void *lock, enum fg_lock_rank rank, uint64_t order)
{
	return find_one_of(lock, rank, order) || wrong("does not hold", lock, rank);
}

bool
fg_lock_order_none(const char *where)
{
	return locks.n == 0 || wrong(where, locks.held[0].lock, locks.held[0].rank);
}
#endif
