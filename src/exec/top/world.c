/* The world of the policies (floor: exec): see world.h. */
#include "exec/top/world.h"

#include "base/atomic.h"
#include "base/carrier.h"
#include "exec/move/move.h"
#include "exec/move/stop.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/wake.h"
#include "sched/world.h"

static void
pushed(struct fg_runqueue *queue)
{
	fg_wake_any(queue, NULL);
	fg_monitor_poke();
}

static uint64_t
now(void)
{
	return fg_carrier->now();
}

/* Each thread has a state of its own, so that policies need no lock. Runs that start the same threads in the same
 * order get the same numbers. */
static uint64_t
random_number(void)
{
	static struct fg_atomic_u64 threads;
	static __thread uint64_t state;
	if (!state)
		state = (fg_add_relaxed(&threads, 1) + 1) * 0x9e3779b97f4a7c15u;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

void
fg_world_start(void)
{
	fg_world = (struct fg_world){
		.pushed = pushed,
		.put_aside = fg_monitor_poke,
		.now = now,
		.random = random_number,
		.where = fg_move_where,
		.may_move = fg_move_is_free,
		.hasten = fg_move_hasten,
		.move = fg_move,
		.why_not = fg_move_why_not,
		.runs_for = fg_move_runs_for,
		.stop = fg_stop,
		.keep = fg_stop_keep_taken,
		.go = fg_stop_go,
		.run = fg_stop_ready,
		.last = fg_move_last,
	};
}
