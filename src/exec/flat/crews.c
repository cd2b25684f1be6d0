/* Crews (floor: exec): see crews.h. */
#include "exec/flat/crews.h"

#include "exec/body/look.h"
#include "exec/flat/forks.h"
#include "exec/flat/seating.h"
#include "exec/flat/summary.h"
#include "exec/loop/crew.h"
#include "exec/move/transfer.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker_parts.h"

static unsigned
slot_of(const struct fg_root *root, unsigned member)
{
	return root->by_place ? root->slot_of[member] : member % root->slots;
}

bool
fg_crew_has(const struct fg_worker *worker, const struct fg_identity *member)
{
	const struct fg_root *root = worker->crew.root;
	return !root->by_place && member->member != 0 && member->member < root->size &&
	       root->members[false][member->member] == member && slot_of(root, member->member) == worker->slot;
}

/* The root may prepare its next region only once the worker has published its last phase. */
bool
fg_crew_is_transferred(const struct fg_worker *worker, const struct fg_identity *member)
{
	return slot_of(worker->crew.root, member->member) != worker->slot;
}

/* The members that the root's layout deals to the worker's slot, and its seat. */
static void
make(struct fg_worker *worker, struct fg_root *root)
{
	struct fg_crew *crew = &worker->crew;
	struct fg_identity *first = worker->slot ? NULL : &root->identity, *last = first;
	crew->count = worker->slot == 0;
	if (first)
		first->crew_of = worker;
	for (unsigned k = 1; k < root->size; k++) {
		if (slot_of(root, k) != worker->slot)
			continue;
		struct fg_identity *member = root->members[root->by_place][k];
		assert(member->member == k && !member->in_crew.lent && !member->in_crew.recalled && !member->root);
		member->pinned = member->crew_of = worker;
		if (last)
			last->in_crew.next = member;
		else
			first = member;
		last = member;
		crew->count++;
	}
	assert(first && crew->count > 0 && worker->slot < root->slots && fg_worker_is_own(worker));
	last->in_crew.next = first;
	if (worker->slot == 0)
		fg_transfer_forget(root);
	fg_worker_sit(worker);
	crew->root = root;
	crew->layout = root->layout;
	crew->slots = root->slots;
	crew->team = root->dock.slot;
	crew->oversubscribed = root->size > root->slots;
	fg_parts(worker)->lend.lends = crew->oversubscribed && (!root->by_place || root->planned);
	fg_parts(worker)->lend.asked = NULL;
	fg_summary_steps(worker, root->groups);
	crew->fork = fg_forks_line(worker, root);
	crew->home_waits = root->by_place || (worker->slot && root->members[false][worker->slot] != worker->waiter);
	crew->first = first;
	assert(fg_crew_list_valid(worker, first) && fg_slot(crew->team, worker->slot) == worker);
	fg_seat_keep(worker);
}

void
fg_crew_follow(struct fg_worker *worker, struct fg_root *root, uint64_t layout, unsigned seating)
{
	if (fg_layout_same_workers(worker->crew.layout, layout))
		fg_seating_take(worker, layout, seating);
	else
		make(worker, root);
}
