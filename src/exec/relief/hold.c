/* Holding a thread (floor: exec).
 *
 * T is the thread that a worker carries. Its word `away` has four states (enum fg_away), and only this file changes it:
 *
 *     HERE, WAS_HELD -> HELD    fg_hold_begin, fg_hold_outside: the holder
 *     HELD -> WAS_HELD          fg_hold_end: the holder
 *     HELD -> TAKEN             fg_hold_take: the holder gives T's worker to a spare
 *     TAKEN -> HERE             fg_hold_give_back: T has its worker again, or becomes ready as another thread does
 *     WAS_HELD -> HERE          fg_hold_none: T
 *
 * The holder is the thread that holds T. It and T's entry into the runtime use Dekker's protocol, with the fence on one
 * side only:
 *
 *     T:      store in_runtime = 1; load away, in program order
 *     holder: change away to HELD; fence in all threads of the process (fg_fence_all_threads); load in_runtime
 *
 * Either the holder sees in_runtime and gives up, or T's next entry sees away. There may be several holders, so the
 * change is a compare-and-swap. T waits while it reads HELD. Meanwhile the holder owns all that only T's worker may
 * touch.
 *
 * Order of memory. T may have been inside the runtime when the fence hit it, and may have left since. As it leaves, T
 * stores in_runtime = 0 with release. The holder loads this 0, and so acquires what T wrote inside. T acquires the
 * holder's changes with the WAS_HELD that the holder leaves (release), at its next entry. While away is TAKEN, T writes
 * only what any thread may write: the worker's inbox or a runqueue, or the claim on the worker (spare.c). The thread
 * that makes it HERE again does so with release, and T acquires it. */
#include "exec/relief/hold.h"

#include "base/carrier.h"
#include "exec/donor/donor_pool.h"
#include "exec/thread/worker.h"
#include "platform/membarrier.h"
#include "platform/sanitizer.h"

FG_READS_HINTS static bool
outside(const struct fg_identity *thread)
{
	return !fg_own_load_relaxed(&thread->in_runtime);
}

static struct fg_identity *
hold(struct fg_worker *worker, bool in_region)
{
	struct fg_identity *thread = fg_load_relaxed(&worker->current);
	uint32_t away = fg_load_relaxed(&thread->away);
	/* The compare-and-swap acquires the writes that others have released by this word, and releases them again. T
	 * may read this value instead of theirs. */
	if (away == FG_HELD || away == FG_TAKEN || !fg_cas_acq_rel(&thread->away, &away, FG_HELD))
		return NULL;
	fg_fence_all_threads();
	bool stays = outside(thread);
	/* Another worker may have resumed the thread meanwhile. Then it was not `current` here when it left the runtime
	 * again. Or it is a root whose region has ended. */
	fg_fence_acquire();
	fg_tsan_acquire(thread);
	if (stays && fg_load_relaxed(&worker->current) == thread && worker->carries == in_region)
		return thread;
	fg_hold_end(thread);
	return NULL;
}

/* A thread that is held does not end. */
struct fg_identity *
fg_hold_begin(struct fg_worker *worker)
{
	assert(fg_lock_order_none("holds a thread with") && !fg_worker_is_own(worker));
	fg_identities_read();
	struct fg_identity *thread = hold(worker, true);
	fg_identities_read_end();
	return thread;
}

/* The spawner alone calls this. While it runs no donor ends, so `current` stays. */
struct fg_identity *
fg_hold_outside(struct fg_worker *worker)
{
	return hold(worker, false);
}

void
fg_hold_end(struct fg_identity *thread)
{
	assert(fg_load_relaxed(&thread->away) == FG_HELD);
	fg_store_release(&thread->away, FG_WAS_HELD);
	fg_carrier->wake(&thread->away, 1);
}

void
fg_hold_take(struct fg_identity *thread)
{
	assert(fg_load_relaxed(&thread->away) == FG_HELD);
	fg_store_release(&thread->away, FG_TAKEN);
	fg_carrier->wake(&thread->away, 1);
}

void
fg_hold_give_back(struct fg_identity *thread)
{
	assert(fg_load_relaxed(&thread->away) == FG_TAKEN);
	fg_store_release(&thread->away, FG_HERE);
}

void
fg_hold_after_fork(struct fg_identity *self)
{
	fg_store_relaxed(&self->away, FG_HERE);
}

bool
fg_hold_none(struct fg_identity *self)
{
	assert(self == fg_self() && fg_load_stable(&self->in_runtime));
	uint32_t away = fg_load_acquire(&self->away);
	/* A holder may change the HERE from now on. But it sees in_runtime and lets go. */
	if (away == FG_WAS_HELD && fg_cas_relaxed(&self->away, &away, FG_HERE))
		return true;
	return away == FG_HERE;
}

FG_READS_HINTS bool
fg_hold_roots_rest(void)
{
	bool more = false;
	FG_EACH_WORKER (worker) {
		if (!worker->home->root || worker->donors.count <= FG_DONORS_AT_REST)
			continue;
		struct fg_identity *root = worker->carries ? NULL : fg_hold_outside(worker);
		if (root) {
			assert(root == worker->home && root->root && !worker->carries);
			fg_donor_pool_rest(worker);
			fg_hold_end(root);
		} else {
			more = true;
		}
	}
	return more;
}
