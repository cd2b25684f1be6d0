/* Holder: entities lie in a holder, which is a runqueue's or a bubble's (floor: forest; used by forest, sched and
 * exec). An entity that lies in a bubble lies, through it, on the runqueue where the outermost such bubble lies. The
 * lock of that runqueue guards all of it. A bubble in transit, with all that lies in it, belongs to the caller that has
 * it in hand. That caller needs no lock. A holder of the lock is inside the runtime, or has no identity: the monitor,
 * or a policy's daemon. It may be in the preemption handler. No function here waits for another thread. With a trace,
 * an event may map a new block of the trace's file. Nothing else here allocates. */
#pragma once
#include "base/spinlock.h"
#include "forest/entity.h"
#include "trace/trace.h"

struct fg_holder {
	/* The length of each list. They are written under the lock and exact under it; without it they are hints. */
	struct fg_atomic_u32 n_unborn, n_ready;
	struct fg_atomic_u32 puts; /* how many were ever inserted; likewise */
	struct fg_entity unborn;   /* bubbles, and members set free by a burst; newest first */
	struct fg_entity ready;	   /* ready threads, oldest first */
	struct fg_bubble *bubble;  /* the bubble that holds the entities; NULL: a runqueue does */
};

/* Of a cache: its PUs fetch members from levels above it for each other (forest/fetch.h). All but `comers` is guarded
 * by the lock. */
struct fg_fetch {
	struct fg_spinlock lock;
	struct fg_atomic_u32 comers;
	struct fg_bubble *bubble;  /* of the members that were brought */
	unsigned member, left;	   /* the next of them; how many are left */
	struct fg_runqueue *queue; /* where the bubble lay */
};

struct fg_runqueue {
	_Alignas(64) unsigned cpu; /* of a PU: its number for the operating system */
	/* Not at the beginning of its line. A processor compares a load with the stores before it by the lowest 12 bits
	 * of the address. A team lies in lines of its own as well, and each member reads its first word just after the
	 * lock is freed. Where both lay at one place of their pages, each member cost 7 ns more. */
	struct fg_spinlock lock;
	struct fg_holder holder;
	/* The tree starts flat, as a machine and its PUs. It gets its inner levels when a question first depends on
	 * them. */
	_Alignas(64) struct fg_atomic_ptr parent; /* NULL at the machine */
	struct fg_atomic_ptr below;		  /* struct fg_runqueue_list; NULL at a PU */
	unsigned first_pu, n_pus;		  /* PUs below: logical numbers */
	/* Of the level: 1u << enum fg_level_kind for each (machine/machine.h); 0: a policy put it aside. */
	unsigned kinds;
	struct fg_runqueue *domain; /* the innermost L3 or NUMA node above it, or itself; NULL: none */
	int node; /* the NUMA node nearest to all of it, by its OS number; -1: none is, or it is not known */
	/* Of a PU, a second, + 1; 0: not known. exec/watch/pu_counters.c alone writes it. */
	struct fg_atomic_u64 events;
	/* Of a PU: 1: its worker looks for work in vain, or there is none yet. The worker writes it, where a policy
	 * redistributes. A hint. */
	struct fg_atomic_u32 idle;
	struct fg_atomic_u32 away;   /* 1: a PU that the process may not use at the moment (exec/grant/online.c) */
	bool away_news;		     /* `away` changed and no policy was told yet; the monitor's */
	struct fg_atomic_ptr policy; /* struct fg_policy: looks after it (sched/policy.h); a layer may take its place */
	struct fg_runqueue *copy_of; /* its tree is only for planning: the level that this one stands for; else NULL */
	bool quiet;		     /* no PU looks at it: a policy put it aside, or its tree is only for planning */
	struct fg_runqueue *aside_next; /* list of those put aside (sched/aside.c) */
	_Alignas(64) struct fg_fetch fetch;
	/* Homes (sched/home.h). Of a domain: the teams whose home it is; of these, the lone ones; when one of its PUs
	 * looked outside last, for threads, for teams, and for a member to try. Of a PU: since when it looks for
	 * work. */
	_Alignas(64) struct fg_atomic_u32 teams, lone;
	struct fg_atomic_u64 looked_out, looked_for_teams, wished, idle_since;
	/* Of a PU, a hint: 1: a thread that goes on here only waits for the members of its region. */
	struct fg_atomic_u32 awaits;
	/* Since when a thief has seen this runqueue with so many puts; 0: none has (sched/rob.c). */
	struct fg_atomic_u64 seen_since;
	struct fg_atomic_u32 seen_puts;
	/* The watchdog's: since when of its time it has seen this runqueue with the oldest entity that it has now, and
	 * that entity. 0: it has not. */
	uint64_t stuck_since;
	const struct fg_entity *stuck;
	bool owes_wake; /* something was put there under the lock that is held; the lock's holder writes it */
};

static inline struct fg_runqueue *
fg_holder_runqueue(struct fg_holder *holder)
{
	return (struct fg_runqueue *)((char *)holder - offsetof(struct fg_runqueue, holder));
}

static inline void
fg_holder_init(struct fg_holder *holder, struct fg_bubble *bubble)
{
	holder->bubble = bubble;
	fg_store_relaxed(&holder->n_unborn, 0);
	fg_store_relaxed(&holder->n_ready, 0);
	fg_store_relaxed(&holder->puts, 0);
	fg_entity_list_init(&holder->unborn);
	fg_entity_list_init(&holder->ready);
}

#ifndef NDEBUG
/* Under the lock. For an assert: each condition has one of its own. */
bool fg_holder_valid(const struct fg_holder *holder);
#endif

static inline bool
fg_holder_is_empty(const struct fg_holder *holder)
{
	return (fg_load_relaxed(&holder->n_unborn) | fg_load_relaxed(&holder->n_ready)) == 0;
}

static inline struct fg_atomic_u32 *
fg_holder_count(struct fg_holder *holder, bool ready)
{
	return ready ? &holder->n_ready : &holder->n_unborn;
}
static inline void
fg_holder_count_locked(struct fg_atomic_u32 *count, uint32_t change)
{
	assert(change == 1 || fg_load_stable(count) > 0);
	fg_store_relaxed(count, fg_load_relaxed(count) + change);
}

/* A trace shows bubbles on runqueues. */
void fg_holder_trace_slow(enum fg_event event, struct fg_holder *holder, const struct fg_entity *entity);
static inline void
fg_holder_trace(enum fg_event event, struct fg_holder *holder, const struct fg_entity *entity)
{
	if (__builtin_expect(fg_recording.trace, 0) && entity->kind == FG_ENTITY_BUBBLE && !holder->bubble)
		fg_holder_trace_slow(event, holder, entity);
}

/* Threads lie in the order in which they became ready, all other entities newest first. */
static inline void
fg_holder_insert_locked(struct fg_holder *holder, struct fg_entity *entity)
{
	assert(!fg_load_stable(&entity->holder));
	bool ready = entity->kind == FG_ENTITY_THREAD;
	struct fg_atomic_u32 *count = fg_holder_count(holder, ready);
	fg_entity_list_insert_after(ready ? holder->ready.prev : &holder->unborn, entity);
	fg_store_release(&entity->holder, holder); /* some threads follow it without the lock, to find the runqueue */
	fg_holder_count_locked(count, 1);
	fg_store_relaxed(&holder->puts, fg_load_relaxed(&holder->puts) + 1);
	assert(fg_holder_valid(holder));
	fg_holder_trace(FG_EVENT_put, holder, entity);
}

static inline void
fg_holder_remove_locked(struct fg_holder *holder, struct fg_entity *entity)
{
	struct fg_atomic_u32 *count = fg_holder_count(holder, entity->kind == FG_ENTITY_THREAD);
	assert(fg_load_stable(&entity->holder) == (void *)holder);
	fg_entity_list_remove(entity);
	fg_store_relaxed(&entity->holder, NULL);
	fg_holder_count_locked(count, -1u);
	assert(fg_holder_valid(holder));
	fg_holder_trace(FG_EVENT_take, holder, entity);
}
