/* Ride: several workers on one kernel thread, where the process has fewer PUs than workers (floor: exec; called by
 * idle.c, loop.c, dock.c, birth.c, board.c, spare.c, grant.c, preempt.c and the monitor; wake.c rings the bell itself).
 *
 * The workers of one kernel thread form a ride. Their head is the worker to which the kernel thread belonged first. One
 * of the ride is aboard: its thread runs. The others are riders. The kernel thread goes on to the next worker where the
 * worker aboard waits, yields, sleeps or is preempted. So a worker that has lost its PU goes on, and its team keeps its
 * size. To the others a rider is a worker that is late. ride.c has the protocol.
 *
 * The owner of a ride, the thread aboard, alone changes it. Other threads only tell, queue and ask for hints. Each
 * declaration says which thread may call. Nothing here allocates. */
#pragma once
#include "base/carrier.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/worker.h"
#include "platform/membarrier.h"

/* The worker shares its kernel thread, or is asked to. Only the owner gets an exact answer. */
static inline bool
fg_ride_concerns(struct fg_worker *worker)
{
	return __builtin_expect(fg_worker_rides(worker), 0) || __builtin_expect(fg_load_relaxed(&worker->news) != 0, 0);
}
/* Where a spare carries the ride of a root, its workers stay together until the root has them back. */
static inline bool
fg_ride_stays_together(const struct fg_worker *head)
{
	return head->home->root && fg_load_relaxed(&head->spare) != NULL;
}
/* True: fg_ride_look has something to do. */
static inline bool
fg_ride_calls(struct fg_worker *worker)
{
	const struct fg_worker *head = fg_worker_head(worker);
	return __builtin_expect(fg_load_relaxed(&head->news) != 0, 0) && worker->carries &&
	       !fg_ride_stays_together(head);
}
#ifndef NDEBUG
/* For an assert (valid.c), by the owner of the ride. */
bool fg_ride_valid(struct fg_worker *worker);
#endif
/* Look, turn, pause, sleep and gives_way are called inside, by the thread that the worker carries, and without a lock.
 * Each may return on another kernel thread.
 *
 * The caller waits, and could go on later: it takes riders in, gives riders their own kernel threads back, or boards
 * another kernel thread, as it has been asked to. It is inside the runtime, perhaps in the preemption handler on its
 * own stack, and holds no lock. */
void fg_ride_look(struct fg_identity *self);
/* Lets the next worker of the ride that is awake go on. Returns when the caller's worker is aboard again. False: there
 * is no other. */
bool fg_ride_turn(struct fg_identity *self);
bool fg_ride_pause_slow(struct fg_identity *self);
void fg_ride_wait_begins(struct fg_worker *worker);
/* One turn of a loop in which the worker's thread spins: the others of the kernel thread go first. `first`: a wait
 * begins, which tells the others of the ride that this worker has gone on. */
static inline void
fg_ride_pause(struct fg_worker *worker, bool first)
{
	if (first && __builtin_expect(fg_worker_rides(worker), 0))
		fg_ride_wait_begins(worker);
	if (__builtin_expect(fg_ride_concerns(worker), 0) && fg_ride_pause_slow(fg_self()))
		return;
	fg_carrier->pause();
}
/* In place of the sleep of a worker that has riders: returns when worker->asleep was cleared, when there are news, or
 * after so long (0: no limit). */
void fg_ride_sleep(struct fg_worker *worker, uint64_t limit_ns);
/* Another worker of the ride is awake, or there are news. Only the owner asks. */
bool fg_ride_waits(struct fg_worker *worker);
/* The same, as others see it. */
bool fg_ride_waits_hint(struct fg_worker *worker);
/* The worker must yield: the ride has a turn each second time. True: it had. */
bool fg_ride_gives_way(struct fg_identity *self);
/* A root leaves its region: its riders lie in `boarding` until it waits again. */
void fg_ride_put_off(struct fg_worker *worker);
/* Asks the owner of a ride or of a lone worker to look. Any thread may call it. */
void fg_ride_tell(struct fg_worker *worker);
/* `worker`, whose thread is saved, waits for a place in the ride of `head`. */
void fg_ride_queue(struct fg_worker *head, struct fg_worker *worker);
/* Takes all workers that wait for a place there: a list by ride.link. */
struct fg_worker *fg_ride_unqueue(struct fg_worker *head);
extern struct fg_rides {
	struct fg_atomic_u32 closed; /* 1: no worker boards, because all are about to end */
	struct fg_atomic_u32 count;  /* workers that ride or wait for a place */
	/* 1: more kernel threads are at work than there are PUs, because roots take no riders. Waiting workers do not
	 * spin. A look of the controller writes it. */
	struct fg_atomic_u32 crowded;
} fg_rides __attribute__((visibility("hidden")));
/* A root has begun a region: its worker carries. Outside of regions the monitor sleeps, even if there are riders. Now
 * it must give them kernel threads if PUs have come back, and make a root that computes look at them. */
static inline void
fg_ride_region(void)
{
	if (__builtin_expect(fg_load_relaxed(&fg_rides.count) != 0, 0)) {
		fg_fence_light(); /* the monitor that falls asleep makes a heavy one, and looks again */
		fg_monitor_poke();
	}
}
