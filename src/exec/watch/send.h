/* Send: policies ask where a thread runs, and send it to another PU (floor: exec; called through sched/world.h by the
 * functions that policies call, on any thread). */
#pragma once
#include "exec/thread/identity.h"

/* The PU of the worker that carries the thread; -1: none does. It is a hint, because the thread may be leaving. */
int fg_send_where(const struct fg_entity *thread);
/* The thread is a donor that any worker may run: it is no docked member, and has no kernel thread of its own. */
bool fg_send_may(const struct fg_entity *thread);
/* The thread has `sent` set. If it computes, it is preempted by the signal. The simulated machine has no signals: there
 * it goes on up to its next switch point. */
void fg_send_hasten(struct fg_entity *thread);
