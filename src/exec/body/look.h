/* Looks at the place and the seat of a worker that are one load in most cases (floor: exec; called by dock.c, crews.c,
 * forks.c, birth.c, idle.c, loop.c, search.c and the monitor). binding.h and seat.h have the rules. */
#pragma once
#include "exec/body/binding.h"
#include "exec/body/seat.h"
#include "exec/thread/all_workers.h"
#include "exec/thread/worker_parts.h"
#include "exec/thread/worker_state.h"

/* The worker takes this thread to switch to it. */
static inline void
fg_worker_bind(struct fg_worker *worker, const struct fg_identity *next)
{
	if (__builtin_expect(worker->place != next->place, 0))
		fg_binding_change(worker, next->place);
}

/* Where the owner switches, waits or passes a barrier: its worker may have been given another leaf. */
static inline bool
fg_seat_changes(const struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->notice) & FG_NOTICE_MOVE;
}
static inline void
fg_seat_look(struct fg_worker *worker)
{
	if (__builtin_expect(fg_seat_changes(worker), 0))
		fg_seat_change(worker);
}

/* A root begins a flat region, and what it knew of its seat may be out of date. */
static inline bool
fg_seat_is_due(struct fg_worker *worker)
{
	const struct fg_bound *bound = &fg_parts(worker)->bound;
	return bound->seat != fg_worker_leaf(worker) || fg_load_relaxed(&bound->loosened) ||
	       bound->returns != fg_load_relaxed(&fg_all_workers.returns);
}
