/* Chores: what a waiting worker looks after besides work (floor: exec; called by idle.c, on the worker itself).
 *
 * A chore is done inside the runtime, without a lock. It may not allocate, use stdio, or wait for a lock of the C
 * library: a preempted thread of this worker may hold that one. The debug build and scripts/check_calls.py see to it.
 * It may take a spin lock, and frees it before it returns. It writes its own worker and the patience, and all else by
 * functions of the owner. Only `suspicion` may step out, to start the monitor. No chore runs in a signal handler. */
#pragma once
#include "exec/thread/identity.h"

struct fg_patience;

/* Does those chores that are due while the worker spins, every some microseconds. They may change how long it spins. */
void fg_chores_spin(struct fg_worker *worker, struct fg_patience *patience, uint64_t now);
/* Does those that are due before a sleep. */
void fg_chores_sleep(struct fg_worker *worker);
/* Does those that are due after it. */
void fg_chores_woke(struct fg_worker *worker, uint64_t slept_at, uint64_t now);
/* The longest sleep after which a chore is due, in ns; 0: none will be. */
uint64_t fg_chores_left(struct fg_worker *worker, uint64_t now);
