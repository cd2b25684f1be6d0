/* Worker: a kernel thread that carries threads, one for each PU; a thread of the program is the worker of its own regions
 * (floor: exec; started by dock.c and root.c; its search for work is loop.c). */
#pragma once
#include "base/spinlock.h"
#include "base/statistics.h"
#include "exec/thread/clock.h"
#include "exec/watch/pu_counters.h"
#include "exec/loop/ring.h"
#include "exec/thread/glibc.h"
#include "exec/thread/identity.h"
#include "exec/thread/mask.h"
#include "exec/nested/rejoin.h"
#include "exec/loop/cpu_share.h"
#include "exec/thread/tick.h"
#include "forest/runqueue.h"
#include "platform/nearby.h"
#include "platform/membarrier.h"
#include "trace/trace.h"

struct fg_worker {
	/* The lines the others read: the last even and the last odd phase of its team that this worker's crew has completed (dock.c). */
	struct {
		_Alignas(128) struct fg_atomic_u64 phase;
	} done[2];

	/* The line others write. */
	_Alignas(128) struct fg_atomic_u32
		asleep; /* 1: sleeps, or is about to: whoever gives it something wakes it (idle.c) */
	struct fg_atomic_u32 inbox_count;
	struct fg_spinlock inbox_lock;
	struct fg_atomic_u32 returned; /* members lent that have arrived, and a list of them (lend.c) */
	struct fg_atomic_ptr returned_first;
	struct fg_atomic_u64 wanted;		 /* who asks for a member of the crew, and for which phase (lend.c) */
	struct fg_identity *inbox, **inbox_tail; /* ready threads that are pinned to this worker, oldest first */
	struct fg_atomic_u64
		helps; /* the region whose tasks its docked thread would run, for it waits; 0: none. By the owner */

	/* Owner only. */
	_Alignas(128) struct fg_atomic_ptr current; /* who runs, an identity; others read it */
	struct fg_atomic_ptr leaf;		    /* runqueue of its PU; others read it */
	struct fg_atomic_ptr seat; /* the runqueue that is to be its leaf; by who deals seats (workers.c) */
	struct fg_runqueue *
		range; /* the part of the machine that its one docked member was given for itself; NULL: none but the PU */
	struct fg_identity *pool; /* free donors */
	unsigned pool_count;
	unsigned yields;      /* calls of sched_yield */
	bool unborn_turn;     /* at a yield: unborn members go first */
	unsigned queue_turns; /* at a yield: so many times yet threads of the runqueue go before those pinned here */
	struct fg_runqueue
		*vain_leaf; /* from here up nothing was for this worker when so much had been put there (loop.c) */
	uint32_t vain_puts;
	bool woken;		    /* from its sleep, perhaps for a task, and has run none since */
	unsigned help_turns;	    /* until its docked thread looks for tasks again */
	struct fg_identity *docked; /* waits for docked_ready(worker) while the worker does something else */
	bool (*docked_ready)(struct fg_worker *worker);
	unsigned cross_next, cross_end; /* slots whose phase is still waited for: from, up to */
	uint64_t cross_phase;
	uint64_t epoch; /* last fork seen */
	struct fg_crew crew;
	struct fg_past past;

	struct fg_identity *home;
	unsigned slot;		       /* 0: the worker of a root */
	unsigned pu;		       /* logical number */
	unsigned place;		       /* place its kernel thread is bound to, + 1; 0: not bound by us */
	uint32_t returns;	       /* of PUs, when it was bound (online.h) */
	uint32_t root_returns;	       /* the same of its first kernel thread, while a spare carries it */
	struct fg_atomic_u32 progress; /* counts switches: the monitor sees whether the PU moves on */
	struct fg_atomic_u32 claimed;  /* the kernel thread whose place a spare has taken wants the worker back */
	struct fg_identity *claimant;  /* who waits there, and its kernel thread; written before `claimed` */
	int claimant_tid;
	struct fg_atomic_ptr spare; /* base of the spare that carries it (spare.c); NULL: its first kernel thread does */
	int tid;		    /* of the kernel thread that carries it */
	uint64_t mask; /* signals blocked there by the thread of the program, or when the worker started (mask.h) */
	uint32_t progress_seen; /* here and below: monitor only */
	int timer_tid, timer, timer_signal;
	bool timer_ticks; /* it is `tick` */
	struct fg_tick tick;
	struct fg_counting counting;
	struct fg_thread_counters_file counting_threads;
	unsigned unused; /* looks since something waited */
	uint64_t stands; /* looks since its progress, while something waits */
	uint64_t starved_at,
		starved_births; /* since then it had no donor for members that are unborn (loop.c). By the owner */
	uint64_t cpu_seen;	/* CPU time of its kernel thread at the last look that asked for it */
	bool timer_on;
	struct fg_statistics statistics;
	struct fg_trace_lane *trace;
	struct fg_root *home_root; /* the root whose member `slot` its home is */
	struct fg_cpu_share sharing;
	void *home_top;			/* of its home's stack: where worker_main stands (dock.c) */
	struct fg_atomic_u32 hired;	/* it has its slot (workers.c) */
	struct fg_nearby_kept kept_off; /* the PU of its maker (workers.c) */
	struct fg_atomic_u32 over;	/* nothing carries it any more: it has been ended (dock.c) */
	bool carries;			/* false: a root outside its regions, which waits in the kernel */
	struct fg_worker *all_next;
};

static inline struct fg_runqueue *
fg_worker_leaf(struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->leaf);
}

/* Whose threads and bubbles alone the worker may take from runqueues at the moment (root.h); NULL: anybody's. */
static inline const void *
fg_worker_only(const struct fg_worker *worker)
{
	return worker->slot == 0 && fg_load_relaxed(&worker->spare) == NULL ? worker->home->root : NULL;
}
static inline bool
fg_worker_may_take(const struct fg_worker *worker, const void *origin)
{
	if (!fg_load_relaxed(&fg_bubble_several))
		return true;
	const void *only = fg_worker_only(worker);
	return !only || only == origin;
}

/* All workers, newest first; never shrinks but by fork. */
extern struct fg_atomic_ptr fg_all_workers;

/* Initialises the fields common to workers of all kinds and makes the worker known to the others. */
void fg_worker_init(struct fg_worker *worker, struct fg_identity *home, unsigned slot, struct fg_runqueue *leaf);

/* Binding (design D9). While a thread with a place runs, the kernel thread that carries it is bound to that place. So whoever takes
 * a suspended thread to switch to it binds the worker first, here. Free donors and the members of one crew need it not: the
 * former bind with the member they bring to life, the latter share one place (fg_places_slots). */
extern void (*fg_worker_rebind)(struct fg_worker *worker,
				unsigned place); /* set by the floor above, which knows the places */
static inline void
fg_worker_bind(struct fg_worker *worker, const struct fg_identity *next)
{
	if (__builtin_expect(worker->place != next->place, 0))
		fg_worker_rebind(worker, next->place);
}

/* An event of the running thread. */
static inline void
fg_worker_trace(enum fg_event event, const struct fg_identity *thread, uint32_t a, uint64_t b)
{
	if (__builtin_expect(fg_trace_on, 0) && thread->thread.bubble)
		fg_trace_slow(event, thread->thread.bubble, thread->thread.num, a, b);
}
void fg_worker_trace_switch(const struct fg_identity *self, const struct fg_identity *next);
/* Where the caller's worker keeps its lane of a trace: fg_trace_here. */
struct fg_trace_lane **fg_worker_lane(unsigned *pu);

/* Goes to `next` on the caller's worker; see fg_context_switch for callback. */
static inline void
fg_worker_switch(struct fg_identity *self, struct fg_identity *next, void (*callback)(void *), void *arg)
{
	struct fg_worker *worker = self->worker;
	assert(fg_lock_order_switch());
	if (__builtin_expect(self->at_home, 0))
		fg_glibc_leave_home(self);
	if (__builtin_expect(self->follows | next->follows, 0))
		fg_mask_switch(self, next);
	next->worker = worker;
	fg_store_relaxed(&worker->current, next);
	fg_store_relaxed(&worker->progress, fg_load_relaxed(&worker->progress) + 1);
	if (__builtin_expect(fg_trace_on, 0))
		fg_worker_trace_switch(self, next);
	fg_clock_switch(self, next);
	fg_context_switch(&self->context, &next->context, callback, arg);
}
/* Suspends the caller: its worker goes on with the next thing. callback(arg) runs once the caller is saved: it publishes the
 * caller to whoever is to make it ready again. The caller has just been told that it can leave. */
void fg_worker_leave(struct fg_identity *self, void (*callback)(void *), void *arg);
/* The caller's worker has a free donor, or a thread that nobody else takes. The system may refuse another donor: then the caller makes way for
 * others, for a moment at least, and asks again. */
bool fg_worker_can_leave_slow(struct fg_identity *self);
static inline bool
fg_worker_can_leave(struct fg_identity *self)
{
	return __builtin_expect(self->worker->pool != NULL, 1) || fg_worker_can_leave_slow(self);
}
void fg_worker_make_way(struct fg_identity *self);
static inline void
fg_worker_prepare_to_leave(struct fg_identity *self)
{
	while (!fg_worker_can_leave(self))
		fg_worker_make_way(self);
}
/* Makes a suspended thread ready to run, on its own worker if it is pinned, else near the caller. */
void fg_worker_ready(struct fg_identity *thread);
/* A waiting thread that stays on its own stack (docked, or a parent in its join) until ready(worker): it spins, then sleeps; while
 * the worker has something else to run it is suspended. ready() only looks: any thread of the worker may ask it, with a lock held. */
void fg_worker_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *worker));
/* Takes the oldest ready thread pinned here that may go to another worker: one that was lent to this one, or (own) one of its crew. */
struct fg_identity *fg_worker_inbox_lend(struct fg_worker *worker, bool own);
/* Something here waits for the PU. */
bool fg_worker_has_work(struct fg_worker *worker);
/* The same, the docked thread included if its wait is over, and members of the crew that tasks wait for. */
bool fg_worker_others_wait(struct fg_worker *worker);
/* Lets others go first, the caller stays ready. */
void fg_worker_yield(struct fg_identity *self);
/* The same from the signal handler: does nothing where it would need a donor and there is none. */
void fg_worker_preempt(struct fg_identity *self);
/* What a free donor does for ever. */
void fg_worker_carry(void);

/* Idle workers (idle.c). */
struct fg_patience {
	unsigned turns;
	uint64_t until;
};
/* One turn of a spinning wait; false: it has spun long enough, sleep. How long that is depends on whether the kernel lets this
 * kernel thread have its PU for itself. */
bool fg_patience_spin(struct fg_patience *patience, struct fg_worker *worker);
/* True: somebody has woken it, or would have. */
bool fg_idle_sleep(struct fg_worker *worker, bool (*ready)(struct fg_worker *worker));
/* True: it was asleep, or about to be. */
bool fg_idle_wake(struct fg_worker *worker);
/* Wakes one sleeping worker that may take it, if any, after work of this origin (NULL: it is not known whose) was put on this runqueue.
 * Both contain the full fence their callers need. */
bool fg_idle_wake_any_slow(struct fg_runqueue *queue, const void *origin);
/* The worker might have been woken for what lies on some runqueue, and does not take it, or may not any more: somebody else is woken instead. */
void fg_idle_pass_on(struct fg_worker *worker);
extern struct fg_atomic_u32 fg_idle_sleepers;
static inline void
fg_idle_wake_any(struct fg_runqueue *queue, const void *origin)
{
	fg_fence_light();
	if (__builtin_expect(fg_load_relaxed(&fg_idle_sleepers) != 0, 0))
		fg_idle_wake_any_slow(queue, origin);
}
