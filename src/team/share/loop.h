/* Loop: handing out the iterations of a worksharing loop (floor: team; called by gomp's loop entry points).
 *
 * One body serves signed and unsigned loops in both directions. Its arithmetic is on iteration numbers 0 .. trips-1,
 * and for each of them these fit in 64 bits. Only the number of trips depends on the type; each instance computes it
 * once. Chunks are loop values [*from, *to) in the loop's own direction, as the ABI wants them.
 *
 * Dynamic schedules count in loop values, because every chunk pays for each instruction after the fetch-and-add. The
 * counter may wrap round, but its distance from the end may not: see fg_loop_next_dynamic.
 *
 * The caller is a member on its own stack, without a lock. It writes its own chunk, and the counter of the instance
 * (workshare.h). */
#pragma once
#include "team/inside.h"
#include "team/share/ordered.h"
#include "team/share/workshare.h"

/* A loop as the program gives it. `end` is exclusive. */
struct fg_loop {
	uint64_t start, end, step;
	bool up; /* step > 0 */
	bool is_signed;
	unsigned schedule; /* enum fg_schedule, perhaps | FG_MONOTONIC, which ordered loops have, but for static */
	uint64_t chunk;	   /* iterations; 0: default */
};

/* Replaces FG_RUNTIME and FG_AUTO by the schedule of the caller's ICVs. */
FG_ANYWHERE void fg_loop_resolve(struct fg_loop *loop);
/* Fills in a new instance, for the caller's team. The schedule has been resolved. */
FG_ANYWHERE void fg_loop_set_up(struct fg_workshare *share, const struct fg_loop *loop);

/* First call of a member in a loop. False: it gets no iterations. */
FG_OUTSIDE bool fg_loop_start(struct fg_identity *self, struct fg_loop *loop, uint64_t *from, uint64_t *to);
FG_OUTSIDE bool fg_loop_ordered_start(struct fg_identity *self, struct fg_loop *loop, uint64_t *from, uint64_t *to);
/* The same with task reductions and memory (either may be NULL). `from` is NULL where the program distributes the
 * iterations itself. */
FG_OUTSIDE bool fg_loop_start_full(struct fg_identity *self, struct fg_loop *loop, bool ordered, uint64_t *from,
				   uint64_t *to, uintptr_t *reductions, void **memory);

/* Gives all iterations to the first member that asks, in one chunk. It is used where there is no memory for the
 * order among several members. */
void fg_loop_give_all(struct fg_workshare *share);
FG_OUTSIDE bool fg_loop_next_other(struct fg_identity *self, struct fg_workshare *share, uint64_t *from, uint64_t *to);
FG_OUTSIDE bool fg_loop_next_ordered(struct fg_identity *self, uint64_t *from, uint64_t *to);

/* The counter is a distance d past the start, and the end is a distance D. After the end each member adds one
 * stride. So d <= D + overshoot < 2^63 (fg_loop_set_up). Thus D - d is right as a signed number, for any values
 * modulo 2^64. No load stands after the atomic operation, because that would delay the load. */
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

/* Gives the next chunk of the caller. False: there is none. */
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
