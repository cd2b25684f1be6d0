/* Family: the deferred children of one task, as far as they are not complete, and the task's place in the tree of tasks (floor: team;
 * used by create.c and wait.c). A task gets one when it first defers a child.
 *
 * Counting. The task's own member, the owner, counts its children up and, where it completes them itself, down in `pending`, a plain
 * word; other members count what they complete in `remote`. While the task's body runs:
 *     children not complete == pending - remote
 * exactly, whenever the owner reads, for only the owner changes pending. So a task that nothing was stolen from waits at no cost.
 * When the body ends with children left, the owner takes pending off remote, which is negative from then on, and everybody counts
 * there: whoever brings it to 0 completed the last. Before that it was never negative and grew by ones, so an addition that
 * results in 0 tells exactly that.
 *
 * Lifetime. A family is freed when its task's body is over, its children are complete and no family refers to it as the one around.
 * The family around lives as long as the task does, which is one of its children; a family that outlives its task's body takes a
 * reference on it (`holds`). So from any task that is not complete the way up is sound. Thieves look up the way of tasks that they do
 * not have yet: family blocks stay readable for ever (store.h), the words are atomic, the length of the way is bounded by
 * the depth, and what was found counts only if the task is then won, which proves that it was there all the time (deque.h). */
#pragma once
#include "base/atomic.h"
#include "team/tasks/store.h"

struct fg_task_member;

struct fg_family {
	_Alignas(64) struct fg_block block;
	struct fg_atomic_ptr
		around; /* of the nearest task around that has one, by then all that are around; NULL: implicit task */
	struct fg_atomic_u32 depth;
	uint32_t pending; /* owner only */
	struct fg_atomic_u32 remote;
	struct fg_atomic_u32 references; /* families inside that hold this one; one more for the task and its children */
	bool ended, holds;		 /* by the owner, before remote becomes negative */
	struct fg_task_member *owner;
};

static inline void
fg_family_init(struct fg_family *family, struct fg_family *around, struct fg_task_member *owner)
{
	fg_store_relaxed(&family->around, around);
	fg_store_relaxed(&family->depth, around ? fg_load_relaxed(&around->depth) + 1 : 0);
	family->pending = 0;
	fg_store_relaxed(&family->remote, 0);
	fg_store_relaxed(&family->references, 1);
	family->ended = family->holds = false;
	family->owner = owner;
}

/* Owner, while the body runs: all children are complete. */
static inline bool
fg_family_over(const struct fg_family *family)
{
	return family->pending == fg_load_acquire(&family->remote);
}

/* Owner, while the body runs: children that are not complete. */
static inline uint32_t
fg_family_count(const struct fg_family *family)
{
	return family->pending - fg_load_relaxed(&family->remote);
}

/* One child is complete. True: it was the last and the body is over: fg_family_release. */
static inline bool
fg_family_leave(struct fg_family *family, bool by_owner)
{
	if (by_owner && !family->ended) {
		family->pending--;
		return false;
	}
	return fg_add_acq_rel(&family->remote, 1) + 1 == 0;
}

/* Owner: the body is over. True: so are all children: fg_family_release. */
static inline bool
fg_family_end(struct fg_family *family)
{
	struct fg_family *around = fg_load_relaxed(&family->around);
	bool over = fg_family_over(family);
	family->ended = true;
	if (over && fg_load_acquire(&family->references) == 1)
		return true;
	if (around) {
		fg_add_relaxed(&around->references, 1);
		family->holds = true;
	}
	return fg_sub_acq_rel(&family->remote, family->pending) == family->pending;
}

/* Gives up the reference of the task and its children, and of all that nobody refers to then. `own`: the caller's store. */
static inline void
fg_family_release(struct fg_family *family, struct fg_store *own)
{
	while (family && (fg_load_acquire(&family->references) == 1 || fg_sub_acq_rel(&family->references, 1) == 1)) {
		struct fg_family *around = family->holds ? fg_load_relaxed(&family->around) : NULL;
		fg_store_put(own, &family->block);
		family = around;
	}
}

/* A task of this family descends from the task whose children `of` are. */
static inline bool
fg_family_descends(struct fg_family *family, const struct fg_family *of)
{
	if (family == of)
		return true;
	uint32_t depth = fg_load_relaxed(&of->depth);
	for (uint32_t way = fg_load_relaxed(&family->depth); way > depth; way--) {
		family = fg_load_relaxed(&family->around);
		if (!family || family == of)
			return family == of;
	}
	return false;
}

/* A task of this family may run where only descendants of the task with the children `within` may; NULL: any may. */
static inline bool
fg_family_may_run(struct fg_family *family, const struct fg_family *within)
{
	return !within || fg_family_descends(family, within);
}
