/* Boarding: the orders by which workers share kernel threads for want of PUs (floor: exec; called by grant.c).
 *
 * Orders are given at a look, and again at each look until they are carried out: ride.wanted, `news` and notice. A
 * worker itself carries its order out (grant/ride.c).
 *
 * The thread that looks calls, one at a time, except fg_boarding_pending, which any worker may call. */
#pragma once
#include "exec/thread/all_workers.h"
#include "exec/thread/worker.h"
#include "machine/cpuset.h"

static inline struct fg_worker *
fg_boarding_first(void)
{
	return fg_load_acquire(&fg_all_workers.first);
}

/* The worker is one of the pool, and at work. */
FG_READS_HINTS static inline bool
fg_boarding_is_pooled(const struct fg_worker *worker)
{
	return worker->slot != 0 && worker->carries;
}

/* A root in its region. */
FG_READS_HINTS static inline bool
fg_boarding_is_root(const struct fg_worker *worker)
{
	return worker->home->root && worker->carries;
}

/* Decides with which worker each worker of the pool must ride: watch.ride.with. There are `most` PUs, of the mask
 * `set`, and the process uses `pus` of them, at least 1. */
void fg_boarding_decide(unsigned pus, unsigned most, const struct fg_cpuset *set);
/* Tells the workers what was decided. periodic: it is a look of the monitor. */
void fg_boarding_give(bool periodic);
/* The PUs are back before any worker has boarded. */
void fg_boarding_withdraw(void);
/* A worker that is awake has been told to board, and has not boarded yet. */
bool fg_boarding_pending(void);
/* Workers wait for a place in a ride, and its owner may not take them in for long. They get kernel threads again. */
void fg_boarding_look_at_boarding(bool periodic);
/* The workers that wait to board with `head` get kernel threads again, as far as there are spares. */
void fg_boarding_take_back(struct fg_worker *head);
