/* Parts (floor: team): see parts.h. */
#include "team/share/parts.h"
#include "exec/flat/groups.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker.h"
#include "platform/memory.h"

#define MOST_PARTS 64
#define FEWEST_CHUNKS 8 /* of a part: the end of the loop costs each part some transfers */

/* A member notes its part in static_trip, + 1; then OVER. */
#define OVER (-1)

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
		for (unsigned i = 0; i < n; i++)
			fg_store_relaxed(&parts->part[i].left, 0);
		share->counted_by_part = true;
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

void
fg_parts_leave(const struct fg_identity *self, struct fg_parts *parts)
{
	fg_add_acq_rel(&parts->part[fg_parts_own(self, parts)].left, 1);
}

uint32_t
fg_parts_leavers(const struct fg_parts *parts)
{
	uint32_t all = 0;
	for (unsigned i = 0; i < parts->n; i++)
		all += fg_load_acquire(&parts->part[i].left);
	return all;
}

static bool
seems_over(const struct fg_parts *parts, const struct fg_workshare *share, unsigned part)
{
	return (fg_load_relaxed(&parts->part[part].next) * parts->n + part) * share->chunk >= share->trips;
}

/* Gives the number of a chunk of the part. False: all of its chunks are given. */
static bool
take(struct fg_parts *parts, const struct fg_workshare *share, unsigned part, uint64_t *number)
{
	*number = fg_add_relaxed(&parts->part[part].next, 1) * parts->n + part;
	return *number * share->chunk < share->trips;
}

/* The part of the caller is over. Gives a chunk of the next part that has any. False: all parts are over. */
static bool
take_elsewhere(struct fg_parts *parts, const struct fg_workshare *share, unsigned *part, uint64_t *number)
{
	unsigned n = parts->n, own = *part;
	for (unsigned i = 1; i < n; i++)
		fg_prefetch_read(&parts->part[(own + i) % n].next);
	for (unsigned i = 1; i < n; i++) {
		*part = (own + i) % n;
		if (!seems_over(parts, share, *part) && take(parts, share, *part, number))
			return true;
	}
	return false;
}

bool
fg_parts_next(struct fg_identity *self, struct fg_workshare *share, uint64_t *number)
{
	struct fg_parts *parts = share->parts;
	long noted = self->thread.static_trip;
	if (noted == OVER)
		return false;
	unsigned part = noted ? (unsigned)noted - 1 : fg_parts_own(self, parts);
	bool got = take(parts, share, part, number) || take_elsewhere(parts, share, &part, number);
	self->thread.static_trip = got ? (long)part + 1 : OVER;
	return got;
}
