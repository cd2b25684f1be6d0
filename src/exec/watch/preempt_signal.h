/* The signal that preempts: which it is, to which kernel threads it goes, and what the program sees of it (floor: exec;
 * called by the monitor, by stand.c, and by the ABI's wrappers of sigaction). */
#pragma once
#include <signal.h>

#include "exec/thread/worker.h"

/* The monitor is about to be started by the caller, whose mask counts. */
void fg_preempt_start(void);
/* Sees to it that there is a signal, and that the handler is in place. The monitor and the thread that starts it
 * only. */
void fg_preempt_install(void);
/* The signal can reach the thread, which the worker carries, and may be sent. A hint. */
bool fg_preempt_reaches(const struct fg_worker *worker, const struct fg_identity *thread);
/* Ticks (tick.h), or a periodic timer, of the CPU time of the kernel thread that carries the worker: on or off. Returns
 * whether they are on then. */
bool fg_preempt_timer(struct fg_worker *worker, bool on);
/* The monitor has ended: no timer is left. */
void fg_preempt_forget(struct fg_worker *worker);
/* The next tick comes when a slice is over, at the latest. */
void fg_preempt_hasten(struct fg_worker *worker);
/* One signal now: the thread waits in a futex, and no call of the program's ends early. */
void fg_preempt_kick(struct fg_worker *worker);
/* The program calls sigaction. The signal that preempts looks to it as if the runtime had none; if it wants that for
 * itself, it gets it. */
struct sigaction;
bool fg_preempt_uses(int number);
int fg_preempt_sigaction(int number, const struct sigaction *action, struct sigaction *old);
/* The program is about to have such a handler. One that runs on the member's own stack and with the member's mask may
 * move with it: then ours keeps off alternate stacks from now on. */
void fg_preempt_handler(const struct sigaction *action);
/* The caller has, or is about to set, an alternate stack of so many bytes. The handler keeps off such stacks from now
 * on where it must. */
void fg_preempt_alternate(size_t size);
/* In the child of a fork, while the workers of the parent are still known: closes their ticks, which it has inherited.
 * A file that the monitor was about to note stays open. */
void fg_preempt_after_fork(void);
/* The preemption signal for a kernel thread, with this value: for stand.c. */
void fg_preempt_send(int tid, const void *value);
/* For the handler: the runtime has sent it; by fg_preempt_kick; it is the program's: does what it would do without a
 * handler. */
bool fg_preempt_is_ours(const siginfo_t *info);
void fg_preempt_kick_seen(void);
void fg_preempt_default(int number);
