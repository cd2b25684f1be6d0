/* Scout: the member of a group that looks for tasks outside of the group (floor: team; called by pool.c and thief.c).
 *
 * Each look at a deque costs two lines. If all members of a large team look at all deques, the lines of the members
 * that make tasks go round all PUs. So the members whose PUs share a cache are a group. Each of them looks at its
 * group's deques. Outside of the group only one at a time looks, the scout. It takes more tasks than it needs itself,
 * and the others of the group find them in its deque.
 *
 * All of this only chooses where a member that spins looks. A member that goes to sleep looks at all deques
 * and mailboxes (fg_task_may_find, fg_task_pool_has_waiting), so wait.c's proof holds without scouts. The scout may be
 * descheduled while it is out. Then the others of the group wait for it for FG_SCOUT_REFUSED looks, and afterwards look
 * everywhere themselves. Looks while one scout after the other is out do not count: such a group is only without tasks.
 * If all its members looked everywhere then, the member that makes tasks would wait for its own lines. So both words of
 * a scout may be wrong at any time, and all their operations are relaxed.
 *
 * Only members that look for tasks call, inside. Nothing is allocated, and nobody waits. */
#pragma once
#include "team/tasks/pool.h"

#define FG_SCOUT_LOOKS 4    /* members at which a scout looks, after the one that gave tasks before */
#define FG_SCOUT_REFUSED 64 /* looks after which a member does not wait for the scout */

/* A large team has the words of a scout for so many members. Groups of fewer PUs may share a scout. */
static inline unsigned
fg_scout_pus(unsigned team_size)
{
	return team_size > 32 ? 8 : 4;
}

/* True: this look of the member goes to all members. */
static inline bool
fg_scout_not_needed(struct fg_task_member *member)
{
	bool all = member->everywhere || !member->scout || member->refused >= FG_SCOUT_REFUSED;
	member->everywhere = false;
	if (all)
		member->refused = 0;
	return all;
}

/* True: the member is the scout now, and calls fg_scout_back when it has looked. */
static inline bool
fg_scout_go(struct fg_task_member *member)
{
	struct fg_atomic_u32 *outings = &member->scout->outings;
	uint32_t seen = fg_load_relaxed(outings);
	if (seen % 2 == 0 && fg_cas_relaxed(outings, &seen, seen + 1)) {
		member->refused = 0;
		return true;
	}
	member->refused = seen == member->refused_by ? member->refused + 1 : 0;
	member->refused_by = seen;
	return false;
}

static inline void
fg_scout_back(struct fg_task_member *member)
{
	struct fg_atomic_u32 *outings = &member->scout->outings;
	fg_store_relaxed(outings, fg_load_relaxed(outings) + 1);
}

/* The scout's look number i, from 0 on. The first is at the member that gave tasks before. NULL: it has none to look
 * at. */
static inline struct fg_task_member *
fg_scout_looks_at(struct fg_task_member *member, unsigned i)
{
	if (i > 0 && member->n_near == member->n_victims)
		return NULL;
	if (i > 0)
		return member->victims[member->n_near + member->far_at++ % (member->n_victims - member->n_near)];
	uint32_t giver = fg_load_relaxed(&member->scout->giver);
	struct fg_task_member *other = giver ? fg_load_acquire(&member->pool->member[giver - 1]) : NULL;
	return other != member ? other : NULL;
}

/* Returns the mailbox of another group, each time of the next one. Not all are the mailbox of a group. */
static inline struct fg_mailbox *
fg_scout_other_box(struct fg_task_member *member)
{
	const struct fg_task_pool *pool = member->pool;
	struct fg_mailbox *box;
	unsigned looks = 0;
	do
		box = &pool->scouts[member->box_at++ % pool->n_scouts].box;
	while (!fg_mailbox_is_open(box) && ++looks < pool->n_scouts);
	return box;
}
