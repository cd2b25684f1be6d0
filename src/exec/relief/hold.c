/* Holding a thread (floor: exec; design D6).
 *
 * T's word `away`: 0 here; 1 held; 2 taken; 3 was held. To hold T and T's way into the runtime are Dekker's protocol
 * with the fence on one side only: T stores in_runtime, then loads away (in program order); the holder makes away 1
 * (from 0 or 3, by compare-and-swap: there may be several), makes all threads of the process pass a full fence
 * (fg_fence_all_threads), then loads in_runtime. Either the holder sees in_runtime and gives up, or T's next entry sees
 * away. T waits while it reads 1: meanwhile all that only T's worker may touch is the holder's. T may have passed its
 * fence inside the runtime and left since: what it wrote there the holder acquires with the 0 that T left by (release).
 * What the holder changed T acquires with the 3 that it leaves (release), at its next entry. From 2 on T touches the
 * worker only by its lists, until away is 0 again (release, acquired by T). */
#include "exec/relief/hold.h"

#include "base/carrier.h"
#include "platform/membarrier.h"
#include "platform/sanitizer.h"

FG_READS_HINTS static bool
outside(const struct fg_identity *thread)
{
	return !fg_own_load_relaxed(&thread->in_runtime);
}

struct fg_identity *
fg_spare_hold(struct fg_worker *worker)
{
	struct fg_identity *thread = fg_load_relaxed(&worker->current);
	uint32_t away = fg_load_relaxed(&thread->away);
	/* Acquires and passes on what others released here: the thread may read this instead. */
	if (away == FG_HELD || away == FG_TAKEN || !fg_cas_acq_rel(&thread->away, &away, FG_HELD))
		return NULL;
	fg_fence_all_threads();
	bool stays = outside(thread);
	/* Somebody else may have resumed it meanwhile, and then it was not `current` here when it left the runtime
	 * again; or it is a root whose region ended. */
	fg_fence_acquire();
	fg_tsan_acquire(thread);
	if (stays && fg_load_relaxed(&worker->current) == thread && worker->carries)
		return thread;
	fg_spare_let_go(thread);
	return NULL;
}

void
fg_spare_let_go(struct fg_identity *thread)
{
	assert(fg_load_relaxed(&thread->away) == FG_HELD);
	fg_store_release(&thread->away, FG_WAS_HELD);
	fg_carrier->wake(&thread->away, 1);
}

bool
fg_spare_here(struct fg_identity *self)
{
	uint32_t away = fg_load_acquire(&self->away);
	/* Nobody else changes a 0, and who holds it now sees in_runtime and lets go. */
	if (away == FG_WAS_HELD && fg_cas_relaxed(&self->away, &away, FG_HERE))
		return true;
	return away == FG_HERE;
}
