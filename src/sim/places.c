/* Places (floor: sim; the third carrier, see base/carrier.h): the kernel threads of the simulated machine. They are
 * contexts on one real kernel thread, each with a clock of its own. The place that is least far in time goes on.
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

#include "base/carrier.h"
#include "base/log.h"
#include "exec/thread/donor.h"
#include "platform/thread.h"
#include "sim/memory.h"
#include "sim/place.h"
#include "sim/sim.h"
#include "sim/stopwatch.h"

#define CLOSE_NS 200 /* if the slack is less, others go first at its next look */
#define NOW_NS 20    /* a read of the clock */

/* If no PU can go on for so long, none ever will: by then the watchdog of policies has brought back what was put
 * aside. */
#define ALONE_NS UINT64_C(6000000000)

static struct place first = {.core = -1}, *last = &first;
struct place *fg_place = &first;
struct fg_sim fg_sim = {.here = first.events};

static void
be_awake(struct place *place, int core)
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

static void
be_on(unsigned pu)
{
	fg_sim.pu = pu;
	fg_lines_of(pu);
}

/* This load is not charged. */
static const struct fg_runqueue *
raw_leaf(const struct fg_worker *worker)
{
	return atomic_load_explicit(&worker->leaf.v, memory_order_relaxed);
}

bool
fg_sim_locate(void)
{
	struct fg_identity *self = fg_self();
	if (!self || !self->worker)
		return false;
	struct fg_worker *worker = self->worker;
	const struct fg_runqueue *leaf = raw_leaf(worker);
	if (leaf)
		be_on(leaf->first_pu);
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	if (fg_place->core != pu->core)
		be_awake(fg_place, pu->core);
	if (worker->statistics.steals != fg_place->steals) {
		fg_place->steals = worker->statistics.steals;
		pu->steals++;
		fg_sim.distance_steals[fg_sim_distance(pu->taken_from, fg_sim.pu)]++;
	}
	if (fg_place->last != self) {
		if (fg_place->last) {
			pu->switches++;
			fg_sim_spend(FG_SPENT_SYSTEM, (uint64_t)fg_sim.model.thread_switch);
		}
		fg_place->last = self;
		fg_trail_note(self);
	}
	return true;
}

unsigned
fg_sim_distance(unsigned from, unsigned to)
{
	unsigned hops = fg_model_hops(&fg_sim.model, from, to);
	return hops ? fg_sim.model.machine->max_depth + hops - 1 : fg_machine_distance(fg_sim.model.machine, from, to);
}

/* A timed stretch. The program's own part comes first where memory takes some of it off. */
static void
compute(uint64_t ns)
{
	uint64_t left = fg_memory_beyond(ns), off = ns - left, program = fg_stopwatch_program;
	program = program > off ? program - off : 0;
	uint64_t whole = fg_place_slowed(left);
	program = fg_place_slowed(program);
	fg_sim_compute(whole, program < whole ? program : whole);
}

void
fg_sim_lap(bool looks)
{
	if (fg_sim.given)
		return;
	uint64_t ns = fg_stopwatch_lap();
	fg_sim.spins = fg_sim.spins && looks && ns <= LOOK_NS;
	if (fg_sim.spins)
		fg_sim.clock += ns;
	else
		compute(ns);
}

static uint64_t
due(const struct place *place)
{
	if (place->state == READY)
		return place->clock;
	return place->state == WAITING && place->deadline ? place->deadline : UINT64_MAX;
}

static void
stuck(void)
{
	fg_sim.failed = true;
	fg_fatal("Simulated machine: every thread sleeps, and nothing on it can wake one; a wait for something outside of it "
		 "cannot be simulated");
}

/* The place can go on when it is due. The heap has room, because place_new has made it. */
void
fg_place_queue(struct place *place)
{
	uint64_t time = due(place);
	if (time == UINT64_MAX)
		return;
	place->turn.time = time;
	fg_turns_put(&place->turn);
	fg_sim.next = fg_turns_next();
}

/* Returns the place that is least far in time. fg_sim.next becomes the time of the next one. */
static struct place *
pick(void)
{
	struct fg_turn *turn = fg_turns_take();
	if (!turn)
		stuck();
	struct place *best = (struct place *)((char *)turn - offsetof(struct place, turn));
	fg_sim.next = fg_turns_next();
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
	self->searches = fg_charge_searches;
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
	be_on(self->pu);
	if (fg_sim_slack() < CLOSE_NS)
		fg_lines_look_again();
	fg_sim.spins = self->spins;
	fg_charge_searches = self->searches;
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
	fg_lines_look_again(); /* the place is on no PU yet */
	fg_sim.spins = fg_charge_searches = false;
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
	be_awake(fg_place, -1);
	fg_place_go_on();
	abort();
}

/* In the child of a fork only the caller's context is left. Its time is of no interest. */
static void
after_fork(void)
{
	if (!fg_sim.on)
		return;
	if (fg_place != &first)
		first = *fg_place;
	first.next = NULL;
	last = fg_place = &first;
	first.turn.at = 0;
	fg_turns_clear();
	fg_sim.here = first.events;
	fg_sim.next = UINT64_MAX;
	fg_lines_clear();
}

static int
place_new(const struct place *as)
{
	static bool prepared;
	if (!prepared)
		pthread_atfork(NULL, NULL, after_fork);
	prepared = true;
	struct place *place = fg_turns_reserve(last->turn.number + 2) ? malloc(sizeof *place) : NULL;
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
	place->turn.number = last->turn.number + 1;
	last = last->next = place;
	fg_place_queue(place);
	return 0;
}

static int
sim_start(void (*start)(void *), void *arg, const char *thread_name)
{
	(void)thread_name;
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_lap(false);
	int error = place_new(
		&(struct place){.start = start, .arg = arg, .clock = fg_sim.clock + (uint64_t)fg_sim.model.start});
	if (!error)
		fg_sim_spend(FG_SPENT_SYSTEM, (uint64_t)fg_sim.model.create);
	fg_stopwatch_start();
	fg_sim.busy = false;
	return error;
}

bool
fg_sim_start_outside(void (*start)(void *), void *arg)
{
	bool busy = fg_sim.busy;
	fg_sim.busy = true;
	bool started =
		place_new(&(struct place){.start = start, .arg = arg, .clock = fg_sim.clock, .outside = true}) == 0;
	fg_sim.busy = busy;
	return started;
}

void
fg_sim_each_that_computes(void (*tell)(struct fg_identity *self))
{
	for (struct place *place = &first; place; place = place->next)
		if (place->state == READY && !place->spins && !place->outside && place->last)
			tell(place->last);
}

static void
sim_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns)
{
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_lap(false);
	fg_sim_spend(FG_SPENT_SYSTEM, (uint64_t)fg_sim.model.sleep);
	fg_sim_let_others();
	if (atomic_load_explicit(&word->v, memory_order_seq_cst) == value) {
		fg_place->state = WAITING;
		fg_place->word = word;
		fg_place->deadline = timeout_ns ? fg_sim.clock + timeout_ns : 0;
		fg_sim.pus[fg_sim.pu].sleeps++;
		be_awake(fg_place, -1);
		fg_place_go_on();
	}
	fg_stopwatch_start();
	fg_sim.busy = false;
}

static void
sim_wake(struct fg_atomic_u32 *word, unsigned count)
{
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_lap(false);
	fg_sim_let_others();
	fg_sim_spend(FG_SPENT_SYSTEM, (uint64_t)fg_sim.model.wake_call);
	for (struct place *p = &first; p && count; p = p->next) {
		if (p->state != WAITING || p->word != word)
			continue;
		uint64_t then = fg_sim.clock + (uint64_t)fg_sim.model.wake_latency;
		p->state = READY;
		p->clock = p->clock > then ? p->clock : then;
		fg_place_queue(p);
		count--;
	}
	fg_stopwatch_start();
	fg_sim.busy = false;
}

static uint64_t
sim_now(void)
{
	if (fg_sim.busy || !fg_sim.on)
		return fg_sim.clock;
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_lap(false);
	fg_sim.clock += NOW_NS;
	fg_stopwatch_start();
	fg_sim.busy = false;
	return fg_sim.clock;
}

/* No other process wants the simulated PUs. */
static void
sim_ran(struct fg_ran *ran)
{
	*ran = (struct fg_ran){0};
}

void
fg_sim_work_step(uint64_t ns)
{
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_locate();
	fg_sim_lap(false);
	fg_sim_compute(fg_place_slowed(ns), fg_place_slowed(ns));
	fg_sim_let_others();
	fg_stopwatch_start();
	fg_sim.busy = false;
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

/* Some place on a PU can go on. */
static bool
can_go_on(void)
{
	const struct place *place = &first;
	while (place && (place->outside || due(place) == UINT64_MAX))
		place = place->next;
	return place;
}

bool
fg_sim_look_away(uint64_t until)
{
	static uint64_t alone_since;
	uint32_t turn = fg_charge_turn;
	if (can_go_on())
		alone_since = 0;
	else if (!alone_since)
		alone_since = fg_sim.clock;
	else if (fg_sim.clock > alone_since + ALONE_NS) /* the clocks of contexts differ */
		stuck();
	fg_sim_sleep_until(until);
	return turn != fg_charge_turn;
}

bool
fg_carrier_sim_is_first(void)
{
	return fg_thread_id() == fg_sim.pid;
}

static void
sim_meet(void)
{
	if (fg_carrier_sim_is_first())
		return fg_overseer_meet();
	fg_sim.failed = true;
	fg_fatal("Simulated machine: a region was opened by a pthread that is not on it");
}

const struct fg_carrier fg_carrier_sim = {
	.name = "sim",
	.start = sim_start,
	.wait = sim_wait,
	.wake = sim_wake,
	.pause = fg_place_pause,
	.now = sim_now,
	.ran = sim_ran,
	.work = fg_sim_work,
	.touch = fg_memory_touch,
	.meet = sim_meet,
	.describe = fg_sim_describe,
};
