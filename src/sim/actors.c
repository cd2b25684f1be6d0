/* Actors (floor: sim; the files around share them): the kernel threads of the simulated machine. They are contexts on
 * one real kernel thread, each with a clock of its own. The actor that is least far in time goes on.
 *
 * What the program computes moves an actor's clock (sim/stopwatch.h, or fgomp_sim_work). Cache lines that the actor
 * waits for move it, too (lines.c). So do the memory that the program goes through (memory.c), and the costs of the
 * model. An actor that sleeps takes its clock from the actor that wakes it. An actor that spins looks again after each
 * pause. The pauses grow when nothing has happened for many turns, because a machine of many idle PUs would otherwise
 * take for ever. A pause never goes beyond the time at which the next actor acts. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/atomic_charged.h"
#include "base/log.h"
#include "exec/donor/donor.h"
#include "sim/actor.h"
#include "sim/rights.h"
#include "sim/stopwatch.h"

#define CLOSE_NS 200 /* if the slack is less, others go first at its next look */

struct fg_actors fg_actors = {.first = {.core = -1}, .last = &fg_actors.first};
struct actor *fg_actor = &fg_actors.first;

void
fg_actor_awake(struct actor *actor, int core)
{
	if (actor->core >= 0)
		fg_sim.pus[actor->core].awake--;
	actor->core = core;
	if (core >= 0)
		fg_sim.pus[core].awake++;
}

/* The time for computing where PUs share a core. If two of them are awake, each has the model's share of its speed.
 * More than two have together the speed of two. */
uint64_t
fg_actor_slowed(uint64_t ns)
{
	int core = fg_actor->core;
	if (core < 0 || fg_sim.pus[core].awake < 2)
		return ns;
	return (uint64_t)((double)ns * fg_sim.pus[core].awake / (2 * fg_sim.model.smt));
}

uint64_t
fg_actor_due(const struct actor *actor)
{
	if (actor->state == READY)
		return actor->clock;
	return actor->state == WAITING && actor->deadline ? actor->deadline : UINT64_MAX;
}

void
fg_actor_stuck(void)
{
	fg_sim.failed = true;
	fg_fatal("Simulated machine: every thread sleeps, and nothing on it can wake one; a wait for something outside "
		 "of it cannot be simulated");
}

/* The actor can go on when it is due. The heap has room, because actor_new has made it. */
void
fg_actor_queue(struct actor *actor)
{
	uint64_t time = fg_actor_due(actor);
	if (time == UINT64_MAX)
		return;
	actor->turn.time = time;
	fg_turns_put(&fg_actors.turns, &actor->turn);
	fg_sim.next = fg_turns_next(&fg_actors.turns);
}

/* Returns the actor that is least far in time. fg_sim.next becomes the time of the next one. */
static struct actor *
pick(void)
{
	struct fg_turn *turn = fg_turns_take(&fg_actors.turns);
	if (!turn)
		fg_actor_stuck();
	struct actor *best = (struct actor *)((char *)turn - offsetof(struct actor, turn));
	fg_sim.next = fg_turns_next(&fg_actors.turns);
	if (best->state == WAITING) {
		best->state = READY;
		best->clock = best->deadline;
	}
	return best;
}

/* Goes on with the actor that is least far in time. Returns when that is the caller. */
void
fg_actor_go_on(void)
{
	struct actor *self = fg_actor;
	self->clock = fg_sim.clock;
	self->pu = fg_sim.pu;
	self->spins = fg_sim.spins;
	self->searches = fg_charge_state.searches;
	self->turn.order = fg_chance_next(&fg_sim.chance);
	fg_actor_queue(self);
	struct actor *next = pick();
	fg_actor = next;
	fg_sim.clock = next->clock;
	fg_sim.here = next->events;
	if (next == self)
		return;
	self->context.tls = fg_context_tls();
	fg_context_switch(&self->context, &next->context, NULL, NULL);
	fg_rights_of(self->pu);
	if (fg_sim_slack() < CLOSE_NS)
		fg_rights_look_again();
	fg_sim.spins = self->spins;
	fg_charge_state.searches = self->searches;
}

void
fg_sim_let_others(void)
{
	if (fg_sim.clock > fg_sim.next)
		fg_actor_go_on();
}

static void
actor_main(void)
{
	struct actor *self = fg_actor;
	fg_self_pointer = NULL;
	fg_rights_look_again(); /* the actor is on no PU yet */
	fg_sim.spins = fg_charge_state.searches = false;
	if (self->outside)
		fg_sim.pu = fg_sim.n_pus;
	else if (fg_sim.pu == fg_sim.n_pus)
		fg_sim.pu = 0;
	fg_stopwatch_start();
	fg_sim.busy = false;
	self->start(self->arg);
	fg_sim_end_actor();
}

void
fg_sim_end_actor(void)
{
	fg_sim.busy = true;
	fg_actor->state = ENDED;
	fg_actor_awake(fg_actor, -1);
	fg_actor_go_on();
	abort();
}

/* In the child of a fork only the caller's context is left. Its time is of no interest. */
static void
after_fork(void)
{
	if (!fg_sim.on)
		return;
	if (fg_actor != &fg_actors.first)
		fg_actors.first = *fg_actor;
	fg_actors.first.next = NULL;
	fg_actors.last = fg_actor = &fg_actors.first;
	fg_actors.first.turn.at = 0;
	fg_turns_clear(&fg_actors.turns);
	fg_sim.here = fg_actors.first.events;
	fg_sim.next = UINT64_MAX;
}

int
fg_actor_new(const struct actor *as)
{
	if (!fg_actors.prepared)
		pthread_atfork(NULL, NULL, after_fork);
	fg_actors.prepared = true;
	struct actor *actor =
		fg_turns_reserve(&fg_actors.turns, fg_actors.last->turn.number + 2) ? malloc(sizeof *actor) : NULL;
	struct fg_identity *donor = actor ? fg_donor_new(actor_main) : NULL;
	if (!donor) {
		int error = actor ? errno : ENOMEM;
		free(actor);
		return error;
	}
	*actor = *as;
	actor->context = donor->context;
	fg_sim.started = donor->context.tls;
	actor->core = -1;
	actor->turn.number = fg_actors.last->turn.number + 1;
	fg_actors.last = fg_actors.last->next = actor;
	fg_actor_queue(actor);
	return 0;
}
