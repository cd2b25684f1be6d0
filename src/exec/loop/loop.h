/* The loop of a worker, as its threads see it: they leave, yield, wait, and are made ready (floor: exec; called by all
 * that suspend a thread). */
#pragma once
#include "exec/loop/idle.h"
#include "exec/loop/work.h"
#include "exec/thread/binding.h"
#include "exec/thread/worker.h"

/* Suspends the caller: its worker goes on with the next thing. callback(arg) runs once the caller is saved: it
 * publishes the caller to whoever is to make it ready again. The caller has just been told that it can leave. */
void fg_worker_leave(struct fg_identity *self, void (*callback)(void *), void *arg);
/* The caller's worker has a free donor, or a thread that nobody else takes. The system may refuse another donor: then
 * the caller makes way for others, for a moment at least, and asks again. */
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
/* Makes a suspended thread ready to run, on its own worker if it is pinned, else near the caller. */
void fg_worker_ready(struct fg_identity *thread);
/* A waiting thread that stays on its own stack (docked, or a parent in its join) until ready(worker): it spins, then
 * sleeps; while the worker has something else to run it is suspended. ready() only looks: any thread of the worker may
 * ask it, with a lock held. */
void fg_worker_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *worker));
/* Takes the oldest ready thread pinned here that may go to another worker: one that was lent to this one, or (own) one
 * of its crew. */
struct fg_identity *fg_worker_inbox_lend(struct fg_worker *worker, bool own);
/* The same, the docked thread included if its wait is over, and members of the crew that tasks wait for. */
bool fg_worker_others_wait(struct fg_worker *worker);
/* Lets others go first, the caller stays ready. */
void fg_worker_yield(struct fg_identity *self);
/* The same from the signal handler: does nothing where it would need a donor and there is none. */
void fg_worker_preempt(struct fg_identity *self);
/* What a free donor does for ever. */
void fg_worker_carry(void);
