/* Parking: members and threads of the program wait in the parking lot for one another.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * With: floor
 */
#include "exec/ground/options.h"
#include "exec/thread/root_worker.h"
#include "exec/loop/park.h"
#include "exec/loop/ready.h"
#include "exec/nested/birth.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"

/* Block and wake: a member of a nested region waits in the parking lot for another one, which may be unborn. */
static struct fg_atomic_u32 flag;

static bool
flag_down(void *arg)
{
	(void)arg;
	return fg_load_acquire(&flag) == 0;
}

static void
flag_wait(void)
{
	struct fg_spin spin = FG_SPIN_INIT;
	while (!fg_load_acquire(&flag))
		if (!fg_spin(&spin))
			fg_park(&flag, flag_down, NULL);
}

static void
flag_raise(void)
{
	fg_store_release(&flag, 1);
	fg_unpark(&flag, -1u);
}

static void
wait_body(void *job, unsigned member)
{
	born_body(job, member);
	if (member == 1)
		flag_wait();
	if (member == 2)
		flag_raise();
}

static void
nest_wait_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		nested_region(3, wait_body);
}

static void
block_wake(void)
{
	root = floor_root(false);
	flat_region(2, nest_wait_body);
}
MODEL_SCENARIO(block_wake, .setup = floor_setup, .thread = {block_wake},
	       .broken = MODEL_BROKEN("weaken fg_unpark:fence_seq_cst", "weaken fg_park:fence_seq_cst",
				      "drop count_add_locked:store_relaxed"));

static void
clocked_wait_body(void *job, unsigned member)
{
	clock_begin(member);
	wait_body(job, member);
	clock_end(member);
}

static void
nest_clocked_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		nested_region(3, clocked_wait_body);
}

static void
block_wake_clocked(void)
{
	root = floor_root(false);
	fg_clock_on = true;
	flat_region(2, nest_clocked_body);
	for (unsigned k = 0; k < 3; k++)
		model_assert(fg_load_relaxed(&clocked[k].own) >= 100);
}
MODEL_SCENARIO(block_wake_clocked, .setup = floor_setup, .thread = {block_wake_clocked},
	       .broken = MODEL_BROKEN("drop fg_clock_out:store_release", "weaken fg_unpark:fence_seq_cst"));

/* The same between members of a flat team, which are pinned to their workers. */
static void
flat_wait_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		flag_wait();
	if (member == 1)
		flag_raise();
}

static void
block_wake_flat(void)
{
	root = floor_root(false);
	flat_region(2, flat_wait_body);
}
MODEL_SCENARIO(block_wake_flat, .setup = floor_setup, .thread = {block_wake_flat},
	       .broken = MODEL_BROKEN("weaken fg_unpark:fence_seq_cst", "weaken fg_park:fence_seq_cst",
				      "drop fg_inbox_put:store_relaxed"));

/* And between threads of the program, outside any region. They sleep in the kernel. */
static unsigned message;

static void
foreign_waiter(void)
{
	floor_root(false);
	flag_wait();
	model_assert(message == 42);
}

static void
foreign_waker(void)
{
	floor_root(false);
	message = 42;
	flag_raise();
}
MODEL_SCENARIO(park_foreign, .setup = floor_setup, .thread = {foreign_waiter, foreign_waker},
	       .broken = MODEL_BROKEN("weaken fg_unpark:fence_seq_cst", "weaken fg_park:fence_seq_cst",
				      "drop fg_unpark:store_release", "weaken flag_raise:store_release", "drop wake"));
MODEL_SCENARIO(park_foreign_two, .setup = floor_setup, .thread = {foreign_waiter, foreign_waker, foreign_waiter},
	       .broken = MODEL_BROKEN("weaken fg_unpark:fence_seq_cst", "weaken fg_park:fence_seq_cst"));

/* Both have nested regions on the only PU, and a member of one waits for a member of the other. The kernel thread of
 * each root carries only members of its own. It sleeps, and is woken for these. */
struct of_root {
	struct fg_root *root;
	bool waits;
};

static void
apart_body(void *job, unsigned member)
{
	const struct of_root *own = job;
	model_assert(fg_self()->worker == fg_root_worker(own->root));
	if (member == 1 && own->waits)
		flag_wait();
	if (member == 1 && !own->waits)
		flag_raise();
	model_assert(fg_self()->worker == fg_root_worker(own->root));
}

static void
apart(bool waits)
{
	struct of_root *own = model_alloc(sizeof *own);
	*own = (struct of_root){floor_root(false), waits};
	struct fg_births *births = births_new(apart_body, own);
	fg_births_publish(fg_self(), births, 2);
	if (model_broken("not several"))
		fg_store_relaxed(&fg_bubble_origins.several, 0);
	fg_births_join(fg_self(), births);
	fg_births_leave(fg_self(), births);
}

static void
apart_waits(void)
{
	apart(true);
}

static void
apart_raises(void)
{
	apart(false);
}

static void
one_pu(void)
{
	floor_setup();
	fg_exec_options.n_pus = 1;
}
MODEL_SCENARIO(roots_apart, .setup = one_pu, .thread = {apart_waits, apart_raises},
	       .broken = MODEL_BROKEN("fault not several", "drop wake"));
