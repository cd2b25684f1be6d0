/* Board (floor: exec): see board.h, and grant/ride.c for the protocol. */
#include "exec/relief/board.h"

#include "exec/body/alternate.h"
#include "exec/body/glibc.h"
#include "exec/body/mask.h"
#include "exec/body/seat.h"
#include "exec/grant/ride.h"
#include "exec/relief/spare.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"

struct boarding {
	struct fg_worker *worker, *head;
};

/* The worker's thread is saved. From the push on, the worker belongs to the owner of the ride. */
static void
queue_callback(void *arg)
{
	struct boarding boarding = *(struct boarding *)arg;
	fg_store_relaxed(&boarding.worker->head, boarding.head);
	fg_ride_queue(boarding.head, boarding.worker);
	fg_ride_tell(boarding.head);
}

static bool
may_board(const struct fg_worker *worker)
{
	return worker->slot != 0 && worker->carries && !fg_worker_rides(worker);
}

void
fg_board(struct fg_identity *self, struct fg_worker *head)
{
	struct fg_worker *worker = self->worker;
	struct boarding boarding = {worker, head};
	struct fg_identity *base = may_board(worker) ? fg_spare_base(worker) : NULL;
	if (!base)
		return;
	/* Dekker, with fg_grant_end. */
	fg_add_acq_rel(&fg_rides.count, 1);
	fg_fence_seq_cst();
	if (fg_load_relaxed(&fg_rides.closed)) {
		fg_sub_acq_rel(&fg_rides.count, 1);
		return;
	}
	if (self->at_home)
		fg_glibc_leave_home(self);
	assert(self == fg_self() && head != worker && fg_worker_valid(worker) && !fg_load_stable(&worker->asleep));
	assert(base != self && fg_load_stable(&base->in_runtime) && !fg_load_stable(&fg_parts(worker)->relief.claimed));
	base->worker = worker;
	if (self->signals.follows & FG_MASK_FRAME)
		fg_alternate_part(self);
	else
		fg_mask_part(self);
	if (__builtin_expect(fg_clock_on, 0))
		fg_clock_out(self);
	fg_parts(worker)->statistics.rides++;
	fg_seat_forget(worker);
	fg_store_relaxed(&worker->spare, NULL);
	assert(fg_lock_order_switch());
	fg_context_switch(&self->context, &base->context, queue_callback, &boarding);
}
