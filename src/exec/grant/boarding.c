/* Boarding (floor: exec): see boarding.h, and grant/ride.c for what becomes of the orders.
 *
 * One kernel thread for each granted PU. That of a root is one of them, because a root stays there; it takes riders in
 * while no other root has regions. The other kernel threads are those of the workers whose own PU is granted, then of
 * the first others. The remaining workers ride. Each goes to the kernel thread with the fewest riders, and among these
 * to the nearest. A rider that must change its kernel thread gets its own back first. A worker that has riders rides
 * only once these have left. */
#include "exec/grant/boarding.h"

#include "exec/grant/ride.h"
#include "exec/ground/hooks.h"
#include "exec/thread/worker_parts.h"
#include "share/own_set.h"

#define PATIENCE 5 /* looks: a ride that has not taken a rider in by then is busy with other things */
#define REST 25	   /* looks: the rider keeps its own kernel thread for so long */

static struct fg_atomic_u32 pending; /* 0: no worker is told to board; a hint */

static unsigned
distance(struct fg_worker *a, struct fg_worker *b)
{
	unsigned x = fg_worker_leaf(a)->first_pu, y = fg_worker_leaf(b)->first_pu;
	return x > y ? x - y : y - x;
}

static bool
is_granted(unsigned cpu, const struct fg_cpuset *set)
{
	return fg_cpuset_has(set, cpu) && (!fg_own_set_binds() || fg_own_set_has(cpu));
}

/* Marks `many` workers of the pool that keep kernel threads: those whose own PU is granted come first. */
FG_READS_HINTS static void
choose_keepers(unsigned many, const struct fg_cpuset *set)
{
	for (int own = 1; own >= 0; own--)
		for (struct fg_worker *worker = fg_boarding_first(); worker && many; worker = worker->all_next)
			if (fg_boarding_is_pooled(worker) && !fg_parts(worker)->watch.ride.keeps &&
			    (!own || is_granted(fg_worker_leaf(worker)->cpu, set))) {
				fg_parts(worker)->watch.ride.keeps = true;
				many--;
			}
}

FG_READS_HINTS static struct fg_worker *
host_for(struct fg_worker *rider)
{
	struct fg_worker *best = NULL;
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next) {
		if (!fg_parts(worker)->watch.ride.keeps)
			continue;
		unsigned riders = fg_parts(worker)->watch.ride.riders,
			 least = best ? fg_parts(best)->watch.ride.riders : 0;
		if (!best || riders < least || (riders == least && distance(worker, rider) < distance(best, rider)))
			best = worker;
	}
	if (best)
		fg_parts(best)->watch.ride.riders++;
	assert(best != rider);
	return best;
}

FG_READS_HINTS void
fg_boarding_decide(unsigned pus, unsigned most, const struct fg_cpuset *set)
{
	assert(pus > 0);
	bool several = fg_load_relaxed(&fg_bubble_origins.several);
	unsigned roots = 0, pool = 0;
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next) {
		fg_parts(worker)->watch.ride.with = NULL;
		fg_parts(worker)->watch.ride.riders = 0;
		fg_parts(worker)->watch.ride.keeps = fg_boarding_is_root(worker) && !several;
		roots += fg_boarding_is_root(worker);
		pool += fg_boarding_is_pooled(worker);
	}
	unsigned keepers = pus > roots ? pus - roots : several;
	fg_store_relaxed(&fg_rides.crowded, pool && roots + keepers > most);
	if (roots + pool <= pus)
		return;
	choose_keepers(keepers, set);
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next)
		if (fg_boarding_is_pooled(worker) && !fg_parts(worker)->watch.ride.keeps)
			fg_parts(worker)->watch.ride.with = host_for(worker);
}

FG_READS_HINTS static void
order(struct fg_worker *worker, bool periodic)
{
	struct fg_worker *with = fg_parts(worker)->watch.ride.with, *head = fg_load_relaxed(&worker->head);
	struct fg_worker *now = head == worker ? NULL : head;
	assert(with != worker && (!with || fg_parts(with)->watch.ride.keeps));
	if (fg_parts(worker)->watch.ride.rest && periodic)
		fg_parts(worker)->watch.ride.rest--;
	if (with == now || (!now && (head || fg_parts(worker)->watch.ride.rest))) {
		fg_store_relaxed(&fg_parts(worker)->ride.wanted, NULL);
		return;
	}
	fg_store_relaxed(&fg_parts(worker)->ride.wanted, now ? worker : with);
	fg_exchange_acq_rel(&fg_worker_head(worker)->news, 1);
	if (now || fg_load_relaxed(&worker->asleep))
		return; /* a sleeper needs no PU, and looks once it is woken */
	/* It looks at its next barrier, though it may find that it need not wait there. */
	fg_or_acq_rel(&worker->notice, FG_NOTICE_MOVE);
	fg_store_release(&pending, 1);
}

FG_READS_HINTS void
fg_boarding_give(bool periodic)
{
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next)
		if (fg_boarding_is_pooled(worker))
			order(worker, periodic);
}

FG_READS_HINTS bool
fg_boarding_pending(void)
{
	if (!fg_load_relaxed(&pending))
		return false;
	fg_exchange_acquire(&pending, 0); /* an order that comes from now on is not lost */
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next) {
		const struct fg_worker *wanted = fg_load_relaxed(&fg_parts(worker)->ride.wanted);
		if (wanted && wanted != worker && !fg_load_relaxed(&worker->asleep)) {
			fg_store_relaxed(&pending, 1);
			return true;
		}
	}
	return false;
}

FG_READS_HINTS void
fg_boarding_withdraw(void)
{
	if (!fg_load_relaxed(&pending))
		return;
	fg_store_relaxed(&pending, 0);
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next)
		if (!fg_load_relaxed(&worker->head))
			fg_store_relaxed(&fg_parts(worker)->ride.wanted, NULL);
}

void
fg_boarding_take_back(struct fg_worker *head)
{
	struct fg_worker *worker = fg_ride_unqueue(head);
	while (worker) {
		struct fg_worker *following = fg_parts(worker)->ride.link;
		assert(fg_load_stable(&worker->head) == head && !fg_parts(worker)->ride.next && worker != head);
		void *spare = fg_exec_hooks.reserve();
		if (spare) {
			fg_store_relaxed(&worker->head, NULL);
			fg_parts(worker)->watch.ride.rest = REST;
			fg_exec_hooks.resume(spare, worker);
		} else
			fg_ride_queue(head, worker);
		worker = following;
	}
}

/* Workers wait for a place in a ride, and its owner does not take them in: a root that may not, or a thread that no
 * tick reaches. */
FG_READS_HINTS static void
look_at_boarding(struct fg_worker *head, bool periodic)
{
	bool waits = fg_load_relaxed(&fg_parts(head)->ride.boarding) != NULL;
	bool refuses = head->home->root && fg_load_relaxed(&fg_bubble_origins.several);
	bool stands = waits && head->carries && fg_parts(head)->watch.ride.taken_in == fg_parts(head)->ride.taken_in;
	if (periodic) {
		fg_parts(head)->watch.ride.looks = stands ? fg_parts(head)->watch.ride.looks + 1 : 0;
		fg_parts(head)->watch.ride.taken_in = fg_parts(head)->ride.taken_in;
	}
	if (waits && (refuses || fg_parts(head)->watch.ride.looks > PATIENCE))
		fg_boarding_take_back(head);
}

FG_READS_HINTS void
fg_boarding_look_at_boarding(bool periodic)
{
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next)
		look_at_boarding(worker, periodic);
}
