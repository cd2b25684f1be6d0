/* Stand: where a thread is at the moment, and the state of its kernel thread, seen from outside (floor: stuck; called
 * by watcher.c, look.c and tell.c; by exec/watch/preempt.c through the table). The thread may go on while all of this
 * is read. So it is a hint, and the caller must look again before it acts on it. */
#pragma once
#include "platform/kernel_thread.h"
#include "stuck/place.h"

struct fg_worker;

struct fg_stand {
	enum {
		FG_STAND_RUNS,	    /* its worker's kernel thread carries it */
		FG_STAND_AWAY,	    /* another kernel thread carries it, in a system call: a spare has the worker */
		FG_STAND_PARKED,    /* it waits for something at an address */
		FG_STAND_READY,	    /* it waits for a PU */
		FG_STAND_SUSPENDED, /* it waits for something else */
	} kind;
	struct fg_worker *worker;	/* the worker that it is on, or was last */
	struct fg_kernel_thread kernel; /* RUNS, AWAY: the state of its kernel thread */
	int tid;			/* of that kernel thread; else 0 */
	bool inside;			/* it is inside the runtime, or its worker's thread is just on its way there */
	bool at_rest;			/* RUNS, AWAY: it has used almost no CPU time for a while */
	const void *address;		/* where it is parked (PARKED, or its kernel thread sleeps there); else NULL */
	struct fg_place place;
};

/* Iterates over all identities that may carry a member. It begins with NULL. The caller keeps donors from ending
 * (watcher.c). */
struct fg_identity *fg_stand_next(const struct fg_identity *before);
/* Examines one thread. Called between fg_objects_find and fg_objects_forget. */
void fg_stand_find(struct fg_identity *thread, uint64_t now, struct fg_stand *stand);
/* Asks the kernel about a kernel thread, where a sandbox allows it. */
void fg_stand_kernel(int tid, struct fg_kernel_thread *found);
/* Notes the CPU time that the kernel threads have used, once in each period of looks. A thread is at rest if it has
 * used almost none for rest_ns. */
void fg_stand_count(uint64_t now, uint64_t rest_ns);
/* For the signal's handler. True: the signal with this value was a question of this file. */
bool fg_stand_answer(const void *value, const void *signal_context);

/* A donor was made; a donor is about to end. */
void fg_stand_made(struct fg_identity *donor);
void fg_stand_gone(struct fg_identity *donor);
void fg_stand_after_fork(void);
