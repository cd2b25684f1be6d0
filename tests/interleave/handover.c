/* Contended locks that go from waiter to waiter: exclusion, no lost wake-up, each waiter in its turn. Two PUs share a
 * cache, and a third has its own.
 *
 * Sources: team/lock/handover.c team/lock/lock.c
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * Constants: team/lock/handover.c MOST_PUS=1 BLOCK=2 ROWS=1 GLANCE_TURNS=3 LATE_TURNS=2 BRIEF_TURNS=1 WOKEN_TURNS=3
 * With: floor
 */
#include "team/lock/handover.h"

#include "exec/flat/dock.h"
#include "exec/ground/options.h"
#include "exec/thread/levels.h"
#include "interleave/floor.h"
#include "interleave/model.h"

static struct fg_lock lock, other;
static unsigned counter, others;

/* Three PUs, of which two share a cache. The threads of the program outside of regions are a group, too. */
static void
setup(void)
{
	floor_setup();
	fg_exec_options.n_pus = 3;
}

static void
deepen(void)
{
	floor_root(false);
	fg_levels_deepen();
}

static void
once(void)
{
	fg_lock_set(&lock);
	counter++;
	fg_lock_unset(&lock);
}

static void
root_once(void)
{
	deepen();
	once();
}

static void
root_twice(void)
{
	deepen();
	once();
	once();
}

static void
check_free(void)
{
	model_assert(counter == 3 && fg_load_relaxed(&lock.state) == 0);
}
MODEL_SCENARIO(handover_two, .setup = setup, .thread = {root_once, root_twice}, .check = check_free,
	       .broken = MODEL_BROKEN("weaken fg_lock_set:cas_acquire", "weaken fg_lock_unset:cas_acq_rel",
				      "weaken look:cas_acquire", "weaken give:cas_acq_rel",
				      "weaken take_given:cas_acquire",
				      "weaken fg_lock_slow:exchange_acquire", "drop wake"));
MODEL_SCENARIO(handover_three, .weight = 2, .setup = setup, .thread = {root_once, root_once, root_once},
	       .check = check_free, .broken = MODEL_BROKEN("weaken give:cas_acq_rel", "weaken look:cas_acquire"));

/* Two locks share a row of the table. A waiter gets the lock that it waits for. */
static void
root_other(void)
{
	deepen();
	for (int i = 0; i < 2; i++) {
		fg_lock_set(&other);
		others++;
		fg_lock_unset(&other);
	}
}

static void
check_other(void)
{
	model_assert(counter == 2 && fg_load_relaxed(&lock.state) == 0 && fg_load_relaxed(&other.state) == 0);
}
MODEL_SCENARIO(handover_locks, .setup = setup, .thread = {root_once, root_once, root_other}, .check = check_other,
	       .broken = MODEL_BROKEN("weaken give:cas_acq_rel"));

/* The last owner frees the lock: an owner before it touches no lock that it has handed over. */
static struct fg_lock *heap;
static unsigned users;

static void
last_frees(void)
{
	deepen();
	fg_lock_set(heap);
	bool last = --users == 0;
	fg_lock_unset(heap);
	if (last)
		free(heap);
}

static void
heap_setup(void)
{
	setup();
	heap = calloc(1, sizeof *heap);
	users = 3;
}
MODEL_SCENARIO(handover_freed, .setup = heap_setup, .thread = {last_frees, last_frees, last_frees});

/* A nest lock goes from waiter to waiter, too. The last owner frees it. */
static struct fg_nest_lock *nest;

static void
nested(uint64_t id)
{
	deepen();
	fg_nest_lock_set(nest, id);
	fg_nest_lock_set(nest, id);
	bool last = --users == 0;
	fg_nest_lock_unset(nest);
	fg_nest_lock_unset(nest);
	if (last)
		free(nest);
}

static void
nested_first(void)
{
	nested(1);
}

static void
nested_second(void)
{
	nested(2);
}

static void
nested_third(void)
{
	nested(3);
}

static void
nest_setup(void)
{
	setup();
	nest = calloc(1, sizeof *nest);
	users = 3;
}
MODEL_SCENARIO(handover_nest, .weight = 2, .setup = nest_setup, .thread = {nested_first, nested_second, nested_third},
	       .broken = MODEL_BROKEN("weaken give:cas_acq_rel", "weaken look:cas_acquire",
				      "drop fg_nest_lock_set:store_relaxed"));

/* Members of a team: two in one group, and one in another. */
static void
member(void *job, unsigned number)
{
	(void)job, (void)number;
	once();
}

static void
team(void)
{
	struct fg_root *root = floor_root(false);
	fg_levels_deepen();
	model_assert(fg_dock_acquire(&root->identity, 3, NULL));
	fg_dock_fork(&root->identity, member, NULL, NULL, NULL);
	fg_leave(&root->identity);
	member(NULL, 0);
	fg_enter(&root->identity);
	fg_dock_join(&root->identity);
	model_assert(counter == 3);
}
MODEL_SCENARIO(handover_team, .weight = 3, .setup = setup, .thread = {team},
	       .broken = MODEL_BROKEN("weaken give:cas_acq_rel", "weaken fg_lock_unset:cas_acq_rel"));
