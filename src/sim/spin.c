/* Spin (floor: sim; carrier.c, lines.c and start.c use it): an actor that spins looks again after each pause. The
 * pauses grow when no line has changed for many turns that its PU has. A change ends a long pause, so the actor misses
 * nothing. */
#include "base/atomic_charged.h"
#include "sim/actor.h"
#include "sim/stopwatch.h"

#define QUIET_TURNS 600 /* a thief has looked everywhere by then (exec's worker loop) */
/* It reads the clock in every 64th turn: it must fall asleep in time (idle.c), and go farther in time (rob.h). */
#define QUIET_MAX_NS 100

/* The time of one turn of a spinning wait. As long as no line changes that its PU has, all turns are alike. So then the
 * pauses grow. fg_sim_disturb ends a long one. */
static uint64_t
turn_ns(void)
{
	struct actor *self = fg_actor;
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	uint64_t ns = (uint64_t)fg_sim.model.pause;
	if (self->changes_seen != pu->changes) {
		self->changes_seen = pu->changes;
		self->quiet = 0;
		self->quiet_since = fg_sim.clock;
	}
	if (++self->quiet <= QUIET_TURNS || pu->pausing)
		return ns;
	uint64_t longer = (fg_sim.clock - self->quiet_since) / 8;
	if (longer > QUIET_MAX_NS)
		longer = QUIET_MAX_NS;
	if (longer <= ns)
		return ns;
	pu->pausing = self;
	self->paused_from = fg_sim.clock;
	return longer;
}

/* The spinning actor looks again at the end of the turn in which the line was changed. */
void
fg_sim_disturb(struct fg_sim_pu *pu)
{
	struct actor *actor = pu->pausing;
	uint64_t turn = fg_sim.model.pause >= 1 ? (uint64_t)fg_sim.model.pause : 1, now = fg_sim.clock;
	pu->changes++;
	if (!actor || !actor->turn.at)
		return;
	uint64_t passed = now > actor->paused_from ? now - actor->paused_from : 0;
	uint64_t end = actor->paused_from + (passed / turn + 1) * turn;
	pu->pausing = NULL;
	if (end >= actor->clock)
		return;
	actor->clock = end;
	fg_actor_queue(actor);
}

/* `turn` tells the length of the turn. */
static void
spin(uint64_t (*turn)(void))
{
	fg_stopwatch_stop();
	uint64_t ns = fg_sim.given ? 0 : fg_stopwatch_lap();
	fg_sim.busy = true;
	if (!fg_sim.given && !fg_sim.spins)
		fg_sim_compute(fg_actor_slowed(ns), fg_actor_slowed(fg_stopwatch.program));
	else if (!fg_sim.given && ns > LOOK_NS)
		fg_sim_spend(fg_charge_state.searches ? FG_SPENT_SEARCH : FG_SPENT_RUNTIME, fg_actor_slowed(ns));
	fg_sim.pus[fg_sim.pu].ahead = 0;
	fg_sim.spins = true;
	fg_sim.clock += turn();
	fg_sim_let_others();
	if (fg_sim.pus[fg_sim.pu].pausing == fg_actor)
		fg_sim.pus[fg_sim.pu].pausing = NULL;
	fg_stopwatch_start();
	fg_sim.busy = false;
}

void
fg_actor_pause(void)
{
	spin(turn_ns);
}

/* The program waits for something that is no line of the runtime, so each turn is short. */
static uint64_t
short_turn_ns(void)
{
	return (uint64_t)fg_sim.model.pause;
}

void
fg_sim_wait_turn(void)
{
	spin(short_turn_ns);
	fg_sim.busy = true;
	if (fg_sim.next != UINT64_MAX && fg_sim.next >= fg_sim.clock) {
		fg_sim.clock = fg_sim.next + 1;
		fg_actor_go_on();
	}
	fg_stopwatch_start();
	fg_sim.busy = false;
}
