/* The signal that preempts: its number, the kernel threads to which it goes, and the program's view of it (floor:
 * exec; called by monitor.c, preempt.c, hasten.c, by the hook `alternate`, by libc/signals.c, and by stuck through
 * team/stuck.h).
 *
 * Most functions take one lock, of rank POOL. So the caller is inside, or has no identity, and holds no lock of that
 * rank or higher; it is in no signal handler. The three for the handler take no lock. fg_preempt_start is called
 * outside. fg_preempt_sigaction, _handler, _uses and _alternate are called where the program calls the C library,
 * perhaps in one of its handlers. Nothing here allocates. */
#pragma once
#include <signal.h>

#include "exec/thread/identity.h"

/* The caller is about to start the monitor. The caller's mask tells which signals are not taken. */
void fg_preempt_start(void);
/* Makes sure that there is a signal, and that the handler is in place. Only for the monitor and the thread that
 * starts it. */
void fg_preempt_install(void);
/* True: the signal may be sent, and can reach the thread, which the worker carries. A hint. */
bool fg_preempt_reaches(const struct fg_worker *worker, const struct fg_identity *thread);
/* Turns on or off the ticks (tick.h), or a periodic timer, of the CPU time of the kernel thread that carries the
 * worker. Returns whether they are on afterwards. Workers that share a kernel thread share those of their head: only
 * its own are turned off. */
bool fg_preempt_timer(struct fg_worker *worker, bool on);
/* The monitor has ended, so the worker's timer is deleted. */
void fg_preempt_forget(struct fg_worker *worker);
/* The next tick comes after so much CPU time at the latest. */
void fg_preempt_hasten(struct fg_worker *worker, uint64_t ns);
/* A tick comes as soon as the system allows: on any thread, which may hold a lock of the live tree. */
void fg_preempt_soon(struct fg_worker *worker);
/* Sends one signal now. The thread waits in a futex, so no call of the program ends early. */
void fg_preempt_kick(struct fg_worker *worker);
/* The program calls sigaction. The program sees the signal that preempts as if the runtime had no handler for it. If
 * the program wants a handler for it, it gets the signal. */
struct sigaction;
bool fg_preempt_uses(int number);
int fg_preempt_sigaction(int number, const struct sigaction *action, struct sigaction *old);
/* The program is about to install this handler. A handler that runs on the member's own stack and with the member's
 * mask may move with the member. Then the runtime's handler keeps off alternate stacks from now on. */
void fg_preempt_handler(const struct sigaction *action);
/* The caller has, or is about to set, an alternate stack of so many bytes. If need be, the runtime's handler keeps
 * off such stacks from now on. */
void fg_preempt_alternate(size_t size);
/* The kernel thread that carries the worker gets a signal for samples each time it has used so much CPU time
 * (team/samples.h); 0: no more. False: there is no signal or no timer for it. */
bool fg_preempt_sample(struct fg_worker *worker, uint64_t period_ns);
/* In the child of a fork, while the workers of the parent are still known: closes their ticks, which the child has
 * inherited. A file that the monitor was about to note stays open. */
void fg_preempt_after_fork(void);
/* Sends the preemption signal to a kernel thread, with this value. For the report of FGOMP_STUCK. */
void fg_preempt_send(int tid, const void *value);
/* Three functions for the handler. The first tells whether the runtime has sent the signal. The second counts a
 * signal of fg_preempt_kick. The third is for a signal of the program: it does the default action of the signal. */
bool fg_preempt_is_ours(const siginfo_t *info);
void fg_preempt_kick_seen(void);
void fg_preempt_default(int number);
