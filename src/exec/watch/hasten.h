/* Hasten: a thread must leave its PU soon, because a policy has sent or stopped it (floor: exec; called through the
 * table of hooks by move).
 *
 * The caller is any thread inside the runtime, the monitor, or a policy's daemon. It may hold the lock of the live tree
 * and those of runqueues, but none of rank POOL or higher. It sees to it that the identity does not end: by one of
 * these locks, or by fg_identities_read. Nothing here allocates, or waits for another thread. Only the ticks of the
 * worker's kernel thread change, which takes system calls. */
#pragma once

struct fg_identity;
struct fg_worker;

/* If the worker's thread computes, a tick preempts it soon. Either may be NULL: then nothing happens. The simulated
 * machine has no ticks: sim/work.c does it there. */
void fg_hasten(struct fg_worker *worker, const struct fg_identity *thread);
