/* Hold: another thread acts for the worker of a thread that computes in the program (floor: exec; called by lend.c,
 * preempt.c, spare.c, spawner.c and process_fork.c). hold.c has the states of a thread's word `away`, and the proof.
 * Only these functions change it. A holder acts for another worker: it is inside, or has no identity, and holds no
 * lock. Only fg_hold_none runs in the preemption handler. */
#pragma once
#include "exec/thread/identity.h"

/* Returns the thread that the worker carries, if it is in the program's code. If it enters the runtime meanwhile, it
 * waits. Until fg_hold_end the caller owns all that is the worker's. NULL: the thread is inside the runtime, or
 * held already. A call costs every PU some microseconds. The holder is a worker that asks for a member, the monitor or
 * the spawner, and holds no lock. It soon lets go, and must not switch, park or wait, because the thread waits for
 * it. */
struct fg_identity *fg_hold_begin(struct fg_worker *worker);
/* The same for the worker of a thread of the program that is outside of its regions. */
struct fg_identity *fg_hold_outside(struct fg_worker *worker);
void fg_hold_end(struct fg_identity *thread);
/* Gives the free donors of threads of the program that are outside of regions to the common pool. True: the next call
 * may find more. A root that is held waits as it enters the runtime, so the caller, the spawner, neither waits nor
 * takes locks of the C library meanwhile. */
bool fg_hold_roots_rest(void);
/* Instead of fg_hold_end: a spare has the thread's worker from now on. */
void fg_hold_take(struct fg_identity *thread);
/* After fg_hold_take: the thread has its worker again, or any worker may run it. Does not wake it. Called by the spare
 * that had the worker, or by the context to which the thread has just switched. */
void fg_hold_give_back(struct fg_identity *thread);
/* In the child of a fork no other thread acts for the caller. */
void fg_hold_after_fork(struct fg_identity *self);
/* The preemption handler asks, and the thread as it comes back into the runtime: no other thread holds the caller, or
 * has taken its worker. */
bool fg_hold_none(struct fg_identity *self);
