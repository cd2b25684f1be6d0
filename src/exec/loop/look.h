/* Looks at the caller's worker that are one load in most cases (floor: exec; called by park.c, dock.c and birth.c, and
 * by the floor team: region.c, wait.c and plain.c). The caller is inside, without a lock, in no signal handler. Both
 * may return on another kernel thread. */
#pragma once
#include "exec/loop/loop.h"
#include "exec/thread/worker_state.h"

/* True: the worker has a free donor, or a thread that no other worker takes. False: the system refuses another donor.
 * Then the caller gives way, and asks again. */
static inline bool
fg_worker_can_leave(struct fg_identity *self)
{
	assert(self == fg_self() && fg_load_stable(&self->in_runtime));
	return __builtin_expect(self->worker->donors.first != NULL, 1) || fg_worker_can_leave_slow(self);
}
/* The caller goes on without a search: to the next member of its own regions, or after them. It looks at the notice of
 * its worker, and gives way if its slice is over. It may be on another worker then. */
static inline void
fg_worker_look(struct fg_identity *self)
{
	if (__builtin_expect(fg_load_relaxed(&self->worker->notice) != 0, 0))
		fg_worker_look_slow(self);
}
