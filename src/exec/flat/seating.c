/* Seatings (floor: exec): see seating.h. */
#include "exec/flat/seating.h"

#include <string.h>

#include "exec/flat/layout.h"
#include "exec/loop/crew.h"
#include "exec/thread/root_worker.h"
#include "platform/memory.h"

static bool
make(struct fg_root *root, struct fg_seating *seating, const uint16_t *slot_of)
{
	struct fg_identity **member_on = fg_memory_resize(seating->member_on, root->size * sizeof(*member_on));
	if (!member_on)
		return false;
	seating->slot_of = slot_of;
	seating->member_on = member_on;
	member_on[0] = &root->identity;
	for (unsigned k = 1; k < root->size; k++) {
		assert(slot_of[k] > 0 && slot_of[k] < root->slots);
		member_on[slot_of[k]] = root->members[true][k];
	}
	return true;
}

/* NULL: there is no memory. */
static struct fg_seating *
find(struct fg_root *root, const uint16_t *slot_of)
{
	for (unsigned i = 0; i < root->n_seatings; i++)
		if (root->seatings[i].slot_of == slot_of)
			return &root->seatings[i];
	unsigned next = root->n_seatings < FG_SEATINGS ? root->n_seatings : (root->seating + 1) % FG_SEATINGS;
	if (!make(root, &root->seatings[next], slot_of))
		return NULL;
	if (root->n_seatings < FG_SEATINGS)
		root->n_seatings++;
	return &root->seatings[next];
}

bool
fg_seating_change(struct fg_root *root, unsigned size, const uint16_t *slot_of)
{
	bool pinned = slot_of && root->pin && root->by_place && !root->planned;
	if (!pinned || root->size != size || root->slots != size ||
	    !fg_layout_same_workers(fg_load_relaxed(&root->dock.seated), root->layout) ||
	    (root->layout & FG_LAYOUT_CHANGES) == FG_LAYOUT_CHANGES)
		return false;
	const struct fg_seating *seating = find(root, slot_of);
	if (!seating)
		return false;
	memcpy(root->slot_of, slot_of, size * sizeof *slot_of);
	root->seating = (unsigned)(seating - root->seatings);
	root->layout++;
	if (__builtin_expect(root->meets != 0, 0))
		fg_layout_trace(root);
	return true;
}

void
fg_seating_take(struct fg_worker *worker, uint64_t layout, unsigned seating)
{
	struct fg_crew *crew = &worker->crew;
	struct fg_identity *member = crew->root->seatings[seating].member_on[worker->slot];
	assert(crew->count == 1 && crew->home_waits && fg_layout_same_workers(crew->layout, layout));
	assert(!member->in_crew.lent && !member->in_crew.recalled);
	crew->layout = layout;
	if (member != crew->first) {
		member->pinned = member->crew_of = worker;
		member->in_crew.next = member;
		crew->first = member;
	}
	assert(fg_crew_list_valid(worker, member));
}
