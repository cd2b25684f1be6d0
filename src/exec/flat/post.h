/* Post: the slot of a dock where a worker waits for forks (floor: exec; used by dock.c, forks.c and anchor.c). The
 * worker's own thread asks, inside, perhaps with a lock held or in the preemption handler: it writes only `flat` and
 * `slot` of its worker. pool/berths.c is the mover.
 *
 * Posts. A worker is posted to a slot of a dock by another thread, at any time while the worker's old and new docks
 * have no region in flight. The mover
 *
 *     owns both docks; sets the new dock's epoch to no workers; stores the worker's post, with release
 *
 * The worker waits on the epoch of the post that it has taken up last. It takes part in a fork only if it reads the
 * same epoch before and after it has found its post unchanged. Claim: then it has this slot in this fork. Let the fork
 * F have stored the epoch that it read.
 *
 * - If it was posted to another slot before F and not back before F: F's owner has acquired that post. So the worker,
 *   which has acquired F's epoch, sees that post or a later one. It takes that for a change, unless it sees a later
 *   post M to the same slot.
 * - If it was posted there (M) after F: the mover had set the epoch to no workers before. The second read of the epoch
 *   follows the acquire of M. So it does not return F's.
 *
 * Otherwise its last post before F is this slot. F's region cannot end without the worker, so the worker keeps the post
 * until it has published its last phase. A worker has no other fork to miss meanwhile: a fork of the new dock stays in
 * the epoch until the worker has taken part. */
#pragma once
#include "exec/thread/root_state.h"
#include "exec/thread/worker.h"

#define SLOTS_MAX 0xffffu

static inline bool
fg_post_is_elsewhere(struct fg_worker *worker)
{
	return __builtin_expect(fg_load_acquire(&worker->post) != worker->flat.post, 0);
}

static inline void
fg_post_take_up(struct fg_worker *worker)
{
	assert(fg_worker_is_own(worker));
	struct fg_berth *post = fg_load_acquire(&worker->post);
	worker->flat.post = post;
	worker->flat.dock = post->dock;
	worker->flat.epoch = 0;
	worker->slot = post->slot;
}

/* The worker takes part in a fork that it has not seen yet. */
static inline bool
fg_post_forked(struct fg_worker *worker)
{
	for (;; fg_post_take_up(worker)) {
		struct fg_dock *dock = worker->flat.dock;
		uint64_t epoch = fg_load_acquire(&dock->fork.epoch);
		bool called = epoch != worker->flat.epoch && worker->slot < (epoch & SLOTS_MAX);
		if (fg_post_is_elsewhere(worker))
			continue;
		assert(worker->flat.post->dock == dock && worker->flat.post->slot == worker->slot);
		return called && fg_load_acquire(&dock->fork.epoch) == epoch;
	}
}

/* The worker takes no part, and it has been given another seat meanwhile. */
static inline bool
fg_post_left_out(struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->seat) != fg_worker_leaf(worker) &&
	       worker->slot >= (fg_load_acquire(&worker->flat.dock->fork.epoch) & SLOTS_MAX);
}
