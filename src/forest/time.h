/* Time: how long the members of a bubble have run on PUs, and the events that they had, as far as that is measured
 * (floor: forest; written by exec/thread/clock.h and exec/thread/thread_counters.c, read by bubble.c, sched and
 * team/hints/history.c).
 *
 * Invariant: a record has one writer at a time, the thread that runs as that member. The thread that continues a member
 * sees all that its predecessor wrote. A reader may read while it knows that the bubble cannot end. It sees some past
 * value of each word.
 *
 * A record is written inside, perhaps in the preemption handler. Any thread with that knowledge may read it
 * anywhere. */
#pragma once
#include "base/atomic.h"

/* The record of one member; times in nanoseconds. Each has a cache line of its own, because members run on different
 * PUs. */
struct fg_time {
	_Alignas(64) struct fg_atomic_u64 own;		/* it has run, up to when it last left its PU */
	struct fg_atomic_u64 nested;			/* all that ran in the regions that it met and that are over */
	struct fg_atomic_u64 own_events, nested_events; /* of one kind (sched/policy.h), in these times */
	/* Barriers that it has met, and tasks that it took from other members, where a policy asks. */
	struct fg_atomic_u64 barriers, tasks;
};

/* What a barrier or a task counts as cooperation, and what an event does: so much CPU time weighs as much. */
#define FG_TOGETHER_NS 100000
#define FG_EVENT_NS 100

static inline uint64_t
fg_time_all(const struct fg_time *time)
{
	return fg_load_relaxed(&time->own) + fg_load_relaxed(&time->nested);
}

static inline uint64_t
fg_time_all_events(const struct fg_time *time)
{
	return fg_load_relaxed(&time->own_events) + fg_load_relaxed(&time->nested_events);
}

/* Only the one writer calls it. */
static inline void
fg_time_add(struct fg_atomic_u64 *to, uint64_t more)
{
	fg_store_relaxed(to, fg_load_relaxed(to) + more);
}
