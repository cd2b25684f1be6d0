/* Shutdown (floor: exec): see shutdown.h.
 *
 * The dock is closed and no root populates a region by births: so nothing runs on the workers, nothing waits for them, and all donors
 * are suspended for good, in a pool or as members of some root. First the monitor goes, which reads of whoever runs; then the workers,
 * each by whoever is docked there; then the spares, one of which may have carried a worker in its place; then the donors, which nothing
 * leads to any more. Other roots' own pools are theirs: they may be giving them back at this moment (root.c). */
#include "exec/top/shutdown.h"

#include "base/carrier.h"
#include "exec/flat/dock.h"
#include "exec/flat/layout.h"
#include "exec/ground/above.h"
#include "exec/kernel/kernel_team.h"
#include "exec/nested/birth.h"
#include "exec/pool/workers.h"
#include "exec/relief/spare.h"
#include "exec/thread/donor.h"
#include "exec/thread/donor_pool.h"
#include "exec/thread/wake.h"
#include "exec/watch/monitor.h"

static struct fg_identity *
members_of_all_roots(struct fg_identity *list)
{
	for (struct fg_worker *worker = fg_load_acquire(&fg_all_workers); worker; worker = worker->all_next)
		if (worker->home->root)
			list = fg_layout_dissolve(worker->home->root, list);
	return list;
}

bool
fg_shutdown(struct fg_identity *self)
{
	if (fg_carrier != &fg_carrier_live)
		return true; /* contexts of one kernel thread */
	/* In a target region, which seems to be outside of all others. */
	if (self && (!self->root || self->root->kernel_births))
		return false;
	if (!fg_dock_close())
		return false;
	if (!fg_births_shut()) {
		fg_dock_open();
		return false;
	}
	fg_monitor_end();
	fg_dock_end_workers();
	struct fg_identity *list = fg_spare_end_all(NULL);
	fg_workers_clear();
	fg_store_relaxed(&fg_donors_wanted, 0);
	fg_kernel_team_end_idle(self ? self->root : NULL);
	if (self) {
		fg_identity_return(self->worker);
		fg_exec_above.forget(self);
	}
	fg_identity_end(members_of_all_roots(list));
	fg_identity_end(fg_identity_common_take_all());
	fg_monitor_allow();
	fg_births_open();
	fg_dock_open();
	return true;
}
