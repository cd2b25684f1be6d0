/* Contended locks that go from waiter to waiter: exclusion, no lost wake-up, each waiter in its turn.
 *
 * Sources: team/lock/handover.c team/lock/lock.c
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * Constants: team/lock/handover.c MOST_PUS=1 ROWS=1 OUTSIDERS=8 GLANCE_TURNS=2 BRIEF_TURNS=1 WOKEN_TURNS=2 LATE_TURNS=2
 * With: floor
 */
#include "team/lock/handover.h"
#include "exec/flat/dock.h"
#include "interleave/floor.h"
#include "interleave/model.h"

static struct fg_lock lock, other;
static unsigned counter, others;

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
	floor_root(false);
	once();
}

static void
root_twice(void)
{
	floor_root(false);
	once();
	once();
}

static void
check_free(void)
{
	model_assert(counter == 3 && fg_load_relaxed(&lock.state) == 0);
}
MODEL_SCENARIO(handover_two, .setup = floor_setup, .thread = {root_once, root_twice}, .check = check_free,
	       .broken = MODEL_BROKEN("weaken fg_lock_set:cas_acquire", "weaken fg_lock_unset:cas_release",
				      "weaken look:cas_acquire", "weaken fg_handover_pass:cas_acq_rel",
				      "weaken take_given:cas_acquire",
				      "weaken fg_lock_wake:exchange_acq_rel", "weaken fg_lock_slow:exchange_acquire",
				      "weaken fg_unpark:fence_seq_cst", "drop wake"));
MODEL_SCENARIO(handover_three, .weight = 2, .setup = floor_setup, .thread = {root_once, root_once, root_once},
	       .check = check_free,
	       .broken = MODEL_BROKEN("weaken fg_handover_pass:cas_acq_rel", "weaken look:cas_acquire"));

/* Two locks share a row of the table. A waiter gets the lock that it waits for. */
static void
root_other(void)
{
	floor_root(false);
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
MODEL_SCENARIO(handover_locks, .setup = floor_setup, .thread = {root_once, root_once, root_other},
	       .check = check_other, .broken = MODEL_BROKEN("weaken fg_handover_pass:cas_acq_rel"));

/* The last owner frees the lock: an owner before it touches no lock that it has handed over. */
static struct fg_lock *heap;
static unsigned users;

static void
last_frees(void)
{
	floor_root(false);
	fg_lock_set(heap);
	bool last = --users == 0;
	fg_lock_unset(heap);
	if (last)
		free(heap);
}

static void
heap_setup(void)
{
	floor_setup();
	heap = calloc(1, sizeof *heap);
	users = 3;
}
MODEL_SCENARIO(handover_freed, .setup = heap_setup, .thread = {last_frees, last_frees, last_frees});

/* Members of a team, with a slot for each PU, and a member that shares its worker with another. */
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
MODEL_SCENARIO(handover_team, .weight = 3, .setup = floor_setup, .thread = {team},
	       .broken = MODEL_BROKEN("weaken fg_handover_pass:cas_acq_rel", "weaken fg_lock_unset:cas_release"));
