/* Loop: handing out the iterations of a worksharing loop (floor: team; called by the loop entry points of the ABI).
 *
 * One body serves signed and unsigned loops in both directions, for the arithmetic is on iteration numbers 0 .. trips-1, which
 * fit in 64 bits for each of them; only the number of trips depends on the type, and is computed once per instance. Chunks are
 * given as loop values [*from, *to) in the loop's own direction, as the ABI wants them.
 *
 * Dynamic schedules count in loop values, for each instruction after the fetch-and-add is paid for at every chunk. The counter
 * may wrap round, its distance from the end may not: see fg_loop_next_dynamic. */
#pragma once
#include "team/inside.h"
#include "team/share/ordered.h"
#include "team/share/workshare.h"

/* A loop as the program gives it; `end` is exclusive. */
struct fg_loop {
	uint64_t start, end, step;
	bool up; /* step > 0 */
	bool is_signed;
	unsigned schedule; /* enum fg_schedule, perhaps | FG_MONOTONIC */
	uint64_t chunk;	   /* iterations; 0: default */
};

/* Replaces FG_RUNTIME and FG_AUTO by what the caller's ICVs say. */
FG_ANYWHERE void fg_loop_resolve(struct fg_loop *loop);
/* Fills in a new instance; the schedule is resolved. */
FG_ANYWHERE void fg_loop_set_up(struct fg_workshare *share, const struct fg_loop *loop);

/* First call of a member in a loop; false: no iterations for it. */
FG_OUTSIDE bool fg_loop_start(struct fg_identity *self, struct fg_loop *loop, uint64_t *from, uint64_t *to);
FG_OUTSIDE bool fg_loop_ordered_start(struct fg_identity *self, struct fg_loop *loop, uint64_t *from, uint64_t *to);
/* The same with task reductions and memory (either may be NULL). from NULL: the program distributes the iterations itself. */
FG_OUTSIDE bool fg_loop_start_full(struct fg_identity *self, struct fg_loop *loop, bool ordered, uint64_t *from,
				   uint64_t *to, uintptr_t *reductions, void **memory);

/* All iterations to whoever asks first, in one chunk: without memory for what orders those of several members. */
void fg_loop_give_all(struct fg_workshare *share);
FG_OUTSIDE bool fg_loop_next_other(struct fg_identity *self, struct fg_workshare *share, uint64_t *from, uint64_t *to);
FG_OUTSIDE bool fg_loop_next_ordered(struct fg_identity *self, uint64_t *from, uint64_t *to);

/* The counter is a distance d past the start, and the end a distance D. Members add one stride each after the end, so
 * d <= D + overshoot < 2^63 (fg_loop_set_up), and D - d is right as a signed number whatever the values are modulo 2^64.
 * No load stands after the atomic operation, which would hold it up. */
static inline bool
fg_loop_next_dynamic(struct fg_workshare *share, bool up, uint64_t *from, uint64_t *to)
{
	uint64_t end = share->end, stride = share->chunk * share->step;
	uint64_t first = fg_add_relaxed(&share->next, stride);
	int64_t rest = (int64_t)(up ? end - first : first - end);
	if (rest <= 0)
		return false;
	*from = first;
	*to = rest > (int64_t)(up ? stride : -stride) ? first + stride : end;
	return true;
}

/* The next chunk of the caller; false: there is none. */
static inline bool
fg_loop_next_of(struct fg_identity *self, struct fg_workshare *share, uint64_t *from, uint64_t *to)
{
	if (__builtin_expect(share->kind == FG_SHARE_DYNAMIC_UP, 1))
		return fg_loop_next_dynamic(share, true, from, to);
	return fg_loop_next_other(self, share, from, to);
}

FG_OUTSIDE static inline bool
fg_loop_next(uint64_t *from, uint64_t *to)
{
	struct fg_identity *self = fg_self();
	fg_assert_outside(self);
	struct fg_workshare *share = __builtin_expect(self != NULL, 1) ? fg_workshare_current(self) : NULL;
	return share && fg_loop_next_of(self, share, from, to);
}
