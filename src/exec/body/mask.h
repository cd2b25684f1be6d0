/* Mask: the signals that a member has blocked, and how they follow it from one kernel thread to the next (floor:
 * exec; called by switch.h and ride.c at switches, by loop.c, preempt.c, board.c, spare.c, root.c, kernel_thread.c,
 * yield.c, and libc/signals.c for pthread_sigmask).
 *
 * The kernel keeps the mask for a kernel thread. A member runs with the mask of its worker, `mask`, unless it has
 * set one of its own. The mask of a root's worker is that of the thread of the program. The mask of any other
 * worker is the one with which it started. So for every running thread T on a kernel thread K:
 *
 *     mask of K == T has FG_MASK_FRAME ? all signals : T has FG_MASK_OWN ? T->signals.mask : T->worker->mask
 *
 * The equation does not hold within signal handlers, nor within calls of the C library that block signals for a
 * moment: there T is not preempted, until preempt.c has seen the same other mask for ADOPT_TICKS ticks. Then that mask
 * becomes T's own.
 *
 * In all of this file, "all signals" are those but FG_MASK_LIBRARY: the C library's own two, which stay open. With
 * FG_MASK_FRAME, SIGBUS stays open, too: FG_MASK_HANDLER.
 *
 * FG_MASK_OWN: T's mask is signals.mask, because it differs from its worker's.
 *
 * FG_MASK_FRAME: T is inside the handler that preempts, or suspended there. All signals stay blocked from the
 * handler's begin to its return, which sets the mask in one step with T's registers. So no handler of the program
 * ever runs on top of the runtime's handler, and none can leave it by siglongjmp.
 *
 * Only T itself writes the mask and `follows` of T->signals: here, in preempt.c and alternate.c, and when it begins. A
 * switch also writes the alternate stack of the next thread, which is saved. Only the thread that the worker carries
 * writes the worker's `mask`. The callers of switch, arrive and part are inside, and hold no lock that is not passed
 * on. A switch may come from the preemption handler, and fg_mask_change from any handler of the program. */
#pragma once
#include "platform/kernel_mask.h"

struct fg_identity;
struct fg_worker;

/* Notes the mask of the calling kernel thread as the worker's mask. */
void fg_mask_learn(struct fg_worker *worker);
/* The mask with which the thread runs on its worker. */
uint64_t fg_mask_of(const struct fg_identity *thread);
/* The caller is about to switch to `next` on this worker. One of the two has a flag set, or their workers differ. The
 * alternate stack goes with the mask, here and in fg_mask_part. */
void fg_mask_switch(struct fg_identity *self, struct fg_identity *next, const struct fg_worker *worker);
/* The first call on the next context `now`, if the context before has FG_MASK_FRAME. Sets the mask of `now`, unless
 * `now` has FG_MASK_FRAME too: then its handler's return sets it. */
void fg_mask_arrive(const struct fg_identity *now);
/* The caller is about to leave its kernel thread to a spare: notes its mask, and blocks all signals. */
void fg_mask_part(struct fg_identity *self);
/* The caller comes back to a root's worker, on its own kernel thread: notes the mask that it has set meanwhile. */
void fg_mask_return(struct fg_identity *self);
/* Reads and writes the mask in the frame of the signal that interrupted the caller: the caller had it before, and
 * gets it afterwards. */
uint64_t fg_mask_in_frame(const void *signal_context);
void fg_mask_put_in_frame(void *signal_context, uint64_t mask);
/* The program sets its mask (pthread_sigmask). Returns 0 or an error number. May be called in a signal handler, also in
 * one that interrupted the runtime: then only the mask of the kernel thread changes. */
int fg_mask_change(int how, const sigset_t *set, sigset_t *old);
