/* Valid: the invariants of the pool, as a function for asserts (floor: exec; see hiring.h, and berths.c for the rules).
 * Builds without assert have none of this. The caller holds the lock, and nothing is changed. */
#ifndef NDEBUG
#include <assert.h>

#include "exec/ground/options.h"
#include "exec/pool/berths.h"
#include "exec/pool/hiring.h"
#include "exec/thread/worker_parts.h"
#include "exec/thread/worker_state.h"

/* The posts of a dock, and its PUs. taken: by PU, other layouts have it. */
static bool
dock_valid_locked(const struct fg_dock *dock, bool *taken)
{
	assert(dock->slot && dock->held <= fg_exec_options.n_pus);
	for (unsigned i = 0; i < fg_exec_options.n_pus; i++) {
		const struct fg_worker *worker = fg_slot(dock->slot, i);
		assert(dock->berth[i].dock == dock && dock->berth[i].slot == i);
		assert(!worker || fg_load_stable(&worker->post) == &dock->berth[i]);
		assert(worker || i >= dock->held);
		assert(i >= dock->held || !taken[dock->pu[i]]);
		if (i < dock->held)
			taken[dock->pu[i]] = true;
	}
	return true;
}

bool
fg_hiring_valid_locked(void)
{
	bool taken[256] = {0}; /* larger machines are not looked at, because the frame must be small */
	unsigned roots = 0, held = 0;
	assert(fg_spinlock_held(&fg_hiring.lock));
	assert(!fg_workers.all || fg_workers.n <= fg_exec_options.n_pus);
	if (fg_exec_options.n_pus > sizeof taken)
		return true;
	for (const struct fg_dock *dock = fg_hiring.docks; dock; dock = dock->next, roots++) {
		assert(dock_valid_locked(dock, taken));
		held += dock->held;
	}
	assert(roots == fg_hiring.roots && held == fg_berths_held());
	assert(!fg_hiring.nowhere.slot ||
	       (fg_hiring.nowhere.held == 0 && dock_valid_locked(&fg_hiring.nowhere, taken)));
	for (unsigned i = 1; i < fg_workers.n; i++) {
		const struct fg_berth *post = fg_load_stable(&fg_workers.all[i]->post);
		assert(fg_parts(fg_workers.all[i])->hire.number == i &&
		       fg_slot(post->dock->slot, post->slot) == fg_workers.all[i]);
	}
	return true;
}
#endif
