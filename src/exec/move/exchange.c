/* Exchange (floor: exec): see exchange.h.
 *
 * The seats of a team change under the lock of the pool only, once its region has been forked. So they stay a
 * permutation of the layout's PUs, however many threads exchange seats. `leaf` follows: the worker itself sits at its
 * seat, once it acquires `notice`, which is released after the seat. If it has taken `notice` of an earlier exchange
 * meanwhile, it sits at the later seat twice.
 *
 * Until both have done so, two workers may have one leaf, and nobody looks at the other. That ends: one that waits
 * looks at `notice` now and then, and one that is about to sleep looks at it after the fence of its sleep
 * (loop/idle.c). The exchange wakes sleepers after it has stored `notice`. One that computes gets a tick, by the
 * monitor (fg_monitor_waits) or from the caller. Wakers look at seats, not at leaves (thread/wake.c).
 *
 * A worker may see the fork of its region only after an exchange in this region. Then its crew is made for
 * the later seat, and it sits there twice. The range is stored with the seat, so it belongs to the same layout. */
#include "exec/move/exchange.h"

#include "exec/pool/hiring.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker.h"

static bool
is_below(const struct fg_worker *worker, const struct fg_runqueue *level)
{
	const struct fg_runqueue *seat = fg_load_relaxed(&worker->seat);
	return seat->first_pu - level->first_pu < level->n_pus;
}

static void
move_locked(struct fg_worker *worker, struct fg_runqueue *seat, struct fg_runqueue *range)
{
	fg_store_relaxed(&worker->seat, seat);
	fg_store_relaxed(&worker->seat_range, range);
	fg_or_acq_rel(&worker->notice, FG_NOTICE_MOVE);
}

static void
exchange_locked(struct fg_dock *dock, unsigned a, unsigned b)
{
	struct fg_worker *first = fg_slot(dock->slot, a), *second = fg_slot(dock->slot, b);
	struct fg_runqueue *seat = fg_load_relaxed(&first->seat), *range = fg_load_relaxed(&first->seat_range);
	uint16_t pu = dock->pu[a];
	assert(fg_spinlock_held(&fg_hiring.lock) && a != b && a > 0 && b > 0 && first != second);
	assert(seat->first_pu == pu);
	move_locked(first, fg_load_relaxed(&second->seat), fg_load_relaxed(&second->seat_range));
	move_locked(second, seat, range);
	dock->pu[a] = dock->pu[b];
	dock->pu[b] = pu;
	assert(fg_hiring_valid_locked());
}

static struct fg_worker *
exchange_with_locked(struct fg_worker *worker, const struct fg_berth *berth, const struct fg_runqueue *level)
{
	struct fg_dock *dock = berth->dock;
	if (dock == &fg_hiring.nowhere || berth->slot == 0 || berth->slot >= dock->held ||
	    !fg_load_relaxed(&dock->owner))
		return NULL;
	for (unsigned i = 1; i < dock->held; i++)
		if (i != berth->slot && is_below(fg_slot(dock->slot, i), level)) {
			exchange_locked(dock, berth->slot, i);
			return fg_slot(dock->slot, i);
		}
	return NULL;
}

struct fg_worker *
fg_exchange_seats(struct fg_worker *worker, const struct fg_runqueue *level)
{
	fg_spinlock_lock(&fg_hiring.lock);
	const struct fg_berth *berth = fg_load_relaxed(&worker->post);
	struct fg_worker *other = NULL;
	if (berth)
		other = is_below(worker, level) ? worker : exchange_with_locked(worker, berth, level);
	fg_spinlock_unlock(&fg_hiring.lock);
	if (other && other != worker) {
		fg_wake_worker(worker);
		fg_wake_worker(other);
	}
	return other;
}
