/* The start of workers (exec/pool/workers.c): by each other, by a thread that waits for them, and by one that does
 * not. The system may also refuse them.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * Constants: exec/pool/workers.c FIRST=1
 * With: floor
 */
#include <errno.h>

#include "exec/nested/birth.h"
#include "exec/flat/dock.h"
#include "exec/thread/levels.h"
#include "exec/ground/options.h"
#include "exec/pool/workers.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker_parts.h"
#include "interleave/floor.h"
#include "interleave/model.h"

static struct fg_root *root;
static unsigned seen[4], born[4];

static void
setup(void)
{
	floor_setup();
	fg_exec_options.n_pus = 3;
}

static void
note_body(void *job, unsigned member)
{
	((unsigned *)job)[member]++;
}

/* Every worker has its own number and its own seat, and knows both. */
static void
workers_is_sound(void)
{
	model_assert(fg_workers.n <= fg_exec_options.n_pus);
	for (unsigned i = 1; i < fg_workers.n; i++) {
		model_assert(fg_parts(fg_workers.all[i])->hire.number == i);
		for (unsigned k = 1; k < i; k++)
			model_assert(fg_load_relaxed(&fg_workers.all[k]->seat) !=
				     fg_load_relaxed(&fg_workers.all[i]->seat));
	}
}

static bool
flat_region(unsigned size, void (*body)(void *job, unsigned member))
{
	if (!fg_dock_acquire(&root->identity, size, NULL))
		return false;
	workers_is_sound();
	fg_dock_fork(&root->identity, body, seen, NULL, NULL);
	body(seen, 0);
	fg_dock_join(&root->identity);
	for (unsigned k = 0; k < size; k++) {
		model_assert(seen[k] == 1);
		seen[k] = 0;
	}
	return true;
}

static void
nested_region(unsigned size)
{
	struct fg_births *births = model_alloc(sizeof *births); /* never freed: exec/nested/rejoin.h */
	*births = (struct fg_births){.body = note_body, .job = born, .width = 3};
	fg_births_publish(fg_self(), births, size);
	note_body(born, 0);
	fg_births_join(fg_self(), births);
	fg_births_leave(fg_self(), births);
	for (unsigned k = 0; k < size; k++) {
		model_assert(born[k] == 1);
		born[k] = 0;
	}
}

/* The first worker starts one of the two others, and the root the other one. It waits for all. */
static void
flat(void)
{
	root = floor_root(false);
	model_assert(flat_region(4, note_body));
	model_assert(fg_workers.n == 4);
}

static void
setup_four(void)
{
	floor_setup();
	fg_exec_options.n_pus = 4;
}
MODEL_SCENARIO(workers_flat, .setup = setup_four, .thread = {flat},
	       .broken = MODEL_BROKEN("drop let_begin:exchange_acq_rel", "drop start_missing:add_release",
				      "drop wake"));

/* A team of 4 has members on PUs 0 to 3, and a team of 2 has them on 0 and 2. The workers that take no part go to 1
 * and 3. */
static void
aside(void)
{
	root = floor_root(false);
	model_assert(flat_region(4, note_body));
	model_assert(flat_region(2, note_body));
	for (unsigned i = 1; i < 4; i++) {
		struct fg_worker *worker = fg_workers.all[i];
		model_assert(fg_load_relaxed(&worker->seat) == fg_levels_leaf((const unsigned[]){0, 2, 1, 3}[i]));
		fg_wake_worker(worker);
		while (fg_load_relaxed(&worker->leaf) != fg_load_relaxed(&worker->seat))
			fg_carrier->pause();
	}
}

MODEL_SCENARIO(workers_aside, .setup = setup_four, .thread = {aside}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_worker_sit:store_relaxed", "drop wake"));

/* A nested region starts the workers. The flat region that follows needs those that are not there yet. */
static void
nest_body(void *job, unsigned member)
{
	note_body(job, member);
	if (member == 0)
		nested_region(2);
}

static void
nested(void)
{
	root = floor_root(false);
	model_assert(flat_region(2, nest_body));
	model_assert(flat_region(3, note_body));
	model_assert(fg_workers.n == 3);
}
MODEL_SCENARIO(workers_nested, .setup = setup, .thread = {nested}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop let_begin:exchange_acq_rel", "drop wake"));

/* The system refuses some workers. No thread waits for these, and a thread that asks again may get them. */
static struct fg_atomic_u32 refuses;

static int
start_or_not(void (*start)(void *), void *arg, const char *name)
{
	if (fg_load_relaxed(&refuses) && model_oddity(2))
		return EAGAIN;
	return model_carrier.start(start, arg, name);
}

static struct fg_carrier stingy;

static void
setup_refused(void)
{
	setup();
	stingy = model_carrier;
	stingy.start = start_or_not;
	fg_carrier = &stingy;
	fg_store_relaxed(&refuses, 1);
}

static void
refused(void)
{
	root = floor_root(false);
	if (!flat_region(3, nest_body))
		nested_region(3);
	fg_store_relaxed(&refuses, 0);
	while (!flat_region(3, note_body)) /* the report of an earlier refusal may come late */
		fg_carrier->pause();
	model_assert(fg_workers.n == 3);
}
MODEL_SCENARIO(workers_refused, .setup = setup_refused, .thread = {refused}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop let_begin:exchange_acq_rel", "drop wake"));
