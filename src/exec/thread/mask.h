/* Mask: the signals that a member has blocked, and how they follow it from one kernel thread to the next (floor: exec;
 * called by worker.h at switches, by preempt.c, spare.c, and by the ABI's wrappers of pthread_sigmask).
 *
 * The kernel keeps the mask for a kernel thread. A member runs with the mask of its worker (worker->mask: of the thread
 * of the program, or as it was when the worker started), unless it has set one of its own. So for every running thread
 * T on a kernel thread K:
 *
 *     mask of K == T has FG_MASK_FRAME ? all signals : T has FG_MASK_OWN ? T->mask : T->worker->mask
 *
 * but within signal handlers and calls of the C library that block signals for a moment: there T is not preempted.
 * FG_MASK_FRAME: T is inside the handler that preempts, or suspended there. All signals stay blocked from the handler's
 * begin to its return, which sets the mask in one step with T's registers. So no handler of the program ever runs on
 * top of ours, and may leave it by siglongjmp. */
#pragma once
#include "exec/thread/kernel_mask.h"

struct fg_identity;
struct fg_worker;

enum { FG_MASK_OWN = 1, FG_MASK_FRAME = 2 };
/* The worker's mask is that of the calling kernel thread. */
void fg_mask_learn(struct fg_worker *worker);
/* What the thread runs with on its worker. */
uint64_t fg_mask_of(const struct fg_identity *thread);
/* The caller is about to switch to `next` on its worker, and one of them has a flag set. Its alternate stack goes with
 * its mask, here and below. */
void fg_mask_switch(struct fg_identity *self, struct fg_identity *next);
/* First thing on the next context, if the one that it comes from has FG_MASK_FRAME. */
void fg_mask_arrive(const struct fg_identity *now);
/* The caller leaves its kernel thread to itself. */
void fg_mask_part(struct fg_identity *self);
/* In the frame of the signal that interrupted the caller: what it ran with; and what it is to run with. */
uint64_t fg_mask_in_frame(const void *signal_context);
void fg_mask_put_in_frame(void *signal_context, uint64_t mask);
/* The caller, not inside the runtime, sets its mask (pthread_sigmask). 0, or an error number. May be called in a signal
 * handler. */
int fg_mask_change(int how, const sigset_t *set, sigset_t *old);
