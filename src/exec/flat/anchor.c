/* Anchors (floor: exec): see anchor.h.
 *
 * The thread that frees the homes owns the dock. It makes a fork without a region: each worker sees it at its next
 * look, as any other fork. The thread that waits there switches to the anchor, and the anchor publishes the phase. The
 * caller waits for all lines. So it has acquired that each home is saved before it lets go of the dock. */
#include "exec/flat/anchor.h"

#include <stddef.h>

#include "base/carrier.h"
#include "exec/donor/donor.h"
#include "exec/flat/dock_line.h"
#include "exec/flat/post.h"
#include "exec/ground/options.h"
#include "exec/pool/hiring.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"

void
fg_anchors_pause(struct fg_identity *self)
{
	fg_leave(self);
	(fg_carrier->yield ? fg_carrier->yield : fg_carrier->pause)();
	fg_enter(self);
}

static struct fg_root *
root_of(const struct fg_dock *dock)
{
	return (struct fg_root *)((char *)dock - offsetof(struct fg_root, dock));
}

/* False: the worker needs no anchor, or there is none. */
static bool
provide(struct fg_identity *self, const struct fg_root *root, struct fg_worker *worker)
{
	if (!worker || fg_parts(worker)->hire.home_root != root || worker->waiter != worker->home)
		return false;
	fg_leave(self);
	struct fg_identity *anchor = fg_donor_new(fg_dock_anchor);
	fg_enter(self);
	if (!anchor)
		return false;
	assert(fg_root_valid(root) && worker->home->member && !anchor->member);
	anchor->worker = anchor->pinned = anchor->crew_of = worker;
	worker->waiter = anchor;
	worker->home->roams = true;
	return true;
}

static bool
has_passed(const struct fg_worker *worker, uint64_t phase)
{
	return fg_load_acquire(&worker->done[phase & 1].phase) >= phase;
}

static void
fork_without_region(struct fg_identity *self, struct fg_dock *dock)
{
	assert(fg_load_stable(&dock->owner) && fg_load_stable(&dock->fork.epoch) >> 16 <= dock->base);
	uint64_t phase = ++dock->base;
	unsigned n_pus = fg_exec_options.n_pus;
	dock->fork.body = NULL;
	dock->fork.releases = true;
	fg_store_release(&dock->fork.epoch, phase << 16 | SLOTS_MAX);
	fg_fence_light();
	for (unsigned i = 1; i < n_pus; i++)
		if (fg_slot(dock->slot, i))
			fg_wake_worker(fg_slot(dock->slot, i));
	for (unsigned i = 1; i < n_pus; i++)
		while (fg_slot(dock->slot, i) && !has_passed(fg_slot(dock->slot, i), phase))
			fg_anchors_pause(self);
	dock->fork.releases = false;
	fg_store_release(&dock->fork.epoch, phase << 16); /* a worker that comes later takes no part */
}

static void
drop(struct fg_identity *self, struct fg_dock *dock)
{
	bool some = false;
	for (unsigned i = 1; i < fg_exec_options.n_pus; i++)
		some |= provide(self, root_of(dock), fg_slot(dock->slot, i));
	if (some)
		fork_without_region(self, dock);
}

void
fg_anchors_drop(struct fg_identity *self, struct fg_root *root)
{
	fg_spinlock_lock(&fg_hiring.lock);
	struct fg_dock *dock = fg_hiring.docks;
	fg_spinlock_unlock(&fg_hiring.lock);
	for (; dock; dock = dock->next) {
		void *nobody = NULL;
		if (dock == &root->dock) {
			drop(self, dock);
		} else if (fg_cas_acquire(&dock->owner, &nobody, root)) {
			drop(self, dock);
			fg_store_release(&dock->owner, NULL);
		}
	}
}

bool
fg_anchors_free(const struct fg_root *root, unsigned size)
{
	for (unsigned k = 1; k < size && k < root->n_members[false]; k++) {
		const struct fg_identity *member = root->members[false][k];
		if (member && member->kind == FG_HOME && !member->roams)
			return false;
	}
	return true;
}

struct fg_identity *
fg_anchors_end(struct fg_identity *list)
{
	FG_EACH_WORKER (worker)
		if (worker->waiter != worker->home) {
			assert(worker->waiter->kind == FG_DONOR && fg_load_stable(&fg_parts(worker)->hire.over));
			worker->waiter->next = list;
			list = worker->waiter;
			worker->waiter = worker->home;
		}
	return list;
}
