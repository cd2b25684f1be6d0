/* Stand: where a thread is at the moment, and the state of its kernel thread, seen from outside (floor: exec; used by team/stuck, for
 * FGOMP_STUCK). All of it is read while the thread may go on: it is a hint, and the caller must look again before it acts on it. */
#pragma once
#include "exec/worker.h"
#include "platform/kernel_thread.h"
#include "platform/place.h"

struct fg_stand {
	enum {
		FG_STAND_RUNS,	    /* its worker's kernel thread carries it */
		FG_STAND_AWAY,	    /* so does another, in a call of the system: a spare has the worker */
		FG_STAND_PARKED,    /* it waits for something at an address */
		FG_STAND_READY,	    /* it waits for a PU */
		FG_STAND_SUSPENDED, /* it waits for something else */
	} kind;
	struct fg_worker *worker;	/* that it is on, or was last */
	struct fg_kernel_thread kernel; /* RUNS, AWAY */
	int tid;			/* of that; else 0 */
	bool inside;			/* the runtime, or its worker's thread is just on its way there */
	bool at_rest;			/* RUNS, AWAY: it has used no CPU time to speak of for a while */
	const void *address;		/* PARKED, or its kernel thread sleeps for that: it waits there; else NULL */
	struct fg_place place;
};

/* All identities that may carry a member: begin with NULL. The caller keeps donors from ending (fg_stuck_*). */
struct fg_identity *fg_stand_next(const struct fg_identity *before);
/* Examines one. Between fg_objects_find and fg_objects_forget. */
void fg_stand_find(struct fg_identity *thread, uint64_t now, struct fg_stand *stand);
/* Notes the CPU time that the kernel threads have used: once in each period of looks. A thread is at rest if it used none for so long. */
void fg_stand_count(uint64_t now, uint64_t rest_ns);
/* For the signal's handler: true if it was asked by this value. */
bool fg_stand_answer(const void *value, const void *signal_context);

/* A new donor; one that ends. */
void fg_stand_made(struct fg_identity *donor);
void fg_stand_gone(struct fg_identity *donor);
void fg_stand_after_fork(void);
