/* Family: the deferred children of one task that are not complete, and the task's place in the tree of tasks (floor:
 * team; used by the files of tasks). A task gets a family when it first defers a child.
 *
 * Counting. The task's own member, the owner, counts in `pending`, a plain word: up for each child, and down for each
 * child that it completes itself. Other members count the children that they complete in `remote`. While the task's
 * body runs:
 *
 *     children not complete == pending - remote
 *
 * This is exact whenever the owner reads, because only the owner changes pending. So a task from which nothing was
 * stolen waits at no cost. The tasks of a batch are counted as one (mail.h): until all of them are complete they all
 * count as not complete.
 *
 * When the body ends with children left, the owner subtracts pending from remote. From then on remote is negative, and
 * all members count there. The member that brings remote to 0 has completed the last child. Before that, remote was
 * never negative, and it never grew by more than the children that were left. So an addition that results in 0 tells
 * exactly that.
 *
 * Lifetime. A family is freed when its task's body is over, its children are complete, and no family refers to it as
 * the one around. The family around lives as long as the task does, because the task is one of its children. A family
 * that outlives its task's body takes a reference on the family around (`holds`). So from any task that is not
 * complete the way up is sound.
 *
 * Thieves look up the way of tasks that they do not have yet. Family blocks stay readable until the store rests
 * (store.h), and their words are atomic. The depth bounds the length of the way. The result counts only if the thief
 * then wins the task. That proves that the task was there all the time (deque.h).
 *
 * All callers are inside or in a short way of plain.h. Nothing here waits or takes a lock. */
#pragma once
#include "base/atomic.h"
#include "team/tasks/store.h"

struct fg_task_member;

struct fg_family {
	_Alignas(64) struct fg_block block;
	/* That of the nearest task around that has a family: by then all tasks around have one. NULL: an implicit
	 * task. */
	struct fg_atomic_ptr around;
	struct fg_atomic_u32 depth;
	uint32_t pending; /* only the owner uses it */
	struct fg_atomic_u32 remote;
	struct fg_atomic_u32 references; /* families inside that hold it, + 1 for the task and its children */
	bool ended, holds;		 /* written by the owner, before remote becomes negative */
	struct fg_atomic_u32 thief;	 /* the number, + 1, of a member that stole a task of this family; 0: none */
	struct fg_task_member *owner;
};

#ifndef NDEBUG
/* Owner, while the body runs; for an assert. Each child was counted in `pending` before any thread could complete
 * it. */
static inline bool
fg_family_valid(const struct fg_family *family)
{
	const struct fg_family *around = fg_load_relaxed(&family->around);
	assert(family->block.store && family->block.kind == FG_BLOCK_FAMILY);
	assert(around != family);
	assert(fg_load_relaxed(&family->depth) == (around ? fg_load_relaxed(&around->depth) + 1 : 0));
	assert(fg_load_relaxed(&family->references) > 0);
	assert(!family->ended && !family->holds);
	assert((int32_t)(family->pending - fg_load_relaxed(&family->remote)) >= 0);
	return true;
}
#endif

static inline void
fg_family_init(struct fg_family *family, struct fg_family *around, struct fg_task_member *owner)
{
	fg_store_relaxed(&family->around, around);
	fg_store_relaxed(&family->depth, around ? fg_load_relaxed(&around->depth) + 1 : 0);
	family->pending = 0;
	fg_store_relaxed(&family->remote, 0);
	fg_store_relaxed(&family->references, 1);
	family->ended = family->holds = false;
	fg_store_relaxed(&family->thief, 0);
	family->owner = owner;
	assert(fg_family_valid(family));
}

/* Owner, while the body runs: are all children complete? */
static inline bool
fg_family_over(const struct fg_family *family)
{
	return family->pending == fg_load_acquire(&family->remote);
}

/* Owner, while the body runs: returns the number of children that are not complete. */
static inline uint32_t
fg_family_count(const struct fg_family *family)
{
	return family->pending - fg_load_relaxed(&family->remote);
}

/* So many children are complete. True: they were the last and the body is over, so the caller must call
 * fg_family_release. */
static inline bool
fg_family_leave_many(struct fg_family *family, bool by_owner, uint32_t n)
{
	if (by_owner && !family->ended) {
		assert(fg_family_valid(family) && family->pending >= n);
		family->pending -= n;
		return false;
	}
	assert(fg_load_relaxed(&family->references) > 0);
	return fg_add_acq_rel(&family->remote, n) + n == 0;
}

/* The same for one child. */
static inline bool
fg_family_leave(struct fg_family *family, bool by_owner)
{
	return fg_family_leave_many(family, by_owner, 1);
}

/* Owner: the body is over. True: all children are complete, so the caller must call fg_family_release. */
static inline bool
fg_family_end(struct fg_family *family)
{
	assert(fg_family_valid(family));
	struct fg_family *around = fg_load_relaxed(&family->around);
	bool over = fg_family_over(family);
	family->ended = true;
	if (over && fg_load_acquire(&family->references) == 1)
		return true;
	if (around) {
		assert(fg_load_relaxed(&around->references) > 0);
		fg_add_relaxed(&around->references, 1);
		family->holds = true;
	}
	return fg_sub_acq_rel(&family->remote, family->pending) == family->pending;
}

/* Gives up the reference of the task and its children. Frees the family, and those around it, as far as nothing refers
 * to them any more. `own` is the caller's store. */
static inline void
fg_family_release(struct fg_family *family, struct fg_store *own)
{
	while (family && (fg_load_acquire(&family->references) == 1 || fg_sub_acq_rel(&family->references, 1) == 1)) {
		struct fg_family *around = family->holds ? fg_load_relaxed(&family->around) : NULL;
		assert(family->ended && family != around);
		fg_store_put(own, &family->block);
		family = around;
	}
}

/* All tasks of the pool are complete. An implicit task's body has no end of its own, so its family is freed here. The
 * owner's store is in the caller's hands. */
static inline void
fg_family_rest(struct fg_family **family, struct fg_store *owners)
{
	if (*family && fg_family_over(*family) && fg_load_relaxed(&(*family)->references) == 1)
		fg_store_put(owners, &(*family)->block);
	*family = NULL;
}

/* True: a task of this family descends from the task whose children `of` are. */
static inline bool
fg_family_descends(struct fg_family *family, const struct fg_family *of)
{
	assert(family && of);
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

/* True: a task of this family may run where only descendants of the task with the children `within` may. `within`
 * NULL: any task may. */
static inline bool
fg_family_may_run(struct fg_family *family, const struct fg_family *within)
{
	return !within || fg_family_descends(family, within);
}
