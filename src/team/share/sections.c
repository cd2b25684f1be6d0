/* Sections and scopes (floor: team; see sections.h). */
#include "team/share/reduction.h"
#include "team/share/sections.h"

void
fg_sections_set_up(struct fg_workshare *share, unsigned count)
{
	share->trips = count;
}

static unsigned
next_of(struct fg_workshare *share)
{
	uint64_t index = fg_add_relaxed(&share->next, 1);
	return index < share->trips ? (unsigned)index + 1 : 0;
}

unsigned
fg_sections_start(struct fg_identity *self, unsigned count, uintptr_t *reductions, void **memory)
{
	fg_assert_outside(self);
	bool first;
	struct fg_workshare *share = fg_workshare_enter(self, &first);
	if (first)
		fg_sections_set_up(share, count);
	if (reductions)
		fg_reduction_workshare_begin(self, share, first, reductions);
	fg_workshare_memory(share, first, memory);
	if (first)
		fg_workshare_publish(self, share);
	return next_of(share);
}

unsigned
fg_sections_next(struct fg_identity *self)
{
	fg_assert_outside(self);
	struct fg_workshare *share = fg_workshare_current(self);
	return share ? next_of(share) : 0;
}

void
fg_scope_start(struct fg_identity *self, uintptr_t *reductions)
{
	fg_assert_outside(self);
	bool first;
	struct fg_workshare *share = fg_workshare_enter(self, &first);
	fg_reduction_workshare_begin(self, share, first, reductions);
	if (first)
		fg_workshare_publish(self, share);
	fg_workshare_leave(self);
}
