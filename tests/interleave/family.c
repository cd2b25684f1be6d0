/* Families: the counting of a task's children. A task makes two children, which another member completes. The task
 * waits for them, or it ends before they do, inside a task whose end comes before or after. The last of them frees,
 * once. The waiter sees the writes of the children.
 *
 * Sources: team/tasks/store.c
 * Constants: team/tasks/store.c SLAB_FAMILIES=2
 */
#include "interleave/model.h"
#include "team/tasks/wait.h"

static struct fg_task_member owner, other;
static struct fg_family *outer, *inner;
static struct fg_atomic_u32 ready;
static unsigned worked[2];
static bool waits;

static void
family_setup(void)
{
	outer = fg_store_get(&owner.store, FG_BLOCK_FAMILY, sizeof *outer);
	fg_family_init(outer, NULL, &owner);
	inner = fg_store_get(&owner.store, FG_BLOCK_FAMILY, sizeof *inner);
	fg_family_init(inner, outer, &owner);
	outer->pending = 1; /* the inner task */
	inner->pending = 2;
}

static void
family_wait_setup(void)
{
	family_setup();
	waits = true;
}

static void
family_leave(struct fg_family *family, struct fg_task_member *by)
{
	if (fg_family_leave(family, family->owner == by))
		fg_family_release(family, &by->store);
}

static void
family_end(struct fg_family *family)
{
	if (fg_family_end(family))
		fg_family_release(family, &owner.store);
}

static void
family_owner(void)
{
	fg_store_release(&ready, 1);
	worked[0] = 1;
	family_leave(inner, &owner);
	if (waits) {
		while (!fg_family_over(inner))
			fg_carrier->pause();
		model_assert(worked[1] == 1);
	}
	family_end(inner);
	family_leave(outer, &owner);
	family_end(outer);
}

static void
family_other(void)
{
	while (!fg_load_acquire(&ready))
		fg_carrier->pause();
	worked[1] = 1;
	struct fg_family *family = inner;
	model_assert(fg_family_descends(family, outer));
	family_leave(family, &other);
}

static unsigned
blocks(struct fg_store *store)
{
	unsigned n = store->count[FG_BLOCK_FAMILY];
	for (struct fg_block *block = fg_load_acquire(&store->returned); block; block = block->next)
		n++;
	return n;
}

static void
family_check(void)
{
	model_assert(blocks(&owner.store) == 2 && blocks(&other.store) == 0);
}
MODEL_SCENARIO(family, .setup = family_setup, .thread = {family_owner, family_other}, .check = family_check,
	       .broken = MODEL_BROKEN("drop fg_family_leave_many:add_acq_rel", "drop fg_family_end:sub_acq_rel",
				      "drop fg_family_end:add_relaxed", "drop fg_family_release:sub_acq_rel",
				      "weaken fg_family_leave_many:add_acq_rel"));
MODEL_SCENARIO(family_waits, .setup = family_wait_setup, .thread = {family_owner, family_other}, .check = family_check,
	       .broken = MODEL_BROKEN("weaken fg_family_leave_many:add_acq_rel", "weaken fg_family_over:load_acquire"));
