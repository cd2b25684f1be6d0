/* A machine of 4 PUs in 2 nodes, on which workers claim what policies move. The functions are static, so that the
 * checker sees plain accesses here as in the scenario itself. */
#pragma once
#include "exec/ground/options.h"
#include "exec/thread/levels.h"
#include "forest/check.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "sched/policy.h"

#define MEMBERS 4 /* At most so many members in a bubble. Member 0 has met its region and runs. */

static struct fg_runqueue *top, node[2], *leaf[4];
static struct fg_bubble bubble, inner;
static unsigned told, claims[MEMBERS], inner_claims[MEMBERS];
static struct fg_atomic_u32 thread_claims;
static struct fg_atomic_u32 over; /* The region is over. A worker that looks round for ever ends then. */

__attribute__((unused)) static struct fg_runqueue_list *
list_new(struct fg_runqueue *first, struct fg_runqueue *second)
{
	struct fg_runqueue_list *list = model_alloc(sizeof *list + 2 * sizeof *list->queue);
	*list = (struct fg_runqueue_list){.n = 2};
	list->queue[0] = first;
	list->queue[1] = second;
	return list;
}

__attribute__((unused)) static void
setup(void)
{
	floor_setup();
	fg_exec_options.n_pus = 4;
	fg_levels_start();
	top = fg_levels_top();
	for (unsigned i = 0; i < 4; i++)
		leaf[i] = fg_levels_leaf(i);
	for (unsigned i = 0; i < 2; i++) {
		fg_runqueue_init(&node[i], top, 2 * i, 2);
		fg_store_relaxed(&node[i].below, list_new(leaf[2 * i], leaf[2 * i + 1]));
		fg_store_relaxed(&leaf[2 * i]->parent, &node[i]);
		fg_store_relaxed(&leaf[2 * i + 1]->parent, &node[i]);
	}
	fg_store_relaxed(&top->below, list_new(&node[0], &node[1]));
	const char *why;
	fg_policy_start(&fg_policy, &fg_sched_affinity, NULL, &why);
	fg_policies.wants = fg_sched_wants(fg_policy.sched);
}

__attribute__((unused)) static void
runs_member(struct fg_bubble *of, unsigned member)
{
	model_assert(told == 42);
	(of == &inner ? inner_claims : claims)[member]++;
	fg_sub_acq_rel(&of->unfinished, 1);
}

__attribute__((unused)) static void
runs(const struct fg_claim *claim)
{
	if (claim->thread)
		fg_add_relaxed(&thread_claims, 1);
	else
		runs_member(claim->bubble, claim->member);
}

/* A PU looks for something to run: on its runqueue and those above it, then where the policy says. */
__attribute__((unused)) static bool
look(struct fg_runqueue *pu, bool steals)
{
	struct fg_claim claim = {0};
	for (struct fg_runqueue *queue = pu; queue; queue = fg_runqueue_parent(queue))
		if (fg_runqueue_claim(queue, FG_NEWEST, false, &claim)) {
			runs(&claim);
			return true;
		}
	if (!steals || !fg_policy_idle(pu, 0, &claim))
		return false;
	runs(&claim);
	return true;
}

__attribute__((unused)) static void
bubble_begin(struct fg_bubble *made, struct fg_bubble *parent, unsigned size)
{
	fg_bubble_init(made, size);
	made->entity.bubble = parent;
	made->entity.last_pu = FG_NO_PU;
	made->depth = parent ? parent->depth + 1 : 0;
	fg_store_relaxed(&made->entity.transit, 0);
}

/* The parent runs its members as long as it can claim one. Then it runs anything that it finds, until all have
 * ended. */
__attribute__((unused)) static void
own(struct fg_bubble *mine, struct fg_runqueue *pu, bool steals)
{
	unsigned member;
	while ((member = fg_bubble_claim(mine).member))
		runs_member(mine, member);
	while (fg_load_acquire(&mine->unfinished) != 1)
		if (!look(pu, steals))
			fg_carrier->pause();
}

__attribute__((unused)) static void
all_ran(const unsigned *count, unsigned size)
{
	for (unsigned k = 1; k < size; k++)
		model_assert(count[k] == 1);
}

__attribute__((unused)) static void
nothing_left(void)
{
	const char *wrong = fg_runqueue_check(top);
	if (wrong)
		model_fail("%s", wrong);
	model_assert(fg_runqueue_threads(top) == 0);
	model_assert(fg_load_relaxed(&bubble.entity.holder) == NULL && fg_load_relaxed(&inner.entity.holder) == NULL);
}

/* The owner of a lone bubble claims its members and waits for those that others have claimed. */
__attribute__((unused)) static void
rise_owner(void)
{
	told = 42;
	bubble_begin(&bubble, NULL, MEMBERS);
	fg_runqueue_push(leaf[0], &bubble.entity);
	own(&bubble, leaf[0], false);
}

__attribute__((unused)) static void
check_bubble(void)
{
	all_ran(claims, MEMBERS);
	nothing_left();
}
