/* Dock outside its fast path: a root takes and prepares it, a shutdown closes and opens all docks, and workers end
 * (floor: exec; see dock.h, which tells callers and context).
 *
 * To prepare a team a root leaves the runtime, and may be preempted. Meanwhile no other thread touches the layout,
 * because the root owns its dock. root->size is 0 from the first change until all is there:
 *
 *     root->size != 0 => the layout has that many members, on the workers in the first root->slots slots of the dock */
#include <errno.h>

#include "base/carrier.h"
#include "base/log.h"
#include "exec/body/seat.h"
#include "exec/flat/anchor.h"
#include "exec/flat/dock.h"
#include "exec/flat/dock_line.h"
#include "exec/flat/groups.h"
#include "exec/flat/layout.h"
#include "exec/flat/placement.h"
#include "exec/flat/seating.h"
#include "exec/ground/options.h"
#include "exec/pool/berths.h"
#include "exec/pool/hiring.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/levels.h"
#include "exec/thread/worker_parts.h"
#include "share/own_set.h"
#include "share/share.h"

static struct fg_atomic_u64 layouts; /* that there have been so far */

static void
number_anew(struct fg_root *root)
{
	root->layout = (fg_add_relaxed(&layouts, 1) + 1) * (FG_LAYOUT_CHANGES + 1);
	root->n_seatings = root->seating = 0;
}

/* Without memory the team has no groups. The levels are read outside of the runtime; tasks look at them, too
 * (team/tasks/scout.h). */
static void
group(struct fg_root *root, unsigned slots)
{
	bool large = fg_groups_large(slots);
	if (large)
		fg_levels_deepen();
	if (!root->groups && large)
		root->groups = fg_groups_new(fg_exec_options.n_pus);
	if (!root->groups)
		return;
	fg_groups_make(root->groups, fg_levels_top(), root->pus, slots);
	if (root->groups->slots && root->copies < root->groups->n_inner)
		root->copies = root->groups->n_inner;
}

/* The caller is outside. */
static void
tell_displaced(void)
{
	static struct fg_atomic_u32 told;
	if (!fg_exchange_acq_rel(&told, 1))
		fg_error("FGOMP_PIN: two threads of the program have regions at once, so members of one of them have "
			 "other PUs than those of the file");
}

/* Where other roots have the workers or the PUs, all members run on the root's own worker. A member that is bound binds
 * the kernel thread to its place where it begins. */
static bool
stand_alone(struct fg_identity *self, struct fg_root *root, unsigned size, bool by_place)
{
	if (root->size == size && root->slots == 1 && (root->by_place && !root->planned) == by_place)
		return true;
	root->planned = root->by_policy = false;
	root->by_place = by_place;
	root->size = 0;
	if (by_place && !fg_layout_on_one(root, size))
		return false;
	if (!root->dock.slot || !fg_anchors_free(root, size))
		return false;
	fg_leave(self);
	if (root->pin)
		tell_displaced();
	bool ready = fg_placement_room(&root->pus, &root->range, fg_exec_options.n_pus) &&
		     fg_layout_members(root, size, 1, fg_dock_donor);
	fg_enter(self);
	if (!ready)
		return false;
	root->pus[0] = fg_worker_leaf(fg_root_worker(root))->first_pu;
	root->range[0] = NULL;
	group(root, 1);
	number_anew(root);
	root->size = size;
	root->slots = 1;
	assert(fg_root_valid(root));
	return true;
}

static bool
prepare(struct fg_identity *self, struct fg_root *root, unsigned size, const uint16_t *slot_of)
{
	int saved = errno;
	assert(self == fg_self() && self->root == root && fg_load_stable(&root->dock.owner) == root && size > 1);
	fg_levels_start();
	if (fg_seats.nodes)
		fg_levels_deepen(); /* workers sit on their nodes as they begin, or return to them */
	fg_bubble_expect(root);
	unsigned slots = size < fg_exec_options.n_pus ? size : fg_exec_options.n_pus;
	if (slot_of)
		slots = fg_layout_by_place(root, size, slot_of);
	root->by_place = slot_of != NULL;
	root->planned = root->by_policy = false;
	root->size = 0; /* there is no layout if this fails */
	root->floats = fg_float_get();
	bool begun = fg_workers_begin(fg_dock_worker) && fg_berths_begin(root);
	if (begun && fg_hiring_several())
		fg_anchors_drop(self, root);
	fg_leave(self);
	bool others = fg_share_join(fg_exec_options.n_pus, fg_exec_options.binds, &fg_exec_options.cpus);
	if (fg_load_relaxed(&fg_own_set.wants_levels))
		fg_levels_deepen();
	bool ready = begun && slots != 0 && fg_layout_place(root, size, &slots);
	fg_enter(self);
	if (others)
		fg_monitor_want(self);
	number_anew(root);
	bool taken = ready && fg_berths_take(self, root, slots);
	fg_leave(self);
	if (taken && root->dock.displaced)
		tell_displaced();
	ready = taken && fg_layout_members(root, size, slots, fg_dock_donor);
	if (ready)
		group(root, slots);
	fg_enter(self);
	if (ready) {
		root->size = size;
		root->slots = slots;
		assert(fg_root_valid(root) && root->dock.held == slots);
		fg_workers_sit(root);
		if (__builtin_expect(root->meets != 0, 0))
			fg_layout_trace(root);
	} else if (taken)
		fg_berths_give_back(root);
	errno = saved;
	return ready;
}

/* Another thread may have the dock for a moment, because it moves the workers. */
static bool
own_later(struct fg_root *root)
{
	void *nobody;
	while (fg_load_relaxed(&root->dock.owner) != root && !fg_hiring_closed()) {
		nobody = NULL;
		fg_berths_pass();
		if (fg_cas_acquire(&root->dock.owner, &nobody, root))
			return true;
		fg_anchors_pause(fg_self());
	}
	return false; /* or the caller is in a target region within its own parallel region */
}

/* Makes a new layout. Without one of its own the root asks again later. */
static bool
renew(struct fg_identity *self, struct fg_root *root, unsigned size, const uint16_t *slot_of)
{
	if (fg_berths_may_ask(root) && prepare(self, root, size, slot_of))
		return true;
	return fg_hiring_several() && stand_alone(self, root, size, slot_of != NULL);
}

bool
fg_dock_acquire(struct fg_identity *self, unsigned size, const uint16_t *slot_of)
{
	struct fg_root *root = self->root;
	struct fg_dock *dock = &root->dock;
	void *nobody = NULL;
	if (!fg_cas_acquire(&dock->owner, &nobody, root) && !own_later(root))
		return false;
	if (__builtin_expect(!fg_layout_same(root, size, slot_of) ||
				     !fg_layout_same_workers(fg_load_relaxed(&dock->seated), root->layout),
			     0) &&
	    !fg_seating_change(root, size, slot_of) && !renew(self, root, size, slot_of)) {
		fg_store_release(&dock->owner, NULL);
		return false;
	}
	assert(fg_root_valid(root) && fg_load_stable(&dock->owner) == root && root->size == size);
	fg_root_worker(root)->crew.phase = dock->base; /* tasks may be counted before the fork */
	return true;
}

unsigned
fg_dock_slots(void)
{
	return fg_berths_held();
}

bool
fg_dock_close(void)
{
	return fg_berths_close();
}

void
fg_dock_open(void)
{
	fg_berths_open();
}

void
fg_dock_give_up(struct fg_root *root)
{
	fg_berths_end(root);
}

void
fg_dock_end_workers(void)
{
	fg_workers_quiet();
	fg_berths_clear();
	fg_hiring.nowhere.fork.body = NULL;
	fg_store_release(&fg_hiring.nowhere.fork.epoch, ++fg_hiring.nowhere.base << 16 | SLOTS_MAX);
	fg_dock_wake_all();
	for (unsigned i = 1; i < fg_workers.n; i++) {
		struct fg_atomic_u32 *over = &fg_parts(fg_workers.all[i])->hire.over;
		while (!fg_load_acquire(over))
			fg_carrier->wait(over, 0, 0);
	}
	/* A worker that is hired later takes no part. It may come before the docks open, because the gate of the
	 * births opens first. */
	fg_store_relaxed(&fg_hiring.nowhere.fork.epoch, fg_hiring.nowhere.base << 16);
}

void
fg_dock_after_fork(struct fg_root *root)
{
	fg_workers_after_fork();
	fg_berths_after_fork(root);
	if (!root)
		return;
	root->groups = NULL; /* helpers of a region that was in flight may be registered there */
	root->copies = 0;
}
