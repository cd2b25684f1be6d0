/* The loop of a worker, as threads see it: they leave, yield and wait, and they are made ready (floor: exec; called by
 * all that suspend a thread). */
#pragma once
#include "exec/loop/idle.h"
#include "exec/loop/work.h"
#include "exec/thread/binding.h"
#include "exec/thread/worker.h"

/* Suspends the caller. Its worker goes on with the next thing. callback(arg) runs once the caller is saved. It
 * publishes the caller to the thread that will make it ready again. The caller must have been told just before that it
 * can leave. */
void fg_worker_leave(struct fg_identity *self, void (*callback)(void *), void *arg);
/* The caller's worker has a free donor, or a thread that no other worker takes. The system may refuse another donor.
 * Then the caller makes way for others, for a moment at least, and asks again. */
bool fg_worker_can_leave_slow(struct fg_identity *self);
static inline bool
fg_worker_can_leave(struct fg_identity *self)
{
	return __builtin_expect(self->worker->donors.first != NULL, 1) || fg_worker_can_leave_slow(self);
}
void fg_worker_make_way(struct fg_identity *self);
static inline void
fg_worker_prepare_to_leave(struct fg_identity *self)
{
	while (!fg_worker_can_leave(self))
		fg_worker_make_way(self);
}
/* The caller waits on its own stack until ready(worker): it spins, then sleeps. While the worker has something else to
 * run, the caller is suspended. ready() only looks: any thread of the worker may ask it, even with a lock held. */
void fg_worker_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *worker));
/* Takes the oldest ready thread pinned here that may go to another worker. This is a thread that was lent to this
 * worker, or (own) a donor of its crew. */
struct fg_identity *fg_worker_inbox_lend(struct fg_worker *worker, bool own);
/* As fg_worker_has_work. The docked thread counts too if its wait is over, and so do members of the crew that must run
 * tasks. */
bool fg_worker_others_wait(struct fg_worker *worker);
/* Lets others go first. The caller stays ready. */
void fg_worker_yield(struct fg_identity *self);
/* The same from the signal handler. Does nothing where it would need a donor and there is none. */
void fg_worker_preempt(struct fg_identity *self);
/* The loop of a free donor. It never returns. */
void fg_worker_carry(void);
