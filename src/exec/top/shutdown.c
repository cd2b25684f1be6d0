/* Shutdown (floor: exec): see shutdown.h.
 *
 * The dock is closed, and no root populates a region by births. So nothing runs on the workers, and nothing waits
 * for them. All donors are suspended for good, in a pool or as members of some root. Things end in this order:
 * - the daemons of policies, and the sampler of memory;
 * - the monitor, which reads the workers and the threads that they carry;
 * - the workers, each ended by the thread that is docked there;
 * - the spares, because a spare may have carried a worker until then;
 * - the kernel threads of the workers, and the slots (fg_workers_clear), and the sampler again;
 * - the kernel threads of kernel-thread teams that are idle, or kept by the caller's root or by one that no thread has;
 * - the donors: no other thread can switch to them any more.
 *
 * The donors in the pools of other roots' workers stay. Such a root may be giving them back at this moment (root.c). */
#include "exec/top/shutdown.h"

#include "base/carrier.h"
#include "exec/donor/donor.h"
#include "exec/donor/donor_pool.h"
#include "exec/flat/anchor.h"
#include "exec/flat/dock.h"
#include "exec/flat/layout.h"
#include "exec/grant/grant.h"
#include "exec/ground/above.h"
#include "exec/kernel/kernel_team.h"
#include "exec/nested/birth.h"
#include "exec/pool/berths.h"
#include "exec/pool/workers.h"
#include "exec/relief/spare.h"
#include "exec/roots/root.h"
#include "exec/thread/facts.h"
#include "exec/thread/root_state.h"
#include "exec/thread/wake.h"
#include "exec/watch/daemons.h"
#include "exec/watch/monitor.h"
#include "platform/thread.h"

/* With FGOMP_THREADS=kernel. */
static void
end_kernel_members(struct fg_identity *self)
{
	struct fg_root *unused = fg_root_unused_take();
	for (struct fg_root *root = unused; root; root = root->next)
		fg_kernel_team_end_idle(root);
	fg_root_unused_give(unused);
	fg_kernel_team_end_idle(self ? self->root : NULL);
}

static bool
end_all(struct fg_identity *self)
{
	assert(!self || (fg_root_is_outside(self) && fg_load_stable(&self->in_runtime)));
	if (!fg_dock_close())
		return false;
	if (!fg_births_shut()) {
		fg_dock_open();
		return false;
	}
	if (!fg_grant_end()) {
		fg_births_open();
		fg_dock_open();
		return false;
	}
	fg_daemons_end();
	fg_exec_above.stop();
	fg_monitor_end();
	fg_dock_end_workers();
	struct fg_identity *list = fg_anchors_end(fg_spare_end_all(NULL));
	fg_workers_clear();
	fg_exec_above.stop(); /* a worker that was just going to be started may have called for the sampler again */
	assert(fg_workers.n <= 1 && fg_berths_held() == 0);
	fg_store_relaxed(&fg_wanted, 0);
	end_kernel_members(self);
	if (self) {
		fg_donor_pool_return(self->worker);
		fg_exec_above.forget(self);
	}
	fg_donor_end_all(fg_layout_dissolve(list));
	fg_donor_end_all(fg_donor_pool_common_take_all());
	fg_monitor_allow();
	fg_grant_allow();
	fg_births_open();
	fg_dock_open();
	return true;
}

bool
fg_shutdown(struct fg_identity *self)
{
	if (fg_carrier != &fg_carrier_live)
		return true; /* all workers are contexts of one kernel thread */
	/* The caller may be in a target region within a parallel one. There its thread has no team around it, but the
	 * members of its root still run. */
	if (self && (!self->root || self->root->kernel_births))
		return false;
	bool was_inside = fg_step_out(self);
	bool may_end = fg_thread_may_end();
	fg_step_in(self, was_inside);
	if (!may_end)
		return false;
	/* A tick of the last region may still come, and a holder of a lock must not be preempted. */
	bool inside = fg_enter_again(self);
	bool ended = end_all(self);
	fg_leave_again(self, inside);
	return ended;
}
