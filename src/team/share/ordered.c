/* Ordered: waiting for a turn and handing it on (floor: team; see ordered.h). */
#include "team/share/ordered.h"
#include "platform/memory.h"

bool
fg_ordered_set_up(struct fg_workshare *share)
{
	if (share->size == 1)
		return true;
	struct fg_ordered *ordered = share->ordered_free;
	if (!ordered || ordered->room < share->size) {
		size_t bytes = sizeof *ordered + share->size * sizeof ordered->member[0];
		fg_memory_free(ordered);
		share->ordered_free = ordered = fg_memory_aligned(64, bytes);
		if (!ordered)
			return false;
		ordered->room = share->size;
	}
	fg_store_relaxed(&ordered->turn, share->start);
	fg_await_init(&ordered->await);
	share->ordered = ordered;
	return true;
}

bool
fg_ordered_record(struct fg_identity *self, struct fg_workshare *share, bool given, const uint64_t *from,
		  const uint64_t *to)
{
	struct fg_ordered_member *mine = &share->ordered->member[self->thread.num];
	mine->holds = given;
	if (given) {
		mine->from = *from;
		mine->to = *to;
		mine->single = *from + share->step == *to;
	}
	return given;
}

struct wait {
	struct fg_ordered *ordered;
	uint64_t from;
};

static bool
wait_goes_on(void *arg)
{
	struct wait *wait = arg;
	return fg_load_acquire(&wait->ordered->turn) != wait->from;
}

/* The address at which the member parks whose chunk starts at `from`. It lies inside the structure, so that no other
 * waiter uses it. Two members may share one address, because each tests again. */
static const void *
parking_place(struct fg_ordered *ordered, uint64_t from)
{
	uint64_t mixed = from * 0x9e3779b97f4a7c15u;
	return &ordered->member[(mixed >> 32) * ordered->room >> 32];
}

void
fg_ordered_wait_long(struct fg_identity *self, struct fg_ordered *ordered, uint64_t from)
{
	struct wait wait = {ordered, from};
	fg_enter(self);
	fg_await(&ordered->await, parking_place(ordered, from), wait_goes_on, wait_goes_on, &wait);
	fg_leave(self);
}

void
fg_ordered_wait(struct fg_identity *self, struct fg_ordered *ordered, uint64_t from)
{
	if (fg_load_acquire(&ordered->turn) != from)
		fg_ordered_wait_long(self, ordered, from);
	fg_happens_after(ordered);
}

static void
turn_release(struct fg_identity *self, struct fg_ordered *ordered, struct fg_ordered_member *mine)
{
	mine->holds = false;
	fg_happens_before(ordered);
	fg_exchange_acq_rel(&ordered->turn, mine->to);
	if (__builtin_expect(!fg_await_parks(&ordered->await), 1))
		return;
	fg_enter(self);
	fg_unpark(parking_place(ordered, mine->to), UINT_MAX);
	fg_leave(self);
}

void
fg_ordered_pass_on(struct fg_identity *self, struct fg_workshare *share)
{
	struct fg_ordered *ordered = share->ordered;
	struct fg_ordered_member *mine = &ordered->member[self->thread.num];
	if (!mine->holds)
		return;
	fg_ordered_wait(self, ordered, mine->from);
	turn_release(self, ordered, mine);
}

void
fg_ordered_begin(struct fg_identity *self)
{
	fg_assert_outside(self);
	struct fg_workshare *share = fg_workshare_current(self);
	if (!share || !share->ordered)
		return;
	struct fg_ordered_member *mine = &share->ordered->member[self->thread.num];
	if (mine->holds)
		fg_ordered_wait(self, share->ordered, mine->from);
}

void
fg_ordered_end(struct fg_identity *self)
{
	fg_assert_outside(self);
	struct fg_workshare *share = fg_workshare_current(self);
	if (!share || !share->ordered)
		return;
	struct fg_ordered_member *mine = &share->ordered->member[self->thread.num];
	if (mine->holds && mine->single)
		turn_release(self, share->ordered, mine);
}
