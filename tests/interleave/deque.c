/* The deque of tasks: its owner pushes and pops, thieves steal, and the ring grows meanwhile.
 *
 * Sources: team/tasks/deque.c
 * Constants: team/tasks/deque.c RING_FIRST=2
 * With: floor
 */
#include <string.h>

#include "interleave/floor.h"
#include "interleave/model.h"
#include "platform/memory.h"
#include "team/hooks.h"
#include "team/tasks/deque.h"

/* The deque. Each task is taken once, and the thread that takes it sees its creator's writes. */
#define TASKS 4
static struct fg_deque deque;
static unsigned made[TASKS], taken[TASKS];

static bool
any(void *family, void *seen)
{
	unsigned *one = family;
	model_assert(one >= made && one < made + TASKS); /* a thief may follow the pointer before it has the task */
	*(void **)seen = family;
	return true;
}

static void
got(void *task)
{
	if (!task)
		return;
	unsigned *one = task;
	model_assert(*one == 1);
	taken[one - made]++;
}

static void
push(unsigned k)
{
	made[k] = 1;
	fg_deque_push(&deque, &made[k], &made[k]);
}

static void
deque_setup(void)
{
	fg_deque_init(&deque);
	fg_deque_open(&deque, model_alloc(fg_deque_first_bytes()));
}

static void
deque_owner(void)
{
	push(0);
	push(1);
	got(fg_deque_pop(&deque));
	push(2); /* may be where a thief still looks */
	got(fg_deque_pop(&deque));
	got(fg_deque_pop(&deque));
}

static void
deque_thief(void)
{
	for (unsigned i = 0; i < 2; i++) {
		void *family, *won = fg_deque_steal(&deque, any, &family);
		model_assert(!won || won == family);
		got(won);
	}
}

static void
deque_check(void)
{
	for (void *task; (task = fg_deque_pop(&deque));)
		got(task);
	for (unsigned k = 0; k < TASKS; k++)
		model_assert(taken[k] == made[k]);
}
MODEL_SCENARIO(deque, .setup = deque_setup, .thread = {deque_owner, deque_thief}, .check = deque_check, .weight = 2,
	       .broken = MODEL_BROKEN("weaken fg_deque_pop:fence_seq_cst", "weaken fg_deque_steal:fence_seq_cst",
				      "weaken fg_deque_push:store_release", "drop fg_deque_pop:cas_acq_rel",
				      "drop fg_deque_steal:cas_acq_rel", "drop fg_deque_pop:store_release",
				      "weaken fg_deque_pop:store_release"));
MODEL_SCENARIO(deque_thieves, .setup = deque_setup, .thread = {deque_owner, deque_thief, deque_thief},
	       .check = deque_check, .broken = MODEL_BROKEN("drop fg_deque_steal:cas_acq_rel"));

/* The ring grows while a thief looks at the old one. */
static void
grow_owner(void)
{
	for (unsigned k = 0; k < 3; k++)
		push(k);
	got(fg_deque_pop(&deque));
}

/* The memory of a new ring is not zero. */
static void
late_setup(void)
{
	size_t bytes = sizeof(struct fg_deque_ring) + 4 * sizeof(struct fg_deque_slot);
	void *used = fg_memory_get(bytes);
	deque_setup();
	memset(used, 1, bytes);
	fg_memory_free(used);
}

/* The thief may have seen the first `top`, and then looks at the new ring, where that task has never lain. */
static void
late_owner(void)
{
	push(0);
	got(fg_deque_pop(&deque));
	for (unsigned k = 1; k < TASKS; k++)
		push(k);
}
MODEL_SCENARIO(deque_grows_late, .setup = late_setup, .thread = {late_owner, deque_thief}, .check = deque_check,
	       .broken = MODEL_BROKEN("drop fg_deque_grow:store_relaxed"));
MODEL_SCENARIO(deque_grows, .setup = deque_setup, .thread = {grow_owner, deque_thief}, .check = deque_check,
	       .broken = MODEL_BROKEN("weaken fg_deque_grow:store_release", "drop fg_deque_grow:store_relaxed",
				      "weaken fg_deque_push:store_release"));
