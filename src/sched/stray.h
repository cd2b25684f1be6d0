/* Strays: threads in flight that run on other nodes than their data, because data have come to other threads since
 * their team began (floor: sched; called by memory.c). Threads exchange their PUs then, because all PUs may be in use.
 *
 * One call at a time, by the thread that asks for redistribution, which holds no lock. fg_strays_heed may be called at
 * any time. */
#pragma once
#include "base/atomic.h"
#include "forestgomp/sched.h"

/* Zeroed at first: nothing is looked at until something is heeded. */
struct fg_strays {
	struct fg_atomic_u32 heeded, news;
	struct fg_atomic_u64 settled; /* when those that were sent last have come */
	unsigned pause, left;	      /* periods from one look to the next, and those that are left */
};

/* Data of teams in flight are known, or a thread in flight has told of others. */
void fg_strays_heed(struct fg_strays *strays);
/* The part of the threads' data that lies on other nodes than they do, from 0 to 1; 0: it was not looked at. Called
 * once in each period. Where nothing is found, more and more periods pass without a look. */
double fg_strays_share(struct fg_strays *strays, struct fg_runqueue *top);
/* Threads are on their way, and no thief may take them. */
static inline bool
fg_strays_settle(const struct fg_strays *strays)
{
	uint64_t settled = fg_load_relaxed(&strays->settled);
	return settled && fgomp_sched_now() < settled;
}
/* Has threads of `self` exchange their PUs if that brings enough of them to their data. Called after the share, which
 * was high. Returns whether any was sent. */
bool fg_strays_send(struct fg_strays *strays, struct fg_runqueue *top);
