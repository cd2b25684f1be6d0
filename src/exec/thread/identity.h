/* Identity: the real pthread whose TCB, thread-local storage and stack a thread uses (design D1), and the thread it
 * carries at the moment (floor: exec; created by donor.c, workers.c and root.c, used by every file of exec and above).
 *
 * Kinds:  home   the pthread of a worker or of the program itself: it runs on its own kernel thread
 *         donor  a parked pthread; any worker may run on its stack and its thread-local storage
 *
 * A thread-local pointer leads to the running identity. Its address moves with the thread, so compiled code may keep it
 * over a switch. `worker` does not move with it: read it again after anything that may switch. */
#pragma once
#include <assert.h>

#include "base/atomic.h"
#include "base/lock_order.h"
#include "exec/thread/alternate.h"
#include "forest/entity.h"
#include "platform/context.h"
#include "platform/interrupted.h"

struct birth_note;
struct fg_bubble;
struct fg_icv;
struct fg_load_history_seat;
struct fg_root;
struct fg_runqueue;
struct fg_task;
struct fg_task_member;
struct fg_team;
struct fg_worker;
struct fg_workshare;

/* A member of a team: what the floors `team` and `gomp` see of the running thread. Overwritten at each birth; saved in
 * the new team when the thread meets a nested region, and restored after it. */
struct fg_thread {
	struct fg_team *team; /* innermost team; NULL outside any region */
	unsigned num;	      /* thread number in it */
	unsigned size;	      /* copy of team->size; 1 outside any region */
	uint32_t bubble;      /* the team's number in a trace; 0: none, or traces are off */
	struct fg_icv *icv;   /* ICVs of the current data environment: shared until written (see fg_icv_writable) */
	struct fg_task *task; /* current explicit task, or NULL in an implicit one */
	struct fg_task_member *tasks; /* the member as it has to do with tasks (task_pool.h); NULL: not met yet */
	uint64_t constructs; /* worksharing constructs met so far in this team: the number of the current or last one */
	uint64_t singles;    /* single constructs met so far in this team */
	uint64_t drained;    /* every member has left the constructs up to this number (workshare.h); 0 at birth */
	uint64_t lock_owner; /* its implicit task as the owner of nest locks, 0: none yet (lock.h); 0 at birth */
	unsigned in_haste; /* taskgroups around that there was no memory for: all tasks are complete when they have been created (task.h) */
	struct fg_workshare *share; /* current worksharing construct, if any */
	long static_trip;	    /* chunks taken so far of a static schedule */
	void *extra;		    /* rarely used state of the floor above, freed by it at the member's end */
};

enum fg_identity_kind { FG_HOME, FG_DONOR };

/* What a free identity is to do when it is switched to (birth.c). */
struct fg_order {
	struct fg_bubble *bubble; /* NULL: look for work */
	unsigned member;	  /* claimed already, or 0 */
	unsigned parent_share; /* 1: the parent was saved by the switch that gave this order; give up its share too */
	bool rejoins;	       /* it was that member already: rejoin.c */
	struct fg_runqueue *range; /* the member's, or NULL */
};

/* Whether another acts for this identity's worker (relief/hold.c). */
enum fg_away { FG_HERE, FG_HELD, FG_TAKEN, FG_WAS_HELD };

struct fg_identity {
	struct fg_entity entity;   /* as a ready thread, on a runqueue */
	struct fg_context context; /* valid while suspended */
	struct fg_worker *worker;  /* who runs it now, or ran it last */
	/* Set while the runtime must not be preempted. Lives here, not in the worker, because it must change together
	 * with the thread pointer. Written only by the thread itself, read by the preemption handler on the same kernel
	 * thread and, after a membarrier, by a holder (hold.c). That one then reads all that the thread wrote in the
	 * runtime: so the thread leaves by a release. */
	struct fg_atomic_u32 in_runtime;
	struct fg_atomic_u32 away; /* somebody else acts for this one's worker: see spare.c */
	struct fg_thread thread;

	/* thread (clock.h): what it uses of its PU, counted in entity.time. By the thread that carries it, has switched
	 * it out, or holds it. */
	struct {
		uint64_t since;	       /* 0: it is not counted now */
		bool stands;	       /* it waits: it would not be, were it switched to */
		int64_t events_handle; /* while the clock runs: whose count (thread_counters.c), */
		uint64_t events_since; /* and what it was then */
	} clock;
	struct fg_load_history_seat *
		seat; /* where the running member meets regions, for team/hints/history.c; NULL: nothing is learnt there */

	struct fg_worker *pinned; /* only this worker may run it; NULL: any */
	struct fg_order order;
	struct fg_runqueue *range; /* the part of the machine that its thread was given for itself; NULL: none but the PU */
	unsigned served;	   /* donor: how often it has run members */
	struct fg_identity *next; /* in the one list that holds it: a pool, an inbox, waiters of the parking lot */
	/* watch (preempt.c): by the handler, on the thread itself. */
	struct {
		struct fg_interrupted interrupted; /* where the last tick met it */
		unsigned put_off;		   /* preemptions since the last one, or tick, that met it elsewhere */
		uint64_t mask_seen;		   /* another mask, with which so many ticks less met it */
		unsigned mask_ticks;
	} preempt;
	/* loop (park.c): under the lock of the bucket. */
	struct {
		const void *on;		   /* address waited for, or NULL */
		struct fg_atomic_u32 word; /* futex word of a caller without a worker */
	} park;
	unsigned place;		       /* what its worker is bound to while it runs, + 1; 0: nothing (fg_worker_bind) */
	/* flat (dock.c, lend.c) and loop (ring.c): docked members, by their worker's threads. */
	struct {
		struct fg_identity *next; /* round the members of one worker */
		bool lent;
		bool recalled;	      /* resumed at its barrier for tasks: ring.c sets it, dock.c clears it */
		uint32_t environment; /* the one that it has begun in (root.h) */
	} ring;
	struct fg_worker *crew_of; /* docked members: that worker; `pinned` is another while lent (lend.c) */
	bool unwatched;		   /* a race detector in the program was told not to look (fg_watch) */
	unsigned member;      /* of an outermost team of its root, where it is one for good; 0: none, or the root */
	uint8_t kind;	      /* enum fg_identity_kind */
	bool at_home;	      /* it never left its own kernel thread yet, not even to be suspended there */
	/* thread (mask.c, alternate.c): what must follow it from one kernel thread to the next. By the thread itself;
	 * the monitor reads the mask. */
	struct {
		uint8_t follows; /* FG_MASK_OWN, FG_MASK_FRAME (mask.h), FG_ALTERNATE_OWN */
		uint64_t mask;	 /* signals that the thread has blocked, with FG_MASK_OWN */
		struct fg_alternate alternate;
	} signals;
	/* thread (identity.c): the stack that it runs on, but for coroutines and alternate stacks of the program's; 0,
	 * 0: not known. */
	struct {
		uintptr_t low, high;
	} stack;
	struct fg_root *root;	     /* home of a thread of the program: its root; else NULL */
	struct fg_team *spare_teams; /* kept for its nested regions, a list of its own */
	int tid;      /* its own kernel thread's, which may carry another at the moment; 0: it has ended */
	int away_tid; /* the kernel thread in which it is, while it is away (spare.c) */
	struct fg_identity *made_before; /* donors, newest first: stand.c, where somebody asks for that */
	struct birth_note *note;	 /* of a donor's stack (identity.c) */
};

extern __thread struct fg_identity *fg_self_pointer __attribute__((tls_model("initial-exec")));

/* The running identity, or NULL on a pthread the runtime has not met. */
static inline struct fg_identity *
fg_self(void)
{
	return fg_self_pointer;
}

/* A spare has taken the caller's worker, and the caller has not come back yet. */
static inline bool
fg_is_taken(const struct fg_identity *self)
{
	return fg_load_relaxed(&self->away) == FG_TAKEN;
}

/* A race detector in the program (platform/sanitizer.h) does not look at what the runtime does. */
void fg_watch(struct fg_identity *self, bool program);

/* Every entry from the program that may switch, wait or hold a lock of the runtime lies between these two. */
void fg_come_back(struct fg_identity *self);
static inline void
fg_enter_unwatched(struct fg_identity *self) /* a member of a user-level team: a race detector allows none */
{
	fg_own_store_relaxed(&self->in_runtime, 1);
	fg_signal_fence();
	if (__builtin_expect(fg_load_relaxed(&self->away) != 0, 0))
		fg_come_back(self);
}
static inline void
fg_leave_unwatched(struct fg_identity *self)
{
	assert(fg_lock_order_none("leaves the runtime with"));
	fg_tsan_release(self); /* for who holds it: fg_spare_hold */
	fg_signal_fence();
	fg_own_store_release(&self->in_runtime, 0);
}
static inline void
fg_enter(struct fg_identity *self)
{
	fg_enter_unwatched(self);
	if (fg_watched())
		fg_watch(self, false);
}
static inline void
fg_leave(struct fg_identity *self)
{
	if (fg_watched())
		fg_watch(self, true);
	fg_leave_unwatched(self);
}

/* For what may be called inside as well, by a malloc of the program's: fg_enter, unless the caller is inside. What it
 * says is for the other, which leaves the caller where it was. */
static inline bool
fg_enter_again(struct fg_identity *self)
{
	bool inside = fg_own_load_relaxed(&self->in_runtime);
	if (!inside)
		fg_enter(self);
	return inside;
}
static inline void
fg_leave_again(struct fg_identity *self, bool inside)
{
	if (!inside)
		fg_leave(self);
}
/* For what the runtime does with the C library: the caller, wherever it is, is outside until fg_step_in, with no lock
 * of the runtime held. (A race detector goes on not to look.) NULL stays as it is. */
static inline bool
fg_step_out(struct fg_identity *self)
{
	bool inside = self && fg_own_load_relaxed(&self->in_runtime);
	if (inside)
		fg_leave_unwatched(self);
	return inside;
}
static inline void
fg_step_in(struct fg_identity *self, bool inside)
{
	if (inside)
		fg_enter_unwatched(self);
}

/* Of donors and workers, bytes. */
size_t fg_identity_stack_size(void);
/* Notes the stack of a kernel thread of the runtime, which begins about where it stands; of a thread of the program. */
void fg_identity_stands_here(struct fg_identity *self);
void fg_identity_stands_in_program(struct fg_identity *self);
/* The stack pointer is within it: not within an alternate stack or a coroutine's. */
bool fg_identity_is_on_own_stack(const struct fg_identity *self, uintptr_t sp);
