/* Move: the one door by which policies send a thread to a level, and what they ask about threads (floor: exec; called
 * through sched/world.h by the functions that policies call). The caller is any thread inside the runtime, the monitor,
 * or a policy's daemon. The last two have no identity. Where a policy's function runs in the preemption handler, the
 * functions here may be called there, too. The caller holds the lock of the live tree or that of the thread's runqueue,
 * or it has the thread in hand (in transit). So the identity stays. Its words are hints all the same. The ways lock
 * runqueues or the pool, but no inbox, and make no thread wait. They move a thread at once that lies on a runqueue, and
 * write the `level` of one that is stopped. All others only get marks (`sent`, `in_crew.to`, `seat`), which the owner
 * takes later. */
#pragma once
#include "exec/thread/identity.h"

/* Sends the thread to the level, in the way of its kind: move.c has the table. The caller holds the lock of the live
 * tree, so it is in no handler. false: it stays where it is. */
bool fg_move(struct fg_entity *thread, struct fg_runqueue *level);
/* Any worker may run the thread: it has no kernel thread of its own, and is no docked member outside of nested
 * regions. */
bool fg_move_is_free(const struct fg_entity *thread);
/* Why the thread cannot be sent: the end of a message. */
const char *fg_move_why_not(const struct fg_entity *thread);
/* The thread has `sent` set. If it computes, it leaves its PU soon (watch/hasten.h). */
void fg_move_hasten(struct fg_entity *thread);

/* The PU of the worker that carries the thread; -1: none does. It is a hint, because the thread may be leaving. */
int fg_move_where(const struct fg_entity *thread);
/* The PU of the worker that carries the thread, or carried it last. A hint. */
int fg_move_last(const struct fg_entity *thread);
/* The time since the switch to it that its record does not have yet; 0: it does not run, or waits. A hint. */
uint64_t fg_move_runs_for(const struct fg_entity *thread);
