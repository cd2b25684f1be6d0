/* The simulated machine's carrier (floor: sim; the third one, see base/carrier.h): what the runtime asks of kernel
 * threads becomes a matter of actors. */
#define _GNU_SOURCE
#include "base/carrier.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "platform/path.h"
#include "sim/actor.h"
#include "sim/marks.h"
#include "sim/stopwatch.h"

#define NOW_NS 20 /* a read of the clock */

static int
sim_start(void (*start)(void *), void *arg, const char *thread_name)
{
	(void)thread_name;
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_lap(false);
	int error = fg_actor_new(
		&(struct actor){.start = start, .arg = arg, .clock = fg_sim.clock + (uint64_t)fg_sim.model.start});
	if (!error)
		fg_sim_spend(FG_SPENT_SYSTEM, (uint64_t)fg_sim.model.create);
	fg_stopwatch_start();
	fg_sim.busy = false;
	return error;
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
		fg_actor->state = WAITING;
		fg_actor->word = word;
		fg_actor->deadline = timeout_ns ? fg_sim.clock + timeout_ns : 0;
		fg_sim.pus[fg_sim.pu].sleeps++;
		fg_actor_awake(fg_actor, -1);
		fg_actor_go_on();
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
	for (struct actor *p = &fg_actors.first; p && count; p = p->next) {
		if (p->state != WAITING || p->word != word)
			continue;
		uint64_t then = fg_sim.clock + (uint64_t)fg_sim.model.wake_latency;
		p->state = READY;
		p->clock = p->clock > then ? p->clock : then;
		fg_actor_queue(p);
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

static void
sim_meet(void)
{
	if (fg_carrier_sim_is_first())
		return fg_overseer_meet();
	fg_sim.failed = true;
	fg_fatal("Simulated machine: a region was opened by a pthread that is not on it");
}

/* Into the facts of a trace. */
static void
sim_describe(FILE *text)
{
	const char *machine = getenv("FGSIM_MACHINE");
	char *path = machine ? fg_path_true_name(machine) : NULL;
	fprintf(text, "machine=%s\npus=%u\nseed=%" PRIu64 "\ngiven=%d\nmemory=told\n",
		path	  ? path
		: machine ? machine
			  : "",
		fg_sim.n_pus, fg_sim.seed, fg_sim.given);
	free(path);
}

const struct fg_carrier fg_carrier_sim = {
	.name = "sim",
	.start = sim_start,
	.wait = sim_wait,
	.wake = sim_wake,
	.pause = fg_actor_pause,
	.now = sim_now,
	.ran = sim_ran,
	.work = fg_sim_work,
	.touch = fg_mark_touch,
	.meet = sim_meet,
	.describe = sim_describe,
};
