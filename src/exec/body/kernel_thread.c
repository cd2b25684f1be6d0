/* Kernel thread (floor: exec): see kernel_thread.h. */
#define _GNU_SOURCE
#include "exec/body/kernel_thread.h"

#include "base/carrier.h"
#include "exec/body/glibc.h"
#include "exec/body/mask.h"
#include "exec/body/stack_overflow.h"
#include "exec/ground/above.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/pthread.h"
#include "platform/thread.h"

bool
fg_kernel_thread_start(void (*start)(void *worker), struct fg_worker *worker)
{
	fg_exec_above.made(NULL);
	return fg_carrier->start(start, worker, "fg-worker") == 0;
}

void
fg_kernel_thread_begin(struct fg_worker *worker)
{
	struct fg_identity *self = worker->home;
	assert(self->kind == FG_HOME && self->worker == worker && fg_load_stable(&self->in_runtime));
	fg_self_pointer = self;
	if (fg_watched())
		fg_watch(self, false);
	self->context.tls = fg_context_tls();
	fg_kernel_thread_enlist(worker);
	fg_mask_learn(worker);
	fg_identity_stands_here(self);
	fg_glibc_member(self);
	fg_stack_overflow_kernel_thread();
	self->at_home = true;
}

void
fg_kernel_thread_enlist(struct fg_worker *worker)
{
	worker->tid = worker->home->tid = fg_thread_id();
}

void
fg_kernel_thread_end_home(struct fg_identity *self, struct fg_worker *worker, void (*callback)(void *), void *arg)
{
	struct fg_identity *home = worker->home;
	assert(self == fg_self() && !home->root);
	home->worker = worker; /* it may have been a member elsewhere last (flat/anchor.h) */
	if (self != home) {
		fg_context_make(&home->context, fg_parts(worker)->hire.home_top, home->context.tls,
				fg_kernel_thread_exit);
		fg_context_switch(&self->context, &home->context, callback, arg);
	}
	if (callback)
		callback(arg);
	fg_kernel_thread_exit();
}

static void
over_callback(void *worker)
{
	struct fg_atomic_u32 *over = &fg_parts(worker)->hire.over;
	fg_store_release(over, 1);
	fg_carrier->wake(over, 1);
}

/* The caller, docked on its worker, is the last that this carries. A spare's kernel thread goes back to be one that is
 * idle, and so has the worker's own been since it was relieved. */
void
fg_kernel_thread_end_worker(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	struct fg_identity *base = fg_load_relaxed(&worker->spare);
	assert(fg_worker_valid(worker));
	fg_worker_become(worker, FG_WORKER_OUTSIDE);
	fg_store_relaxed(&worker->current, worker->home);
	if (base) {
		fg_store_relaxed(&worker->spare, NULL);
		fg_context_switch(&self->context, &base->context, over_callback, worker);
	}
	fg_kernel_thread_end_home(self, worker, over_callback, worker);
}

static const char
	ended; /* orders a pthread's end before what follows, for the race detector: the kernel makes that order */

void
fg_kernel_thread_exit(void)
{
	if (fg_watched())
		fg_watch(fg_self(), true);
	fg_exec_above.last();
	fg_glibc_end();
	fg_stack_overflow_kernel_thread_end();
	if (fg_self())
		fg_live_leave(&fg_self()->live);
	fg_self_pointer = NULL;
	fg_tsan_release(&ended);
	fg_pthread_exit();
}

#define GONE_STEP_NS 20000

bool
fg_kernel_thread_gone(int tid, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++) {
		if (fg_thread_signal(tid, 0) != 0) {
			fg_tsan_acquire(&ended);
			return true;
		}
		fg_thread_sleep(GONE_STEP_NS);
	}
	return false;
}
