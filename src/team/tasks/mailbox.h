/* Mailbox: a batch of ready tasks that a producer leaves for a group of members (floor: team; used by pool, mail.c,
 * limit.c, thief.c and stuck); mail.h says when.
 *
 * `state` only grows, and its last two bits tell what may happen next:
 *
 *     0 --member of the group, CAS--> empty --producer, CAS--> filling --producer, store--> full
 *                                     empty <--taker, store--- taking <------taker, CAS------+
 *
 * Each step adds one. But a producer that finds no batch goes back from filling to the same empty state.
 *
 * Invariants. From its compare-and-swap to the store that follows, the producer or the taker is the only one that uses
 * `task` and writes `n` and `family`. Each task in a full mailbox lies there once, and in no deque. No thread waits for
 * a mailbox.
 *
 * Proof sketch. Each store is a release. The producer's compare-and-swap acquires that of the last taker. A taker first
 * acquires the producer's store with its look at `family`, by which it decides. If its compare-and-swap then succeeds,
 * the state has been the same all the time, because no full state comes twice. So all words are those of this batch.
 * `n` and `family` are atomic, because a taker that fails may read them at any time. Callers are inside, or the watcher
 * of FGOMP_STUCK, which only reads. */
#pragma once
#include <assert.h>

#include "base/atomic.h"

#define FG_MAILBOX_TASKS 32

struct fg_mailbox {
	_Alignas(128) struct fg_atomic_u64 state;
	struct fg_atomic_ptr family; /* all tasks are siblings */
	struct fg_atomic_u32 n;
	void *task[FG_MAILBOX_TASKS]; /* oldest first */
};

enum { FG_MAILBOX_TAKING, FG_MAILBOX_EMPTY, FG_MAILBOX_FILLING, FG_MAILBOX_FULL, FG_MAILBOX_STATES };

/* The mailbox's group has a member. */
static inline void
fg_mailbox_open(struct fg_mailbox *box)
{
	uint64_t state = fg_load_relaxed(&box->state);
	if (state == FG_MAILBOX_TAKING)
		fg_cas_relaxed(&box->state, &state, FG_MAILBOX_EMPTY);
}

/* A hint. */
static inline bool
fg_mailbox_is_open(const struct fg_mailbox *box)
{
	return fg_load_relaxed(&box->state) != FG_MAILBOX_TAKING;
}

/* Returns the number of tasks that lie there: a hint. */
static inline unsigned
fg_mailbox_holds(const struct fg_mailbox *box)
{
	return fg_load_relaxed(&box->state) % FG_MAILBOX_STATES == FG_MAILBOX_FULL ? fg_load_relaxed(&box->n) : 0;
}

/* A hint. */
static inline bool
fg_mailbox_is_empty(const struct fg_mailbox *box)
{
	return fg_load_relaxed(&box->state) % FG_MAILBOX_STATES == FG_MAILBOX_EMPTY;
}

/* Producer. True: the mailbox was empty, and is the caller's until fg_mailbox_fill. */
static inline bool
fg_mailbox_claim(struct fg_mailbox *box)
{
	uint64_t state = fg_load_relaxed(&box->state);
	return state % FG_MAILBOX_STATES == FG_MAILBOX_EMPTY && fg_cas_acquire(&box->state, &state, state + 1);
}

/* Producer: box->task has n tasks. 0: the mailbox stays empty. */
static inline void
fg_mailbox_fill(struct fg_mailbox *box, unsigned n, void *family)
{
	uint64_t state = fg_load_relaxed(&box->state);
	assert(state % FG_MAILBOX_STATES == FG_MAILBOX_FILLING && n <= FG_MAILBOX_TASKS);
	fg_store_relaxed(&box->n, n);
	fg_store_relaxed(&box->family, family);
	fg_store_release(&box->state, n ? state + 1 : state - 1);
}

/* Returns the family of the tasks, and the mailbox's state for fg_mailbox_take. NULL: it is not full. */
static inline void *
fg_mailbox_family(const struct fg_mailbox *box, uint64_t *state)
{
	*state = fg_load_acquire(&box->state);
	return *state % FG_MAILBOX_STATES == FG_MAILBOX_FULL ? fg_load_relaxed(&box->family) : NULL;
}

/* Taker. Returns the number of tasks in box->task: all are the caller's, and so is the mailbox until fg_mailbox_taken.
 * 0: another thread was faster. */
static inline unsigned
fg_mailbox_take(struct fg_mailbox *box, uint64_t state)
{
	assert(state % FG_MAILBOX_STATES == FG_MAILBOX_FULL);
	return fg_cas_relaxed(&box->state, &state, state + 1) ? fg_load_relaxed(&box->n) : 0;
}

/* Taker: has read all of box->task. */
static inline void
fg_mailbox_taken(struct fg_mailbox *box)
{
	uint64_t state = fg_load_relaxed(&box->state);
	assert(state % FG_MAILBOX_STATES == FG_MAILBOX_TAKING);
	fg_store_release(&box->state, state + 1);
}
