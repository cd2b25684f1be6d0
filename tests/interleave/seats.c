/* The mask of a kernel thread that has a seat: its own thread and the monitor write it.
 *
 * With: floor
 */
#define _GNU_SOURCE
#include "base/carrier.h"
#include "exec/body/binding.h"
#include "exec/body/seat.h"
#include "exec/ground/options.h"
#include "exec/thread/all_workers.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker_parts.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/caches.h"
#include "share/entry.h"
#include "share/own_set.h"

#define ALL 3
#define SEAT 1
#define OWN 2

static struct fg_worker *worker;
static struct fg_atomic_u32 sits;

static void
setup(void)
{
	floor_setup();
	floor_binds = true;
	fg_store_relaxed(&floor_cpus, ALL);
	fg_exec_options.cpus.bits[0] = ALL;
	fg_seat_on = fg_seats.placed = true;
}

/* The thread of the program sits in its region. */
static void
sit(void)
{
	struct fg_root *root = floor_root(true);
	worker = fg_root_worker(root);
	worker->tid = 1000;
	root->size = root->slots = 2;
	fg_store_relaxed(&root->dock.owner, root);
	fg_seat_take(worker);
	model_assert(fg_load_relaxed(&floor_cpus) == SEAT);
	fg_store_release(&sits, 1);
}

static void
loosen(void)
{
	while (!fg_load_acquire(&sits))
		fg_carrier->pause();
	fg_seat_loosen(worker);
}

/* It sets its own mask, and that stays. */
static void
set_own(void)
{
	struct fg_cpuset own = {{OWN}};
	sit();
	model_assert(fg_seat_set_mask(worker, sizeof own, &own) == 0);
}

static void
own_stays(void)
{
	model_assert(fg_load_relaxed(&floor_cpus) == OWN);
}
MODEL_SCENARIO(seat_own, .setup = setup, .thread = {set_own, loosen}, .check = own_stays,
	       .broken = MODEL_BROKEN("drop fg_seat_set_mask:fence_seq_cst", "drop fg_seat_loosen:fence_seq_cst"));

/* It sits down again meanwhile. Either it has the seat, or it knows that it has lost it. */
static void
sit_again(void)
{
	sit();
	fg_seat_take(worker);
}

static void
knows(void)
{
	const struct fg_bound *bound = &fg_parts(worker)->bound;
	model_assert(fg_load_relaxed(&floor_cpus) == SEAT ||
		     (fg_load_relaxed(&floor_cpus) == ALL && fg_load_relaxed(&bound->loosened)));
}
MODEL_SCENARIO(seat_again, .setup = setup, .thread = {sit_again, loosen}, .check = knows,
	       .broken = MODEL_BROKEN("drop fg_seat_loosen:store_release"));

/* The process has a set of PUs, and then another one. A worker of the pool that waits meanwhile has the PUs of the last
 * one, or knows that it must sit down anew. */
static const struct fg_cpuset every = {{15}};
static struct fg_board board;

static void
setup_set(void)
{
	setup();
	fg_exec_options.n_pus = 4;
	fg_exec_options.cpus = every;
	fg_store_relaxed(&floor_cpus, 15);
	fg_seats.placed = false;
	fg_own_set.on = true;
	model_assert(fg_own_set_keep(caches_machine()));
}

static void
choose(void)
{
	struct fg_own_request request = {2, 0, &every};
	fg_own_set_look(&board, 1, 0, &request);
	fg_add_release(&fg_all_workers.returns, 1);
}

static void
chooses_twice(void)
{
	static const struct fg_cpuset first = {{3}};
	choose();
	fg_entry_tell_set(&board, 0, &first);
	fg_store_relaxed(&board.entry[0].taken, 1);
	fg_store_relaxed(&board.used, 1);
	choose();
	model_assert(fg_own_set_has(2) && fg_own_set_has(3) && !fg_own_set_has(0));
}

static void
waits(void)
{
	worker = fg_root_worker(floor_root(true));
	worker->slot = 1;
	worker->home->root = NULL;
	fg_levels_deepen();
	for (unsigned i = 0; i < 2; i++)
		fg_binding_keep(worker);
}

static void
has_last_set(void)
{
	if (fg_parts(worker)->bound.returns == fg_load_relaxed(&fg_all_workers.returns))
		model_assert(fg_load_relaxed(&floor_cpus) == 12);
}
MODEL_SCENARIO(seat_set, .setup = setup_set, .thread = {waits, chooses_twice}, .check = has_last_set,
	       .broken = MODEL_BROKEN("weaken fg_binding_renew:load_acquire", "weaken fg_worker_init:load_acquire",
				      "weaken choose:add_release"));
