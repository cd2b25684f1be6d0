/* Doacross: progress of the members through a loop nest with cross-iteration dependences (floor: team; called by
 * gomp and, through team/hooks.h, by workshare.c).
 *
 * Iteration vectors are numbered in lexicographic order. The outermost iteration v[0] has an owner: a member for
 * static schedules, a chunk for dynamic ones and for batches, v[0] itself for other guided ones. Each owner executes
 * and posts in lexicographic order. So one word for each owner is enough: done = number of the last vector posted + 1.
 * A vector with number n is done once its owner's done > n.
 *
 * Most posts are not those that a parked member waits for. So the member leaves the number that it waits for, and a
 * post of a smaller one wakes nobody. Invariant, where the bucket's lock of the parking lot is free:
 *
 *     each member parked at a word waits for a number >= wanted
 *
 * Proof sketch. A member lowers `wanted` under the bucket's lock, after it is counted there, and enters the list before
 * the lock is free (still_waits). Only a poster raises it, from a value that its post has reached, and then calls
 * fg_unpark. That takes the lock, and wakes all members parked at the word. A member that comes later lowers it again.
 * If fg_unpark sees no member counted, then each member counts itself later, and lowers `wanted` after the poster's
 * store: the fences of fg_unpark and of fg_park have an order, and each stands between the two accesses of its side.
 *
 * No wake-up is lost. A poster writes `done`, makes a full fence and reads `wanted`. A member writes `wanted`, makes a
 * full fence and reads `done`. So the poster sees that it is wanted, or the member sees the post (await.h has the case
 * of a poster that does not look).
 *
 * A member calls outside, without a lock, and enters where it waits or wakes. It writes its own words, and the word of
 * an owner that it is. */
#pragma once
#include "team/inside.h"
#include "team/share/await.h"
#include "team/share/loop.h"
#include <stdarg.h>

struct fg_doacross_word {
	struct fg_atomic_u64 done;   /* number of the last vector posted + 1 */
	struct fg_atomic_u64 wanted; /* the least number that a parked member waits for */
};

/* Outermost iterations first .. first + count - 1 have the owner with this word. count == 0: none is known. */
struct fg_doacross_owner {
	uint64_t first, count;
	struct fg_doacross_word *word;
};

/* The owners for which a member has last posted and waited. Only the member uses it. To find an owner takes divisions,
 * but most iterations have that of the iteration before. */
struct fg_doacross_member {
	_Alignas(64) struct fg_doacross_owner posted;
	struct fg_doacross_owner awaited;
};

struct fg_doacross {
	struct fg_await await;
	unsigned dimensions;
	unsigned spacing; /* Words between those of two owners: a cache line's worth where there are few. */
	/* True if the numbers fit. Compiled code leaves the counts inside a loop without iterations undefined. So
	 * numbers that do not fit are an error only if a member posts or waits. */
	bool numbered;
	struct fg_doacross_member *member;
	struct fg_doacross_word *word; /* of each owner */
	uint64_t weight[];	       /* of each dimension, in the number of a vector */
};

/* First call of a member. The loop is that over v[0], from 0 to counts[0]. */
FG_OUTSIDE bool fg_doacross_start(struct fg_identity *self, unsigned dimensions, const uint64_t *counts,
				  struct fg_loop *loop, uint64_t *from, uint64_t *to, uintptr_t *reductions,
				  void **memory);
/* The general case of each call. `done`, `number`: the vector's number, in the former plus 1. */
FG_OUTSIDE void fg_doacross_post_slow(struct fg_identity *self, uint64_t outer, uint64_t done);
FG_OUTSIDE void fg_doacross_wait_slow(struct fg_identity *self, uint64_t outer, uint64_t number);
/* Members may be parked at the word, in which `done` has been posted. */
FG_OUTSIDE void fg_doacross_wake(struct fg_identity *self, struct fg_doacross_word *word, uint64_t done);
/* workshare.c calls this through the table inside, with shares_lock held; it neither waits nor enters. */
void fg_doacross_free(struct fg_doacross *doacross);

/* NULL: the caller is in no such loop, or there is no member to wait for. */
static inline struct fg_doacross *
fg_doacross_current(const struct fg_identity *self)
{
	return self->thread.share ? self->thread.share->doacross : NULL;
}

static inline bool
fg_doacross_owns(const struct fg_doacross_owner *owner, uint64_t outer)
{
	return __builtin_expect(outer - owner->first < owner->count, 1) && !fg_watched();
}

FG_OUTSIDE static inline void
fg_doacross_post(struct fg_identity *self, const uint64_t *vector)
{
	fg_assert_outside(self);
	struct fg_doacross *doacross = fg_doacross_current(self);
	if (__builtin_expect(!doacross, 0)) {
		fg_fence_release();
		return;
	}
	uint64_t outer = vector[0], done = outer * doacross->weight[0] + 1;
	for (unsigned i = 1; i < doacross->dimensions; i++)
		done += vector[i] * doacross->weight[i];
	const struct fg_doacross_owner *owner = &doacross->member[self->thread.num].posted;
	if (!fg_doacross_owns(owner, outer)) {
		fg_doacross_post_slow(self, outer, done);
		return;
	}
	fg_store_release(&owner->word->done, done);
	if (__builtin_expect(fg_await_parks(&doacross->await), 0))
		fg_doacross_wake(self, owner->word, done);
}

/* The vector begins with `first`. */
FG_OUTSIDE static inline void
fg_doacross_wait(struct fg_identity *self, uint64_t first, va_list rest)
{
	fg_assert_outside(self);
	struct fg_doacross *doacross = fg_doacross_current(self);
	if (__builtin_expect(!doacross, 0)) {
		fg_fence_acquire();
		return;
	}
	uint64_t number = first * doacross->weight[0];
	for (unsigned i = 1; i < doacross->dimensions; i++)
		number += va_arg(rest, uint64_t) * doacross->weight[i];
	const struct fg_doacross_member *member = &doacross->member[self->thread.num];
	const struct fg_doacross_owner *owner = &member->awaited;
	if (!fg_doacross_owns(owner, first))
		owner = &member->posted; /* an iteration of its own, which precedes this one in an inner loop */
	if (!fg_doacross_owns(owner, first) || __builtin_expect(fg_load_acquire(&owner->word->done) <= number, 0))
		fg_doacross_wait_slow(self, first, number);
}
