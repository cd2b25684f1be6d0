/* Places (floor: sim; the files around share them): the kernel threads of the simulated machine. They are contexts on
 * one real kernel thread, each with a clock of its own. The place that is least far in time goes on.
 *
 * What the program computes moves a place's clock (sim/stopwatch.h, or fgomp_sim_work). Cache lines that the place
 * waits for move it, too (lines.c). So do the memory that the program goes through (memory.c), and the costs of the
 * model. A place that sleeps takes its clock from the place that wakes it. A place that spins looks again after each
 * pause. The pauses grow when nothing has happened for many turns, because a machine of many idle PUs would otherwise
 * take for ever. A pause never goes beyond the time at which the next place acts. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/atomic_charged.h"
#include "base/log.h"
#include "exec/donor/donor.h"
#include "sim/place.h"
#include "sim/rights.h"
#include "sim/stopwatch.h"

#define CLOSE_NS 200 /* if the slack is less, others go first at its next look */

struct place fg_place_first = {.core = -1}, *fg_place = &fg_place_first;
static struct {
	struct place *last;
	struct fg_turns turns;
	bool prepared;
} all = {.last = &fg_place_first};

void
fg_place_awake(struct place *place, int core)
{
	if (place->core >= 0)
		fg_sim.pus[place->core].awake--;
	place->core = core;
	if (core >= 0)
		fg_sim.pus[core].awake++;
}

/* The time for computing where PUs share a core. If two of them are awake, each has the model's share of its speed.
 * More than two have together the speed of two. */
uint64_t
fg_place_slowed(uint64_t ns)
{
	int core = fg_place->core;
	if (core < 0 || fg_sim.pus[core].awake < 2)
		return ns;
	return (uint64_t)((double)ns * fg_sim.pus[core].awake / (2 * fg_sim.model.smt));
}

uint64_t
fg_place_due(const struct place *place)
{
	if (place->state == READY)
		return place->clock;
	return place->state == WAITING && place->deadline ? place->deadline : UINT64_MAX;
}

void
fg_place_stuck(void)
{
	fg_sim.failed = true;
	fg_fatal("Simulated machine: every thread sleeps, and nothing on it can wake one; a wait for something outside "
		 "of it cannot be simulated");
}

/* The place can go on when it is due. The heap has room, because place_new has made it. */
void
fg_place_queue(struct place *place)
{
	uint64_t time = fg_place_due(place);
	if (time == UINT64_MAX)
		return;
	place->turn.time = time;
	fg_turns_put(&all.turns, &place->turn);
	fg_sim.next = fg_turns_next(&all.turns);
}

/* Returns the place that is least far in time. fg_sim.next becomes the time of the next one. */
static struct place *
pick(void)
{
	struct fg_turn *turn = fg_turns_take(&all.turns);
	if (!turn)
		fg_place_stuck();
	struct place *best = (struct place *)((char *)turn - offsetof(struct place, turn));
	fg_sim.next = fg_turns_next(&all.turns);
	if (best->state == WAITING) {
		best->state = READY;
		best->clock = best->deadline;
	}
	return best;
}

/* Goes on with the place that is least far in time. Returns when that is the caller. */
void
fg_place_go_on(void)
{
	struct place *self = fg_place;
	self->clock = fg_sim.clock;
	self->pu = fg_sim.pu;
	self->spins = fg_sim.spins;
	self->searches = fg_charge_state.searches;
	self->turn.order = fg_chance_next(&fg_sim.chance);
	fg_place_queue(self);
	struct place *next = pick();
	fg_place = next;
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
		fg_place_go_on();
}

static void
place_main(void)
{
	struct place *self = fg_place;
	fg_self_pointer = NULL;
	fg_rights_look_again(); /* the place is on no PU yet */
	fg_sim.spins = fg_charge_state.searches = false;
	if (self->outside)
		fg_sim.pu = fg_sim.n_pus;
	else if (fg_sim.pu == fg_sim.n_pus)
		fg_sim.pu = 0;
	fg_stopwatch_start();
	fg_sim.busy = false;
	self->start(self->arg);
	fg_sim_end_place();
}

void
fg_sim_end_place(void)
{
	fg_sim.busy = true;
	fg_place->state = ENDED;
	fg_place_awake(fg_place, -1);
	fg_place_go_on();
	abort();
}

/* In the child of a fork only the caller's context is left. Its time is of no interest. */
static void
after_fork(void)
{
	if (!fg_sim.on)
		return;
	if (fg_place != &fg_place_first)
		fg_place_first = *fg_place;
	fg_place_first.next = NULL;
	all.last = fg_place = &fg_place_first;
	fg_place_first.turn.at = 0;
	fg_turns_clear(&all.turns);
	fg_sim.here = fg_place_first.events;
	fg_sim.next = UINT64_MAX;
}

int
fg_place_new(const struct place *as)
{
	if (!all.prepared)
		pthread_atfork(NULL, NULL, after_fork);
	all.prepared = true;
	struct place *place = fg_turns_reserve(&all.turns, all.last->turn.number + 2) ? malloc(sizeof *place) : NULL;
	struct fg_identity *donor = place ? fg_donor_new(place_main) : NULL;
	if (!donor) {
		int error = place ? errno : ENOMEM;
		free(place);
		return error;
	}
	*place = *as;
	place->context = donor->context;
	fg_sim.started = donor->context.tls;
	place->core = -1;
	place->turn.number = all.last->turn.number + 1;
	all.last = all.last->next = place;
	fg_place_queue(place);
	return 0;
}
