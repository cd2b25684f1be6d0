/* Valid: the invariants of identities, workers and roots, as functions for asserts (floor: exec; their headers say
 * which thread may ask). Builds without assert have none of this. Each condition has an assert of its own, so that the
 * message names the one that does not hold. Words that other threads write are no part of it, unless a lock or an order
 * makes them sure. They change nothing and take no lock. */
#ifndef NDEBUG
#include "exec/ground/options.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"

bool
fg_identity_valid(const struct fg_identity *identity)
{
	assert(identity->kind == FG_HOME || identity->kind == FG_DONOR);
	assert(identity->stack.low <= identity->stack.high);
	assert(!identity->in_crew.lent || (identity->crew_of && identity->kind == FG_DONOR));
	assert(!identity->in_crew.recalled || identity->crew_of);
	assert(!identity->root ||
	       (&identity->root->identity == identity && identity->kind == FG_HOME && !identity->member));
	assert(!identity->root || identity->worker == fg_root_worker(identity->root));
	assert(!identity->at_home || identity->kind == FG_HOME);
	assert(!(identity->signals.follows & ~(FG_MASK_OWN | FG_MASK_FRAME | FG_ALTERNATE_OWN)));
	assert(identity->clock.since == 0 || !identity->clock.stopped);
	return true;
}

bool
fg_worker_is_own(const struct fg_worker *worker)
{
	const struct fg_identity *self = fg_self();
	return self && self->worker == worker;
}

bool
fg_worker_valid(const struct fg_worker *worker)
{
	const struct fg_crew *crew = &worker->crew;
	assert(worker->home); /* in the child of a fork it may be a donor */
	assert(worker->slot == 0 || !worker->home->root);
	assert(fg_load_stable(&worker->leaf) && fg_load_stable(&worker->seat));
	assert((worker->donors.first == NULL) == (worker->donors.count == 0));
	assert(!worker->wait.docked || (worker->wait.docked->worker == worker && worker->wait.ready));
	assert((fg_parts(worker)->ride.next == NULL) == (fg_load_stable(&worker->head) == NULL));
	assert(fg_parts(worker)->ride.next != worker);
	assert(!fg_load_stable(&fg_parts(worker)->relief.claimed) || fg_load_stable(&worker->spare));
	assert(!(fg_load_stable(&worker->notice) & ~(uint32_t)(FG_NOTICE_MOVE | FG_NOTICE_SLICE)));
	assert(crew->arrived + crew->lent + fg_load_stable(&crew->waiting) <= crew->count &&
	       crew->out <= crew->arrived);
	return true;
}

bool
fg_worker_change_valid(const struct fg_worker *worker, enum fg_worker_state to)
{
	if (worker->carries && to == FG_WORKER_CARRIES) { /* a region within a region */
		assert(fg_worker_is_own(worker));
		return true;
	}
	assert(worker->carries != (to == FG_WORKER_CARRIES));
	assert(!worker->wait.docked && !fg_load_stable(&worker->head));
	if (worker->home->root) {
		assert(fg_self() == worker->home && fg_load_stable(&worker->current) == worker->home);
		assert(worker->slot == 0 && !fg_load_stable(&worker->spare));
	} else if (to == FG_WORKER_CARRIES) {
		assert(fg_load_stable(&worker->current) == worker->home && !fg_load_stable(&worker->spare));
	} else {
		assert(fg_worker_is_own(worker) && worker->slot != 0 && worker->crew.lent == 0);
		assert(fg_load_stable(&worker->pinned.count) == 0);
	}
	return true;
}

/* `current` is the caller, but for the base of a spare that goes on with the thread of a rider. */
bool
fg_worker_switch_valid(const struct fg_identity *self, const struct fg_identity *next)
{
	const struct fg_worker *worker = self->worker;
	const struct fg_identity *current = fg_load_stable(&worker->current);
	assert(self == fg_self());
	assert(next != self || self->in_crew.recalled); /* a member that has arrived may be called itself */
	assert(fg_identity_valid(self) && fg_identity_valid(next) && fg_worker_valid(worker));
	assert(worker->carries && (current == self || current == next));
	assert(fg_load_stable(&self->in_runtime) && fg_load_stable(&next->in_runtime) && next->context.tls);
	assert(fg_load_stable(&next->away) != FG_TAKEN && !fg_load_stable(&worker->asleep));
	assert(!fg_load_stable(&next->entity.holder) && !next->park.on);
	assert(worker->wait.docked != next && worker->donors.first != next);
	return true;
}

bool
fg_root_valid(const struct fg_root *root)
{
	const struct fg_dock *dock = &root->dock;
	const struct fg_worker *worker = fg_root_worker(root);
	assert(root->identity.root == root && worker->home == &root->identity && worker->slot == 0);
	assert(!dock->slot || fg_slot(dock->slot, 0) == worker);
	assert(dock->held <= fg_exec_options.n_pus && (dock->held == 0 || dock->slot));
	assert(root->size == 0 || (root->slots > 0 && root->slots <= root->size && root->layout));
	assert(!root->planned || (root->by_place && root->by_policy));
	assert(!root->by_place || root->slot_of || root->size == 0);
	for (unsigned set = 0; set < 2; set++)
		assert((root->members[set] != NULL) == (root->n_members[set] != 0));
	return true;
}
#endif
