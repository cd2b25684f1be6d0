/* Stop: threads that a policy has stopped (floor: exec; called by the watchdog, through the table of hooks by
 * loop/ready.c, by process_fork.c, and through sched/world.h by the functions that policies call).
 *
 * A stopped thread has `sent` set to fg_live_stopped. So it leaves its PU as a thread does that is sent elsewhere.
 * Where it would become ready it is kept instead, in a list that no worker sees.
 *
 *     a thread is in the list => its `sent` is fg_live_stopped, and it lies nowhere else and waits for nothing else
 *
 * The list has a lock. Only its holder puts a thread there, takes it off, or takes the mark off a thread in it. A
 * thread that is not in the list loses the mark also by itself, when it ends as a member (forest/live.c). Then it runs.
 *
 * Policies stop threads and let them go under the lock of the live tree, which the inbox of a worker comes before. So a
 * thread that may go on becomes ready only when that lock is free: fg_stop_ready.
 *
 * Callers are inside, perhaps in the preemption handler, or have no identity. They may hold the lock of the live tree,
 * of a runqueue or of a bucket, but in fg_stop_ready none. Nothing here allocates or waits for more than a lock. */
#pragma once
#include "exec/thread/identity.h"

/* Marks the thread. false: it has a kernel thread of its own, or a policy has left threads here (fg_stop_look). */
bool fg_stop(struct fg_entity *thread);
/* The caller has taken it off its runqueue. It is marked. */
void fg_stop_keep_taken(struct fg_entity *thread);
/* true: it is stopped, and the list has it now: it must not become ready. fg_worker_ready calls this on any thread,
 * perhaps with a bucket of the parking lot locked. */
bool fg_stop_keep(struct fg_identity *thread);
/* Takes the mark off. A thread that is kept goes on at the next call of fg_stop_ready. */
void fg_stop_go(struct fg_entity *thread);
/* Makes those ready that were let go. The caller holds no lock. */
void fg_stop_ready(void);
/* Lets all threads go if none went for more than `limit` of the watchdog's time (watchdog.h), and returns how many. No
 * thread is stopped after that. *some: there are threads in the list. */
unsigned fg_stop_look(uint64_t watched, uint64_t limit, bool *some);
void fg_stop_after_fork(void);
