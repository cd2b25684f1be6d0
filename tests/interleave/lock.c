/* The locks that programs see, between threads of the program and between members of a team: exclusion, no lost
 * wake-up.
 *
 * Sources: team/lock/handover.c team/lock/lock.c
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * Constants: team/lock/lock.c BRIEF_TURNS=1
 * With: floor
 */
#include "team/lock/lock.h"
#include "exec/flat/dock.h"
#include "interleave/floor.h"
#include "interleave/model.h"

static struct fg_lock lock;
static struct fg_nest_lock nest;
static unsigned counter;

static void
once(void)
{
	fg_lock_set(&lock);
	counter++;
	fg_lock_unset(&lock);
}

static void
foreign(void)
{
	floor_root(false);
	once();
}

static void
foreign_twice(void)
{
	floor_root(false);
	once();
	once();
}

static void
check_two(void)
{
	model_assert(counter == 3 && fg_load_relaxed(&lock.state) == 0);
}
MODEL_SCENARIO(lock_foreign, .setup = floor_setup, .thread = {foreign, foreign_twice}, .check = check_two,
	       .broken = MODEL_BROKEN("weaken fg_lock_set:cas_acquire", "weaken fg_lock_unset:cas_acq_rel",
				      "weaken fg_lock_slow:exchange_acquire", "weaken fg_unpark:fence_seq_cst",
				      "drop wake"));

static void
check_three(void)
{
	model_assert(counter == 3 && fg_load_relaxed(&lock.state) == 0);
}
MODEL_SCENARIO(lock_foreign_three, .setup = floor_setup, .thread = {foreign, foreign, foreign}, .check = check_three,
	       .broken = MODEL_BROKEN("weaken fg_lock_slow:exchange_acquire"));

/* Holders are noted. The thread that takes a lock and the thread that gives it back go the slow way, except threads
 * that come in between. */
static void
noted(struct fg_lock *which, bool taken)
{
	(void)which, (void)taken;
}

static void
noted_setup(void)
{
	floor_setup();
	fg_lock_note = noted;
	fg_lock_init(&lock);
	model_assert(fg_load_relaxed(&lock.state) == FG_LOCK_NOTED_FREE);
}

static void
foreign_test(void)
{
	floor_root(false);
	if (!fg_lock_test(&lock))
		return;
	counter++;
	fg_lock_unset(&lock);
}

static void
check_noted(void)
{
	model_assert(counter >= 2 && counter <= 3 && fg_lock_is_free(fg_load_relaxed(&lock.state)));
	fg_lock_note = NULL;
}
MODEL_SCENARIO(lock_noted, .setup = noted_setup, .thread = {foreign, foreign_twice}, .check = check_noted,
	       .broken = MODEL_BROKEN("weaken take:cas_acquire", "weaken fg_lock_wake:exchange_acq_rel",
				      "weaken fg_lock_slow:exchange_acquire", "weaken fg_unpark:fence_seq_cst",
				      "drop wake"));
MODEL_SCENARIO(lock_noted_test, .setup = noted_setup, .thread = {foreign, foreign_test, foreign}, .check = check_noted,
	       .broken = MODEL_BROKEN("weaken take:cas_acquire", "drop wake"));

static void
nested_once(uint64_t id)
{
	fg_nest_lock_set(&nest, id);
	fg_nest_lock_set(&nest, id);
	counter++;
	fg_nest_lock_unset(&nest);
	model_assert(nest.depth == 1);
	fg_nest_lock_unset(&nest);
}

static void
nest_first(void)
{
	floor_root(false);
	nested_once(1);
	nested_once(1);
}

static void
nest_second(void)
{
	floor_root(false);
	nested_once(2);
}

static void
nest_third(void)
{
	floor_root(false);
	nested_once(3);
}

static void
check_nest(void)
{
	model_assert(fg_load_relaxed(&nest.owner) == 0 && nest.depth == 0);
	model_assert(fg_load_relaxed(&nest.lock.state) == 0);
}
MODEL_SCENARIO(nest_lock, .setup = floor_setup, .thread = {nest_first, nest_second}, .check = check_nest,
	       .broken = MODEL_BROKEN("weaken fg_lock_set:cas_acquire", "weaken fg_lock_unset:cas_acq_rel",
				      "drop fg_nest_lock_unset:store_relaxed", "drop fg_nest_lock_set:store_relaxed",
				      "weaken fg_lock_slow:exchange_acquire", "drop wake"));
MODEL_SCENARIO(nest_lock_three, .setup = floor_setup, .thread = {nest_first, nest_second, nest_third},
	       .check = check_nest);

/* Members of a crew. A member that waits for the lock lets the others of its worker go on. */
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
	model_assert(fg_dock_acquire(&root->identity, 3, NULL));
	fg_dock_fork(&root->identity, member, NULL, NULL, NULL);
	fg_leave(&root->identity);
	member(NULL, 0);
	fg_enter(&root->identity);
	fg_dock_join(&root->identity);
	model_assert(counter == 3);
}
MODEL_SCENARIO(lock_team, .weight = 3, .setup = floor_setup, .thread = {team},
	       .broken = MODEL_BROKEN("weaken fg_lock_set:cas_acquire", "drop fg_inbox_put:store_relaxed"));
