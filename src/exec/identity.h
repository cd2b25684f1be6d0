/* Identity: the real pthread whose TCB, thread-local storage and stack a thread uses (design D1), and the thread it carries
 * at the moment (floor: exec; created by identity.c and worker.c, used by every file of exec and above).
 *
 * Kinds:  home   the pthread of a worker or of the program itself: it runs on its own kernel thread
 *         donor  a parked pthread; any worker may run on its stack and its thread-local storage
 *
 * A thread-local pointer leads to the running identity. Its address moves with the thread, so compiled code may keep it over
 * a switch. `worker` does not move with it: read it again after anything that may switch.
 */
#pragma once
#include "base/atomic.h"
#include "platform/context.h"

struct fg_team;
struct fg_task;
struct fg_icv;
struct fg_workshare;
struct fg_worker;
struct fg_root;

/* A member of a team: what the floors `team` and `gomp` see of the running thread. Overwritten at each birth; saved in the
 * new team when the thread meets a nested region, and restored after it. */
struct fg_thread {
	struct fg_team *team; /* innermost team; NULL outside any region */
	unsigned num;	      /* thread number in it */
	unsigned size;	      /* copy of team->size; 1 outside any region */
	struct fg_icv *icv;   /* ICVs of the current data environment: shared until written (see fg_icv_writable) */
	struct fg_task *task; /* current explicit task, or NULL in an implicit one */
	uint64_t constructs;  /* worksharing constructs met so far in this team: the number of the current or last one */
	uint64_t singles;     /* single constructs met so far in this team */
	struct fg_workshare *share; /* current worksharing construct, if any */
	long static_trip;	    /* chunks taken so far of a static schedule */
	void *extra;		    /* rarely used state of the floor above, freed by it at the member's end */
};

enum fg_identity_kind { FG_HOME, FG_DONOR };

struct fg_identity {
	struct fg_context context; /* valid while suspended */
	struct fg_worker *worker;  /* who runs it now, or ran it last */
	/* Set while the runtime must not be preempted. Lives here, not in the worker, for it must change together with the
	 * thread pointer. Written only by the thread itself, read by the preemption handler on the same kernel thread and, after
	 * a membarrier, by the monitor. */
	volatile uint32_t in_runtime;
	struct fg_atomic_u32 away; /* the monitor has given this one's worker to a spare: see spare.c */
	struct fg_thread thread;

	struct fg_identity *next;  /* in the one list that holds it: a pool, a ready queue, a list of waiters */
	struct fg_worker *pinned;  /* only this worker may run it; NULL: any */
	const void *parked_on;	   /* address waited for in the parking lot (park.c) */
	struct fg_atomic_u32 word; /* futex word of a caller without a worker */
	enum fg_identity_kind kind;
	uint32_t crew_phase;	   /* last phase of its crew that it completed (crew.c) */
	uint32_t crew_state;	   /* enum fg_crew_state */
	struct fg_root *root;	   /* home of a thread of the program: its root; else NULL */
	char *stack_low, *stack_high;
	struct fg_team *spare_team; /* teams kept for its nested regions, linked by their `outer` */
	void *order;		    /* what a free identity is to do when it is switched to (worker.c) */
	uint64_t number;
};

extern __thread struct fg_identity *fg_self_pointer __attribute__((tls_model("initial-exec")));

/* The running identity, or NULL on a pthread the runtime has not met. */
static inline struct fg_identity *
fg_self(void)
{
	return fg_self_pointer;
}

/* The running identity; a pthread not met before becomes an initial thread (root.c). */
struct fg_identity *fg_self_or_root_slow(void);
static inline struct fg_identity *
fg_self_or_root(void)
{
	struct fg_identity *self = fg_self_pointer;
	return __builtin_expect(self != NULL, 1) ? self : fg_self_or_root_slow();
}

/* Every entry from the program that may switch, wait or hold a lock of the runtime lies between these two. */
void fg_come_back(struct fg_identity *self);
static inline void
fg_enter(struct fg_identity *self)
{
	self->in_runtime = 1;
	fg_signal_fence();
	if (__builtin_expect(fg_load_relaxed(&self->away) != 0, 0))
		fg_come_back(self);
}
static inline void
fg_leave(struct fg_identity *self)
{
	fg_signal_fence();
	self->in_runtime = 0;
}
