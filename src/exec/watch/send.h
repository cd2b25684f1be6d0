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
/* The thread is a donor that any worker may run: it is no docked member, and has no kernel thread of its own. */
bool fg_send_may(const struct fg_entity *thread);
/* The thread has `sent` set. If it computes, the monitor turns on ticks, which preempt it. The simulated machine has no
 * ticks: sim/work.c does it there. */
void fg_send_hasten(struct fg_entity *thread);
