/* The mask of a kernel thread that has a seat: its own thread and the monitor write it.
 *
 * With: floor
 */
#define _GNU_SOURCE
#include "base/carrier.h"
#include "exec/body/seat.h"
#include "exec/ground/options.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker_parts.h"
#include "interleave/floor.h"
#include "interleave/model.h"

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
