/* Identity: a real pthread, and the thread that it carries at the moment (floor: exec; created by donor.c, root.c,
 * workers.c, kernel_team.c and spare.c, used by most files of exec and above). The thread uses the pthread's TCB,
 * thread-local storage and stack.
 *
 * Kinds:  home   the pthread of a worker, of the program itself, or of a spare. A root stays on its own kernel thread.
 *                Another home may go on elsewhere, once a spare has taken its worker.
 *         donor  a parked pthread; any worker may run on its stack and its thread-local storage
 *
 * A thread-local pointer leads to the running identity. Its address moves with the thread, so compiled code may keep it
 * over a switch. `worker` does not move with the thread: read it again after each call that may switch.
 *
 * Unless a file of exec says more, its caller is inside: the thread that its worker carries. The caller holds no lock
 * and is not in the preemption handler, and acts for its own worker (docs/design.md, "Who calls"). fg_self, fg_is_taken
 * and fg_identity_is_on_own_stack may be called anywhere, and fg_identities_read to _unread without an identity. */
#pragma once
#include <assert.h>
#include <signal.h>

#include "base/atomic.h"
#include "base/lock_order.h"
#include "forest/live.h"
#include "platform/context.h"
#include "platform/interrupted.h"

struct birth_note;
struct fg_bubble;
struct fg_icv;
struct fg_load_history_site;
struct fg_root;
struct fg_runqueue;
struct fg_task;
struct fg_task_member;
struct fg_team;
struct fg_trace_sum;
struct fg_worker;
struct fg_workshare;

/* A member of a team: the part of the running thread that belongs to the floor `team`. A birth overwrites it. When the
 * thread meets a region, the new team saves this part, and the end of the region restores it. */
struct fg_thread {
	struct fg_team *team; /* innermost team; NULL outside any region */
	unsigned num;	      /* thread number in it */
	unsigned size;	      /* copy of team->size; 1 outside any region */
	uint32_t bubble;      /* the team's number in a trace; 0: none, or traces are off */
	/* Twice the number of waits at barriers that come before the next one that is timed. An odd number: the thread
	 * waits at one of those (team/sync/timed_wait.h). */
	uint16_t skip;
	uint8_t cut;		   /* of a region that was cancelled: enum fg_cut (team/sync/cancel.c) */
	struct fg_trace_sum *sums; /* its record (trace/sums.h); NULL: it is not timed, or has ended */
	struct fg_icv *icv;   /* ICVs of the current data environment: shared until written (see fg_icv_writable) */
	struct fg_task *task; /* current explicit task, or NULL in an implicit one */
	struct fg_task_member *tasks; /* the member's part of tasks (team/tasks/pool.h); NULL: it has met none yet */
	uint64_t constructs; /* worksharing constructs met so far in this team: the number of the current or last one */
	uint64_t singles;    /* single constructs met so far in this team */
	uint64_t drained;    /* every member has left the constructs up to this number; 0 at birth */
	uint64_t lock_owner; /* its implicit task as the owner of nest locks; 0: none yet, as at birth */
	/* Taskgroups around for which there was no memory. While there is one, each task is complete when its creation
	 * returns (team/tasks/task.h). */
	unsigned groups_lost;
	struct fg_workshare *share; /* current worksharing construct, if any */
	long static_trip;	    /* chunks taken so far of a static schedule */
	void *extra;		    /* rarely used state of team, which frees it at the member's end */
};

enum fg_identity_kind { FG_HOME, FG_DONOR };

/* What a free donor does when a worker switches to it (loop/loop.c, nested/birth.c). */
struct fg_assignment {
	struct fg_bubble *bubble;  /* NULL: look for work */
	unsigned member;	   /* claimed already, or 0 */
	unsigned parent_reference; /* 1: this switch saved the parent, the donor drops its reference, too */
	bool rejoins;		   /* it was that member already (nested/rejoin.c) */
	struct fg_runqueue *range; /* the member's, or NULL */
	struct fg_runqueue *level; /* the member's entity.level, if it is claimed already */
};

/* Another thread may act for this identity's worker (relief/hold.c). */
enum fg_away {
	FG_HERE,    /* none does */
	FG_HELD,    /* a holder does for a moment: the thread waits at its next entry */
	FG_TAKEN,   /* a spare has the worker */
	FG_WAS_HELD /* none does any more: the next entry acquires the holder's changes */
};

#define FG_PLACE_NONE (~0u)

/* The signal state of a thread that follows it (mask.h, alternate.h). */
enum { FG_MASK_OWN = 1, FG_MASK_FRAME = 2, FG_ALTERNATE_OWN = 4 };

struct fg_alternate {
	stack_t own, below;
};

struct fg_identity {
	struct fg_entity entity; /* as a ready thread, on a runqueue */
	struct fg_live_thread live;
	struct fg_context context; /* valid while suspended */
	struct fg_worker *worker;  /* it runs there, or ran there last */
	/* Set while the runtime must not be preempted. It lies here, not in the worker, because it must change together
	 * with the thread pointer. Only the thread itself writes it. The preemption handler reads it on the same kernel
	 * thread, and a holder reads it after a membarrier (relief/hold.c). The holder then reads all that the thread
	 * wrote in the runtime: so the thread leaves by a release. The monitor and the watcher read it as a hint. */
	struct fg_atomic_u32 in_runtime;
	struct fg_atomic_u32 away; /* enum fg_away */
	struct fg_thread thread;
	/* Its record as a member of a timed call that has ended there, until it is a member of another one: the call's
	 * last tasks may still run here. It lies outside `thread`, so that switches see nothing to record. */
	struct fg_trace_sum *sums_over;

	/* thread (clock.h): its CPU time, which is counted in entity.time. The thread itself writes it, or the thread
	 * that has switched it out, or its holder. */
	struct {
		uint64_t since;	       /* 0: it is not counted now */
		bool stopped;	       /* the thread waits (fg_clock_stop), so no switch starts the clock */
		int64_t events_handle; /* while the clock runs: the counter (thread_counters.c), */
		uint64_t events_since; /* and its value at `since` */
	} clock;
	/* When the grain began that is timed (grain.h), in nanoseconds. 0: none is. The thread writes it. */
	uint64_t grain_since;
	/* The place in the program at which the running member meets regions (team/hints/history.c). NULL: no load is
	 * learnt there. */
	struct fg_load_history_site *site;

	struct fg_worker *pinned; /* only this worker may run it; NULL: any */
	struct fg_assignment assignment;
	uint64_t served; /* donor: how often it has run members, and a number that no other donor comes to (donor.c) */
	/* In the one list that holds it: a pool, an inbox, a bucket of the parking lot, a crew's idlers or returned
	 * members, or homes that have ended. */
	struct fg_identity *next;
	/* watch (preempt.c): the handler writes it, on the thread itself. */
	struct {
		struct fg_interrupted interrupted; /* where the last tick met it */
		unsigned looks;			   /* the last so many ticks found nothing changed */
		unsigned put_off;		   /* preemptions put off since one met it outside of locking code */
		uint64_t mask_seen;		   /* a mask that no known call has set */
		unsigned mask_ticks;		   /* after so many more ticks, that mask is the thread's own */
	} preempt;
	/* loop (park.c): under the lock of the bucket. */
	struct {
		const void *on;		   /* address waited for, or NULL */
		struct fg_atomic_u32 word; /* futex word of a caller without a worker */
	} park;
	/* The place to which its worker is bound while it runs, + 1; 0: none; FG_PLACE_NONE: not even its seat
	 * (fg_worker_bind). */
	unsigned place;
	/* flat (dock.c, lend.c) and loop (crew.c): for docked members; the threads of their worker write it. */
	struct {
		struct fg_identity *next; /* round the members of one worker */
		bool lent;
		bool recalled;		      /* resumed at its barrier for tasks: crew.c sets it, dock.c clears it */
		bool stays;		      /* it has come to a barrier that cannot leave the region (cut.c) */
		uint32_t environment;	      /* the floating-point environment in which it began (root_state.h) */
		struct fg_atomic_u64 through; /* in transfer: the last phase that it was counted in */
		struct fg_atomic_ptr to; /* the worker to whose crew a policy has sent it; NULL: none (transfer.c) */
	} in_crew;
	struct fg_worker *crew_of; /* docked members: their worker; while lent, `pinned` is another (lend.c) */
	bool unwatched;		   /* a race detector was told not to look (fg_watch) */
	unsigned member;	   /* its number in its root's outermost teams, for good; 0: none, or the root */
	uint8_t kind;		   /* enum fg_identity_kind */
	bool roams;		   /* a home whose worker has an anchor: it may be a member on any worker of its root */
	bool at_home;		   /* it has never left its own kernel thread, nor been suspended there */
	bool makes_donor;	   /* it is in fg_donor_new, perhaps in a malloc of the program (donor.c) */
	/* body (mask.c, alternate.c): the signal state that follows it from one kernel thread to the next. The thread
	 * itself writes it; the monitor reads the mask. */
	struct {
		uint8_t follows; /* FG_MASK_OWN, FG_MASK_FRAME, FG_ALTERNATE_OWN */
		uint64_t mask;	 /* signals that the thread has blocked, with FG_MASK_OWN */
		struct fg_alternate alternate;
	} signals;
	/* thread: its own stack. identity.c writes it, and donor.c that of a donor. The program may run it on
	 * coroutines and alternate stacks, too. 0, 0: it is not known. */
	struct {
		uintptr_t low, high;
	} stack;
	struct fg_root *root;	    /* home of a thread of the program: its root; else NULL */
	struct fg_team *free_teams; /* its free teams, for the regions that it will meet */
	int tid;		    /* of its own kernel thread, which may carry another thread; 0: that has ended */
	int away_tid;		    /* the kernel thread on which it is blocked, while it is away (relief/spare.c) */
	struct fg_identity *made_before; /* donors, newest first (stuck/stand.c) */
	struct birth_note *note;	 /* of a donor's stack (donor.c) */
};

extern __thread struct fg_identity *fg_self_pointer __attribute__((tls_model("initial-exec")));

/* The running identity, or NULL on a pthread that the runtime has not met. */
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

#ifndef NDEBUG
/* For an assert (valid.c): of the running thread, or of one that is suspended and that the caller will resume. */
bool fg_identity_valid(const struct fg_identity *identity);
#endif

/* A race detector in the program (platform/sanitizer.h) must not look at the runtime's own accesses. */
void fg_watch(struct fg_identity *self, bool program);

/* The code of each entry point that may switch, wait or hold a lock of the runtime lies between fg_enter and fg_leave.
 * The unwatched forms tell a race detector nothing. Members of user-level teams use them, because no detector allows
 * such members. */
void fg_come_back(struct fg_identity *self);
/* See base/above.h. */
bool fg_self_preemptible(void);
static inline void
fg_enter_unwatched(struct fg_identity *self)
{
	fg_charge_enter();
	assert(self == fg_self_pointer);
	fg_own_store_relaxed(&self->in_runtime, 1);
	fg_signal_fence();
	if (__builtin_expect(fg_load_relaxed(&self->away) != 0, 0))
		fg_come_back(self);
}
static inline void
fg_leave_unwatched(struct fg_identity *self)
{
	assert(fg_lock_order_none("leaves the runtime with"));
	assert(self == fg_self_pointer && fg_load_stable(&self->in_runtime));
	fg_tsan_release(self); /* for its holder (fg_hold_begin) */
	fg_signal_fence();
	fg_own_store_release(&self->in_runtime, 0);
	fg_charge_leave();
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

/* For functions that may also be called inside, by a malloc of the program: fg_enter, unless the caller is inside. Its
 * result is for fg_leave_again, which leaves the caller where it was. NULL does nothing: a tick preempts no pthread
 * that the runtime has not met. */
static inline bool
fg_enter_again(struct fg_identity *self)
{
	bool inside = !self || fg_own_load_relaxed(&self->in_runtime);
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
/* Around calls of the C library that may lock. The caller holds no lock of the runtime. It is outside until fg_step_in,
 * wherever it was before. (A race detector still does not look.) NULL does nothing. */
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

/* A donor may end at any time while no thread runs on it. So a thread that reads `current` of another worker, and then
 * that identity, does so between these two calls. (The lock of the live tree does as well: forest/live.h.) Between them
 * the reader must not sleep or switch: the spawner waits for some 10 ms, then it keeps its donors. */
void fg_identities_read(void);
void fg_identities_read_end(void);
/* The caller has taken donors out of the common pool. Waits for a moment. True: no reader has one of them any more. */
bool fg_identities_unread(void);
/* For the child of a fork, where the readers of the parent are not. */
void fg_identities_after_fork(void);

/* Bytes, of the stacks of donors and workers. */
size_t fg_identity_stack_size(void);
/* Notes the stack of the caller: a kernel thread of the runtime, whose stack begins about here; a thread of the
 * program. */
void fg_identity_stands_here(struct fg_identity *self);
void fg_identity_stands_in_program(struct fg_identity *self);
/* The stack pointer lies within that stack, and not within an alternate stack or a coroutine's. A signal handler may
 * ask. */
bool fg_identity_is_on_own_stack(const struct fg_identity *self, uintptr_t sp);
