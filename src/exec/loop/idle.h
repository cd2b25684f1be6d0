/* Idle: a worker without work spins, then sleeps (floor: exec; called by loop.c, by park.c, spare.c, thief.c and
 * kernel_team.c). idle.c has the protocol, and its proof.
 *
 * The caller is the worker's owner, inside, without a lock and in no signal handler. In a turn with chores it may step
 * out (chores.h), and another kernel thread may carry it afterwards. Only `asleep` of the worker and the count of
 * sleepers are written here. */
#pragma once
#include "exec/thread/wake.h"

struct fg_patience {
	unsigned turns;
	uint64_t until;
	uint32_t waits; /* of the ride: a rider's patience begins anew while others of the ride go on (ride.h) */
	bool again;	/* the wait goes on after a sleep */
	bool has_woken; /* the worker has woken another one since its last wait */
};
/* One turn of a spinning wait. False: the worker has spun long enough, and must sleep. The limit depends on whether the
 * kernel lets this kernel thread have its PU for itself. */
bool fg_patience_spin(struct fg_patience *patience, struct fg_worker *worker);
/* In such a turn the worker looks after more than the pause: it has chores. */
bool fg_patience_has_chores(unsigned turn);
/* True: another thread has woken the worker, or would have. */
bool fg_idle_sleep(struct fg_worker *worker, bool (*ready)(struct fg_worker *worker));
/* The worker may have been woken for something on a runqueue, and does not take it, or no longer may. So it wakes
 * another worker instead. */
void fg_idle_pass_on(struct fg_worker *worker);
