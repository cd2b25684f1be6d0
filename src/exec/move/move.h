/* Send: policies ask where a thread runs, and send it to another PU (floor: exec; called through sched/world.h by the
 * functions that policies call, on any thread). */
#pragma once
#include "exec/thread/identity.h"

/* The PU of the worker that carries the thread; -1: none does. It is a hint, because the thread may be leaving. */
int fg_send_where(const struct fg_entity *thread);
/* The time since the switch to it that its record does not have yet; 0: it does not run, or waits. A hint. */
uint64_t fg_send_runs_for(const struct fg_entity *thread);
/* The PU of the worker that carries the thread, or carried it last. A hint. */
int fg_send_last(const struct fg_entity *thread);
/* Any worker may run the thread: it has no kernel thread of its own, and is no docked member outside of nested
 * regions. */
bool fg_send_may(const struct fg_entity *thread);
/* The thread is a docked member, alone on its worker: this worker exchanges its seat with one that sits at the level.
 * false: it cannot. */
bool fg_send_docked(struct fg_entity *thread, struct fg_runqueue *level);
/* Why such a member cannot be sent: the end of a message. */
const char *fg_send_why_not(const struct fg_entity *thread);
/* The thread has `sent` set. If it computes, a tick preempts it soon. The simulated machine has no
 * ticks: sim/work.c does it there. */
void fg_send_hasten(struct fg_entity *thread);
