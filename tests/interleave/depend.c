/* Dependences: the list of those who follow a child, closed when it is complete; the locks of those who exclude each other; and the word by which members that are done come back
 * for errands of their region.
 *
 * Sources: base/lock_order.c base/spinlock.c forest/runqueue.c forest/bubble.c forest/move.c sched/affinity.c sched/api.c sched/aside.c sched/cache.c sched/compact.c sched/deal.c sched/global.c sched/hand.c sched/policy.c sched/random.c sched/registry.c sched/spread.c sched/steal.c exec/plan.c exec/worker.c exec/idle.c exec/sharing.c exec/park.c
 * Sources: exec/birth.c exec/recall.c exec/crew.c exec/dock.c exec/staff.c exec/errand.c exec/roster.c exec/identity.c exec/machine.c exec/start.c exec/spare.c machine/cpuset.c
 * Sources: team/depend.c team/task_depend.c team/task_store.c
 * Constants: base/spinlock.c SPIN_TURNS=1
 * Constants: exec/worker.c THIEF_WAIT_MAX=2 THIEF_WAIT_ASK=1
 * Constants: exec/crew.c ASKS_SEIZE=1
 * Constants: exec/errand.c LOOK_TURNS=1
 * Constants: exec/recall.c LOOK_TURNS=1
 * Constants: exec/idle.c CHECK_TURNS=1
 * Constants: exec/park.c KERNEL_SPIN_NS=1
 * Constants: exec/birth.c JOIN_SPINS=1
 * With: floor
 */
#include <string.h>

#include "exec/birth.h"
#include "exec/dock.h"
#include "exec/errand.h"
#include "exec/park.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "team/task_depend.h"
#include "team/task_run.h"

void *
fg_task_memory(size_t size)
{
	return memset(model_alloc(size), 0, size);
}

void
fg_task_wake_member_slow(struct fg_task_member *member)
{
	(void)member;
	model_fail("nobody waits here");
}

/* Each child is made ready once, when those it follows are complete. */
#define CHILDREN 4
static struct fg_task parent;
static struct fg_task_member maker; /* who makes the children; the other thread is no member */
static struct fg_deferred children[CHILDREN];
static struct fg_atomic_u32 readiness[CHILDREN];
static unsigned worked[CHILDREN];
static int address[2];

void
fg_task_ready(struct fg_task_member *member, struct fg_deferred *task)
{
	(void)member;
	model_assert(fg_exchange_acq_rel(&readiness[task - children], 1) == 0);
}

static void
child_make(unsigned k, void **depend)
{
	children[k].node = fg_depend_enter(&maker, &parent, depend, &children[k]);
	if (fg_depend_made(children[k].node))
		fg_task_ready(NULL, &children[k]);
}

static void
child_wait(unsigned k)
{
	while (!fg_load_acquire(&readiness[k]))
		fg_carrier->pause();
}

/* The last follows all the others. */
static void
child_run(unsigned k, bool last)
{
	child_wait(k);
	for (unsigned before = 0; last && before < k; before++)
		model_assert(worked[before] == 1);
	worked[k] = 1;
	fg_depend_complete(NULL, children[k].node);
}

/* Three children on one address: out, in, out. The first two are completed by another thread, as soon as they are ready, while the
 * last is being made. */
static void
depend_maker(void)
{
	for (unsigned k = 0; k < 3; k++)
		child_make(k, (void *[]){(void *)1, (void *)(uintptr_t)(k != 1), address});
	child_run(2, true);
	fg_depend_table_free(&parent, &maker.store);
	fg_store_clear(&maker.store);
}

static void
depend_runner(void)
{
	child_run(0, true);
	child_run(1, true);
}
MODEL_SCENARIO(depend, .thread = {depend_maker, depend_runner}, .weight = 2,
	       .broken = MODEL_BROKEN("drop follow:add_relaxed", "drop follow:sub_acq_rel", "weaken follow:cas_acq_rel",
				      "drop follow:cas_acq_rel", "drop fg_depend_complete:exchange_acq_rel",
				      "weaken fg_depend_complete:exchange_acq_rel", "weaken tell:sub_acq_rel"));

/* Exclusion: mutexinoutset on the first address, on both (the second named first), on the second. What a task writes at its addresses is
 * plain, so that two at once are a race; a last child follows all. */
static unsigned inside[2];

static void
exclusive_run(unsigned k)
{
	child_wait(k);
	for (unsigned a = 0; a < 2; a++)
		if (k == 1 || k == 2 * a)
			inside[a]++;
	child_run(k, false);
}

static void
exclusive_maker(void)
{
	child_make(0, (void *[]){0, (void *)1, 0, (void *)1, 0, &address[0]});
	child_make(1, (void *[]){0, (void *)2, 0, (void *)2, 0, &address[1], &address[0]});
	child_make(2, (void *[]){0, (void *)1, 0, (void *)1, 0, &address[1]});
	child_make(3, (void *[]){(void *)2, (void *)2, &address[0], &address[1]});
	exclusive_run(1);
	child_run(3, true);
	model_assert(inside[0] == 2 && inside[1] == 2);
	fg_depend_table_free(&parent, &maker.store);
	fg_store_clear(&maker.store);
}

static void
exclusive_runner(void)
{
	exclusive_run(0);
	exclusive_run(2);
}
MODEL_SCENARIO(depend_exclusive, .thread = {exclusive_maker, exclusive_runner}, .weight = 2,
	       .broken = MODEL_BROKEN("drop fg_depend_lock_take:cas_acq_rel", "weaken fg_depend_lock_take:cas_acq_rel",
				      "drop fg_depend_lock_give:cas_acq_rel", "weaken fg_depend_lock_give:cas_acq_rel",
				      "drop fg_depend_lock_give:exchange_acq_rel"));

/* Errands: `made` of them; each is run once, before the region ends, and nobody looks at a region that is over. */
static struct fg_atomic_u32 made, taken;
static struct fg_root *root;
static bool region_over;
static unsigned ran;

static bool
errand_waiting(void *job)
{
	(void)job;
	model_assert(!region_over);
	return fg_load_acquire(&made) != fg_load_acquire(&taken);
}

static unsigned
errand_run(struct fg_identity *self)
{
	(void)self;
	model_assert(!region_over);
	uint32_t next = fg_load_relaxed(&taken);
	if (next != fg_load_acquire(&made) && fg_cas_acq_rel(&taken, &next, next + 1))
		ran++;
	return 1;
}

static unsigned
errand_come_back(void *job, unsigned member)
{
	(void)job;
	model_assert(member == 1);
	return errand_run(fg_self());
}

static void
errand_finish(struct fg_identity *self)
{
	while (errand_waiting(NULL))
		errand_run(self);
}

static const struct fg_errand errands = {errand_waiting, errand_run, errand_finish, errand_come_back};

static void
errand_make(void)
{
	fg_store_release(&made, 1);
	fg_fence_light();
	if (fg_load_relaxed(&fg_idle_sleepers))
		fg_errand_wake(NULL, fg_self()->worker);
}

/* The other member is done at once. */
static void
docked_body(void *job, unsigned member)
{
	(void)job, (void)member;
}

static void
docked_run(void)
{
	root = floor_root(false);
	for (unsigned again = 0; again < 2; again++) {
		region_over = false;
		fg_store_relaxed(&made, 0);
		fg_store_relaxed(&taken, 0);
		ran = 0;
		model_assert(fg_dock_acquire(&root->identity, 2, NULL));
		fg_dock_fork(&root->identity, docked_body, NULL, NULL, NULL);
		fg_errand_open(&errands);
		errand_make();
		fg_dock_join(&root->identity);
		region_over = true;
		model_assert(ran == 1);
	}
}
MODEL_SCENARIO(errand_word, .setup = floor_setup, .thread = {docked_run},
	       .broken = MODEL_BROKEN("drop fg_errand_help:cas_acq_rel", "drop fg_errand_help:sub_acq_rel",
				      "drop fg_errand_close:or_acq_rel", "drop wake"));

/* Idlers: two of three members share a worker. The one that arrives first is called back from its barrier for the errand, for the other
 * two wait for that; then it arrives again. */
static struct fg_atomic_u32 done;

static bool
not_done(void *arg)
{
	(void)arg;
	return fg_load_acquire(&done) == 0;
}

static unsigned
idler_run(struct fg_identity *self)
{
	unsigned before = ran, turns = errand_run(self);
	if (ran != before) {
		fg_store_release(&done, 1);
		fg_unpark(&done, -1u);
	}
	return turns;
}

static const struct fg_errand idler_errands = {errand_waiting, idler_run, errand_finish, errand_come_back};

static void
idlers_body(void *job, unsigned member)
{
	(void)job;
	if (member == 1) {
		fg_errand_open(&idler_errands);
		errand_make();
	}
	struct fg_spin spin = FG_SPIN_INIT;
	while (member != 0 && not_done(NULL))
		if (!fg_spin(&spin))
			fg_park(&done, not_done, NULL);
}

static void
idlers_run(void)
{
	root = floor_root(false);
	model_assert(fg_dock_acquire(&root->identity, 3, NULL));
	fg_dock_fork(&root->identity, idlers_body, NULL, NULL, NULL);
	idlers_body(NULL, 0);
	fg_dock_join(&root->identity);
	region_over = true;
	model_assert(ran == 1);
}
MODEL_SCENARIO(idlers, .setup = floor_setup, .thread = {idlers_run}, .weight = 2,
	       .broken = MODEL_BROKEN("drop wake", "weaken crew_may_call:load_acquire"));

/* The same in the word of a nested region: a thread that is done looks for errands, again and again, while the region ends and the next
 * begins. */
static struct fg_births births;

static void
recall_parent(void)
{
	for (unsigned again = 0; again < 2; again++) {
		region_over = false;
		fg_recall_begin(&births.recall);
		fg_recall_open(&births, &errands);
		fg_store_release(&made, again + 1);
		errand_finish(NULL);
		fg_recall_close(&births);
		region_over = true;
	}
	model_assert(ran == 2);
}

static void
recall_helper(void)
{
	for (unsigned turn = 0; turn < 2; turn++)
		for (unsigned region = 1; region <= 2; region++)
			if (fg_recall_enter(&births, region)) {
				errand_run(NULL);
				fg_recall_leave(&births);
			}
}

static void
recall_setup(void)
{
	floor_setup();
}

static void
recall_parent_root(void)
{
	floor_root(false);
	recall_parent();
}
MODEL_SCENARIO(recall_word, .setup = recall_setup, .thread = {recall_parent_root, recall_helper},
	       .broken = MODEL_BROKEN("drop fg_recall_enter:cas_acq_rel", "drop fg_recall_leave:sub_acq_rel",
				      "drop fg_recall_close:or_acq_rel", "weaken fg_recall_leave:sub_acq_rel",
				      "drop wake"));
