/* Switch: a worker goes from one thread to another (floor: exec; called by loop.c, dock.c, birth.c and spare.c).
 *
 * The kernel thread stays, and what the kernel keeps for it follows the threads: the signal mask and the alternate
 * stack (mask.h), and the C library's view of its home (glibc.h).
 *
 * The caller is the thread that its worker carries, inside, perhaps in the preemption handler. `next` is saved, and the
 * caller alone can reach it (fg_worker_switch_valid). The caller holds no lock but one that it passes on to the
 * callback (fg_spinlock_pass). */
#pragma once
#include "exec/body/glibc.h"
#include "exec/body/mask.h"
#include "exec/thread/clock.h"
#include "exec/thread/worker.h"

/* Switches to `next` on the caller's worker. callback: see fg_context_switch. */
static inline void
fg_worker_switch(struct fg_identity *self, struct fg_identity *next, void (*callback)(void *), void *arg)
{
	struct fg_worker *worker = self->worker;
	assert(fg_lock_order_switch() && fg_worker_switch_valid(self, next));
	if (__builtin_expect(self->at_home, 0))
		fg_glibc_leave_home(self);
	if (__builtin_expect(self->signals.follows | next->signals.follows, 0))
		fg_mask_switch(self, next, worker);
	next->worker = worker;
	fg_store_relaxed(&worker->current, next);
	fg_store_relaxed(&worker->progress, fg_load_relaxed(&worker->progress) + 1);
	if (__builtin_expect(fg_recording.any, 0) && (fg_recording.trace || self->thread.sums || next->thread.sums))
		fg_worker_trace_switch(self, next);
	fg_clock_switch(self, next);
	fg_context_switch(&self->context, &next->context, callback, arg);
}
