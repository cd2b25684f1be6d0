/* Outside (floor: sim; called by overseer.c, daemons.c and start.c): simulated kernel threads that are on no PU, and
 * sleep in simulated time. */
#include "base/atomic_charged.h"
#include "sim/actor.h"
#include "sim/stopwatch.h"

/* If no PU can go on for so long, none ever will: by then the watchdog of policies has brought back what was put
 * aside. */
#define ALONE_NS UINT64_C(6000000000)

bool
fg_sim_start_outside(void (*start)(void *), void *arg)
{
	bool busy = fg_sim.busy;
	fg_sim.busy = true;
	bool started =
		fg_actor_new(&(struct actor){.start = start, .arg = arg, .clock = fg_sim.clock, .outside = true}) == 0;
	fg_sim.busy = busy;
	return started;
}

void
fg_sim_each_that_computes(void (*tell)(struct fg_identity *self))
{
	for (struct actor *actor = &fg_actors.first; actor; actor = actor->next)
		if (actor->state == READY && !actor->spins && !actor->outside && actor->last)
			tell(actor->last);
}

void
fg_sim_sleep_until(uint64_t time)
{
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_lap(false);
	if (time > fg_sim.clock) {
		fg_sim.clock = time;
		fg_sim_let_others();
	}
	fg_stopwatch_start();
	fg_sim.busy = false;
}

/* Some actor on a PU can go on. */
static bool
can_go_on(void)
{
	const struct actor *actor = &fg_actors.first;
	while (actor && (actor->outside || fg_actor_due(actor) == UINT64_MAX))
		actor = actor->next;
	return actor;
}

bool
fg_sim_look_away(uint64_t until)
{
	uint32_t turn = fg_charge_state.turn;
	if (can_go_on())
		fg_sim.alone_since = 0;
	else if (!fg_sim.alone_since)
		fg_sim.alone_since = fg_sim.clock;
	else if (fg_sim.clock > fg_sim.alone_since + ALONE_NS) /* the clocks of contexts differ */
		fg_actor_stuck();
	fg_sim_sleep_until(until);
	return turn != fg_charge_state.turn;
}
