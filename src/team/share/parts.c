/* Parts (floor: team): see parts.h. */
#include "team/share/parts.h"
#include "exec/flat/groups.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker.h"
#include "platform/memory.h"

#define MOST_PARTS 64
#define FEWEST_CHUNKS 8 /* of a part: the end of the loop costs each part some transfers */

/* A member notes its part in the low bits of static_trip, + 1; then OVER. The bits above count its chunks. */
#define PART_BITS 8
#define OVER 255

static struct fg_parts *
room_for(struct fg_workshare *share, unsigned n)
{
	if (share->parts && share->parts->room >= n)
		return share->parts;
	fg_memory_free(share->parts);
	share->parts = fg_memory_aligned(128, sizeof *share->parts + n * sizeof share->parts->part[0]);
	if (share->parts)
		share->parts->room = n;
	return share->parts;
}

/* Part numbers, with all that members add past the end, fit in a word of iterations. */
static bool
numbers_fit(uint64_t chunks, uint64_t chunk, unsigned n, unsigned size)
{
	uint64_t most;
	return !__builtin_add_overflow(chunks, (uint64_t)n * ((uint64_t)size + 2), &most) &&
	       !__builtin_mul_overflow(most, chunk, &most);
}

struct fg_parts *
fg_parts_for(struct fg_workshare *share, const struct fg_team *team, uint64_t chunk)
{
	const struct fg_groups *groups = team && team->mode == FG_TEAM_DOCKED ? team->primary->root->groups : NULL;
	if (!groups || groups->slots == 0 || chunk == 0)
		return NULL;
	unsigned n = groups->n_inner < MOST_PARTS ? groups->n_inner : MOST_PARTS;
	if (n < 2 || share->trips / chunk / FEWEST_CHUNKS < n)
		return NULL;
	struct fg_parts *parts = room_for(share, n);
	if (parts) {
		parts->n = n;
		parts->groups = groups;
	}
	return parts;
}

bool
fg_parts_set_up(struct fg_workshare *share, const struct fg_team *team, uint64_t chunk)
{
	struct fg_parts *parts = fg_parts_for(share, team, chunk);
	if (!parts || !numbers_fit(share->trips / chunk, chunk, parts->n, share->size))
		return false;
	unsigned n = parts->n;
	fg_store_relaxed(&parts->left, UINT64_MAX >> (64 - n));
	for (unsigned i = 0; i < n; i++)
		fg_store_relaxed(&parts->part[i].next, 0);
	return true;
}

unsigned
fg_parts_own(const struct fg_identity *self, const struct fg_parts *parts)
{
	unsigned slot = self->worker->slot;
	return slot < parts->groups->slots ? parts->groups->inner[slot] % parts->n : 0;
}

/* The part after this one, of those that may have chunks. */
static unsigned
part_after(uint64_t left, unsigned part)
{
	uint64_t above = left & ~(UINT64_MAX >> (63 - part));
	return (unsigned)__builtin_ctzll(above ? above : left);
}

bool
fg_parts_next(struct fg_identity *self, struct fg_workshare *share, uint64_t *number)
{
	struct fg_parts *parts = share->parts;
	uint64_t taken = (uint64_t)self->thread.static_trip >> PART_BITS, left;
	unsigned noted = (unsigned)self->thread.static_trip & OVER;
	if (noted == OVER)
		return false;
	unsigned part = noted ? noted - 1 : fg_parts_own(self, parts);
	for (;;) {
		uint64_t bit = UINT64_C(1) << part;
		*number = fg_add_relaxed(&parts->part[part].next, 1) * parts->n + part;
		if (*number * share->chunk < share->trips)
			break;
		left = fg_load_relaxed(&parts->left);
		if (left & bit)
			left = fg_and_acq_rel(&parts->left, ~bit) & ~bit;
		if (left == 0) {
			self->thread.static_trip = (long)(taken << PART_BITS | OVER);
			return false;
		}
		part = part_after(left, part);
	}
	self->thread.static_trip = (long)((taken + 1) << PART_BITS | (part + 1));
	return true;
}
