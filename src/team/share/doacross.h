/* Doacross: progress of the members through a loop nest with cross-iteration dependences (floor: team; called by
 * gomp and, through team/hooks.h, by workshare.c).
 *
 * Iteration vectors are numbered in lexicographic order. The outermost iteration v[0] has an owner: a member for
 * static schedules, a chunk for dynamic ones, v[0] itself for guided ones. Each owner executes and posts in
 * lexicographic order. So one word for each owner is enough: word = number of the last vector posted + 1. A vector
 * with number n is done once its owner's word > n. */
#pragma once
#include "team/inside.h"
#include "team/share/loop.h"
#include <stdarg.h>

struct fg_doacross {
	unsigned dimensions;
	unsigned spacing; /* Words between those of two owners: a cache line's worth where there are few. */
	/* True if the numbers fit. Compiled code leaves the counts inside a loop without iterations undefined. So
	 * numbers that do not fit are an error only if a member posts or waits. */
	bool numbered;
	uint64_t *weight; /* of each dimension, in the number of a vector */
	struct fg_atomic_u64 *done;
};

/* First call of a member. The loop is that over v[0], from 0 to counts[0]. */
FG_OUTSIDE bool fg_doacross_start(struct fg_identity *self, unsigned dimensions, const uint64_t *counts,
				  struct fg_loop *loop, uint64_t *from, uint64_t *to, uintptr_t *reductions,
				  void **memory);
FG_OUTSIDE void fg_doacross_post(struct fg_identity *self, const uint64_t *vector);
/* vector[0] is `first`; the others are in `rest`. */
FG_OUTSIDE void fg_doacross_wait(struct fg_identity *self, uint64_t first, va_list rest);
void fg_doacross_free(struct fg_doacross *doacross);
