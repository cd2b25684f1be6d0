/* The loop of a worker, as threads see it: they leave, yield and wait, and they are made ready (floor: exec; called by
 * dock.c, forks.c, help.c, lend.c, birth.c, loosen.c, park.c, spare.c and preempt.c, by libc/yield.c,
 * team/share/await.h and sim).
 *
 * The caller is the thread that its worker carries, inside the runtime. It holds no lock but one that it has passed on
 * (park.c). fg_worker_preempt runs in the handler of a tick, and fg_worker_must_leave may. The latter and
 * fg_worker_yield may run in a handler of the program, too (libc/yield.c). A call that suspends may return on another
 * worker, or on another kernel thread. loop.c writes the worker's turns and its docked thread. */
#pragma once
#include "exec/loop/idle.h"
#include "exec/loop/work.h"

struct fg_worker;

/* Suspends the caller. Its worker goes on with the next thing. callback(arg) runs once the caller is saved. It
 * publishes the caller to the thread that will make it ready again. The caller must have been told just before that it
 * can leave (look.h). */
void fg_worker_leave(struct fg_identity *self, void (*callback)(void *), void *arg);
/* The same for a caller that may have been told no. `locked`: the callback lets go of a lock of the parking lot. So the
 * search must not unpark a thread. False: there is no thread to switch to, and the caller makes way.
 * A caller that gives way to a ready thread stays ready. So two of them would go to and fro for ever, and none would
 * see that the worker starves. A thread that waits for others must try this first. */
bool fg_worker_try_leave(struct fg_identity *self, bool locked, void (*callback)(void *), void *arg);
/* For look.h: what its functions of these names do where one load is not enough. */
bool fg_worker_can_leave_slow(struct fg_identity *self);
void fg_worker_look_slow(struct fg_identity *self);
/* Lets other threads go first, because the caller cannot leave now. Where there are none it sleeps for a moment. */
void fg_worker_give_way(struct fg_identity *self);
/* Returns when the caller can leave. It may be on another worker then. */
void fg_worker_prepare_to_leave(struct fg_identity *self);
/* The caller waits on its own stack until ready(worker): it spins, then sleeps. While the worker has something else to
 * run, the caller is suspended. ready() only looks: any thread of the worker may ask it, even with a lock held. */
void fg_worker_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *worker));
/* As fg_worker_has_work. Other workers of the kernel thread count too. The docked thread counts too if its wait is
 * over, and so do threads that could run a task (helpers.h). Only the owner asks. */
bool fg_worker_others_wait(struct fg_worker *worker);
/* Others wait for the caller's PU, or a policy has sent the caller to another. */
bool fg_worker_must_leave(struct fg_identity *self);
/* Lets others go first. The caller stays ready. */
void fg_worker_yield(struct fg_identity *self);
/* The program yields. True: others of the worker go first, so the kernel need not be asked. */
bool fg_worker_yields_here(struct fg_identity *self);
/* Then it does so. The program may hold a lock of its allocator. pthread_create would wait for it, and its holder is
 * the caller. So the caller makes no donor: the spawner is asked for one, and false tells to ask the kernel. Where
 * no monitor runs, and so no spawner, the caller makes it all the same. */
bool fg_worker_yields(struct fg_identity *self);
/* As fg_worker_yield, from the signal handler. Does nothing where it would need a donor and there is none. */
void fg_worker_preempt(struct fg_identity *self);
/* The loop of a free donor. It never returns. */
void fg_worker_carry(void);
