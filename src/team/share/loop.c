/* Loop: setting up a worksharing loop, and the schedules other than dynamic (floor: team; see loop.h). */
#include "team/share/loop.h"
#include "exec/flat/groups.h"
#include "team/share/batches.h"
#include "team/share/reduction.h"

static uint64_t
loop_distance(const struct fg_loop *loop)
{
	bool any;
	if (loop->is_signed)
		any = loop->up ? (int64_t)loop->start<(int64_t)loop->end : (int64_t)loop->start>(int64_t) loop->end;
	else
		any = loop->up ? loop->start < loop->end : loop->start > loop->end;
	if (!any)
		return 0;
	return loop->up ? loop->end - loop->start : loop->start - loop->end;
}

/* Can members add a stride after the end, without their counter getting 2^63 past the start? Each member overshoots
 * once. The surplus factor serves programs that ask again after the end. */
static bool
counter_fits(uint64_t distance, uint64_t chunk, uint64_t step, unsigned size)
{
	uint64_t stride, overshoot, last;
	return !__builtin_mul_overflow(chunk, step, &stride) &&
	       !__builtin_mul_overflow(stride, (uint64_t)size << 17, &overshoot) &&
	       !__builtin_add_overflow(distance, overshoot, &last) && last <= INT64_MAX;
}

void
fg_loop_resolve(struct fg_loop *loop)
{
	if ((loop->schedule & ~FG_MONOTONIC) == FG_RUNTIME) {
		const struct fg_icv *icv = fg_icv_current();
		loop->schedule = icv->run_sched | (loop->schedule & FG_MONOTONIC);
		loop->chunk = icv->run_sched_chunk > 0 ? (uint64_t)icv->run_sched_chunk : 0;
	}
	if ((loop->schedule & ~FG_MONOTONIC) == FG_AUTO) {
		loop->schedule = FG_STATIC;
		loop->chunk = 0;
	}
}

/* A loop of a large team goes by groups of workers, if it can. */
static bool
by_groups(struct fg_workshare *share, unsigned schedule, uint64_t chunk)
{
	const struct fg_team *team = fg_self()->thread.team;
	if (schedule == FG_DYNAMIC) {
		share->kind = FG_SHARE_DYNAMIC_PARTS;
		return fg_parts_set_up(share, team, chunk);
	}
	share->kind = FG_SHARE_BATCHES;
	return fg_batches_set_up(share, team, chunk, (schedule & ~FG_MONOTONIC) == FG_GUIDED);
}

void
fg_loop_set_up(struct fg_workshare *share, const struct fg_loop *loop)
{
	uint64_t distance = loop_distance(loop), step = loop->up ? loop->step : -loop->step;
	uint64_t trips = step == 1 || !distance ? distance : (distance - 1) / step + 1;
	uint64_t chunk = loop->chunk;
	unsigned schedule = loop->schedule & ~FG_MONOTONIC;
	share->start = loop->start;
	share->end = distance ? loop->end : loop->start;
	share->step = loop->step;
	share->trips = trips;
	if (schedule == FG_STATIC) {
		share->kind = chunk ? FG_SHARE_STATIC_CHUNKS : FG_SHARE_STATIC_BLOCK;
	} else {
		chunk = chunk ? chunk : 1;
		if (chunk > trips && schedule != FG_GUIDED)
			chunk = trips;
		if (__builtin_expect(share->size > FG_GROUPS_SMALL, 0) && by_groups(share, loop->schedule, chunk)) {
			share->chunk = chunk;
			return;
		}
		if (schedule == FG_GUIDED) {
			share->kind = FG_SHARE_GUIDED;
		} else if (!counter_fits(distance, chunk, step, share->size)) {
			share->kind = FG_SHARE_DYNAMIC_WIDE;
		} else {
			share->kind = loop->up ? FG_SHARE_DYNAMIC_UP : FG_SHARE_DYNAMIC_DOWN;
			fg_store_relaxed(&share->next, loop->start);
		}
	}
	share->chunk = chunk;
}

void
fg_loop_give_all(struct fg_workshare *share)
{
	share->kind = FG_SHARE_DYNAMIC_WIDE;
	share->chunk = share->trips ? share->trips : 1;
	fg_store_relaxed(&share->next, 0);
}

bool
fg_loop_start_full(struct fg_identity *self, struct fg_loop *loop, bool ordered, uint64_t *from, uint64_t *to,
		   uintptr_t *reductions, void **memory)
{
	fg_assert_outside(self);
	bool first;
	struct fg_workshare *share = fg_workshare_enter(self, &first);
	if (first) {
		fg_loop_resolve(loop);
		fg_loop_set_up(share, loop);
		if (ordered && !fg_ordered_set_up(share))
			fg_loop_give_all(share);
	}
	if (__builtin_expect(reductions != NULL, 0))
		fg_reduction_workshare_begin(self, share, first, reductions);
	fg_workshare_memory(share, first, memory);
	if (first)
		fg_workshare_publish(self, share);
	if (!from)
		return true;
	if (share->ordered)
		return fg_ordered_record(self, share, fg_loop_next_of(self, share, from, to), from, to);
	return fg_loop_next_of(self, share, from, to);
}

bool
fg_loop_start(struct fg_identity *self, struct fg_loop *loop, uint64_t *from, uint64_t *to)
{
	fg_assert_outside(self);
	return fg_loop_start_full(self, loop, false, from, to, NULL, NULL);
}

bool
fg_loop_ordered_start(struct fg_identity *self, struct fg_loop *loop, uint64_t *from, uint64_t *to)
{
	fg_assert_outside(self);
	return fg_loop_start_full(self, loop, true, from, to, NULL, NULL);
}

/* Gives iterations [first, past) as loop values. The last chunk ends where the program said. */
static bool
give(const struct fg_workshare *share, uint64_t first, uint64_t past, uint64_t *from, uint64_t *to)
{
	*from = share->start + first * share->step;
	*to = past < share->trips ? share->start + past * share->step : share->end;
	return true;
}

/* The exact mapping of iterations to members is part of the ABI. */
static bool
next_static(struct fg_identity *self, struct fg_workshare *share, uint64_t *from, uint64_t *to)
{
	struct fg_thread *thread = &self->thread;
	uint64_t num = thread->team ? thread->num : 0, trip = (uint64_t)thread->static_trip++;
	if (share->kind == FG_SHARE_STATIC_BLOCK) {
		if (trip != 0)
			return false;
		uint64_t block = share->trips / share->size, longer = share->trips % share->size;
		uint64_t first = num * block + (num < longer ? num : longer);
		uint64_t past = first + block + (num < longer);
		return first < past && give(share, first, past, from, to);
	}
	uint64_t number, first;
	if (__builtin_mul_overflow(trip, (uint64_t)share->size, &number) ||
	    __builtin_add_overflow(number, num, &number) || __builtin_mul_overflow(number, share->chunk, &first) ||
	    first >= share->trips) {
		thread->static_trip--;
		return false;
	}
	uint64_t past = share->trips - first > share->chunk ? first + share->chunk : share->trips;
	return give(share, first, past, from, to);
}

static bool
next_guided(struct fg_workshare *share, uint64_t *from, uint64_t *to)
{
	uint64_t first = fg_load_relaxed(&share->next), count;
	do {
		if (first >= share->trips)
			return false;
		uint64_t rest = share->trips - first;
		count = (rest - 1) / share->size + 1;
		if (count < share->chunk)
			count = share->chunk < rest ? share->chunk : rest;
	} while (!fg_cas_relaxed(&share->next, &first, first + count));
	return give(share, first, first + count, from, to);
}

static bool
next_wide(struct fg_workshare *share, uint64_t *from, uint64_t *to)
{
	uint64_t first = fg_load_relaxed(&share->next), count;
	do {
		if (first >= share->trips)
			return false;
		uint64_t rest = share->trips - first;
		count = share->chunk < rest ? share->chunk : rest;
	} while (!fg_cas_relaxed(&share->next, &first, first + count));
	return give(share, first, first + count, from, to);
}

static bool
next_parts(struct fg_identity *self, struct fg_workshare *share, uint64_t *from, uint64_t *to)
{
	uint64_t number;
	if (!fg_parts_next(self, share, &number))
		return false;
	uint64_t first = number * share->chunk, rest = share->trips - first;
	return give(share, first, first + (share->chunk < rest ? share->chunk : rest), from, to);
}

static bool
next_of_batch(struct fg_identity *self, struct fg_workshare *share, uint64_t *from, uint64_t *to)
{
	uint64_t number, count;
	if (!fg_batches_next(self, share, &number, &count))
		return false;
	uint64_t first = number * share->chunk, rest = share->trips - first;
	count *= share->chunk;
	return give(share, first, first + (count < rest ? count : rest), from, to);
}

bool
fg_loop_next_other(struct fg_identity *self, struct fg_workshare *share, uint64_t *from, uint64_t *to)
{
	fg_assert_outside(self);
	switch (share->kind) {
	case FG_SHARE_GUIDED:
		return next_guided(share, from, to);
	case FG_SHARE_DYNAMIC_PARTS:
		return next_parts(self, share, from, to);
	case FG_SHARE_BATCHES:
		return next_of_batch(self, share, from, to);
	case FG_SHARE_DYNAMIC_DOWN:
		return fg_loop_next_dynamic(share, false, from, to);
	case FG_SHARE_DYNAMIC_WIDE:
		return next_wide(share, from, to);
	default:
		return next_static(self, share, from, to);
	}
}

bool
fg_loop_next_ordered(struct fg_identity *self, uint64_t *from, uint64_t *to)
{
	fg_assert_outside(self);
	struct fg_workshare *share = fg_workshare_current(self);
	if (!share)
		return false;
	if (!share->ordered)
		return fg_loop_next_of(self, share, from, to);
	fg_ordered_pass_on(self, share);
	return fg_ordered_record(self, share, fg_loop_next_of(self, share, from, to), from, to);
}
