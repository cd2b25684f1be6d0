/* Waking members that wait for tasks (floor: team; called by the files of tasks, sync and region). wait.c says how
 * they sleep.
 *
 * Any thread inside may call, without a lock of rank PARK or higher. Nothing is allocated. It writes the `asleep` of
 * the member that it wakes. */
#pragma once
#include "exec/thread/wake.h"
#include "platform/membarrier.h"
#include "team/tasks/pool.h"

struct fg_worker;

/* The states of a member: its word `asleep`. */
enum { FG_TASK_AWAKE, FG_TASK_ASLEEP, FG_TASK_CALLED };

/* True: the caller ended this sleep. If it is the sleeper itself, it need not sleep any more. */
static inline bool
fg_task_rouse(struct fg_task_member *member, uint32_t state)
{
	assert(state != FG_TASK_ASLEEP);
	uint32_t seen = FG_TASK_ASLEEP;
	if (fg_load_relaxed(&member->asleep) != FG_TASK_ASLEEP || !fg_cas_acq_rel(&member->asleep, &seen, state))
		return false;
	fg_sub_acq_rel(&member->pool->sleepers, 1);
	return true;
}

/* True: a member of the pool or a worker sleeps. The caller has made its light fence. */
static inline bool
fg_task_someone_sleeps(const struct fg_task_pool *pool)
{
	return __builtin_expect(fg_load_relaxed(&pool->sleepers) != 0 || fg_load_relaxed(&fg_idle.sleepers) != 0, 0);
}
/* A task of this family lies where members look: wakes a member that sleeps and may run it. The protocol is that of
 * exec/loop/idle.c, and the sleeper's fence is the heavy one. */
void fg_task_wake_one_slow(struct fg_task_member *member, struct fg_task_pool *pool, const struct fg_family *family);
static inline void
fg_task_wake_one(struct fg_task_member *member, struct fg_task_pool *pool, const struct fg_family *family)
{
	fg_fence_light();
	if (fg_task_someone_sleeps(pool))
		fg_task_wake_one_slow(member, pool, family);
}
/* Something has happened that this member may wait for. */
void fg_task_wake_member_slow(struct fg_task_member *member);
static inline void
fg_task_wake_member(struct fg_task_member *member, struct fg_task_pool *pool)
{
	assert(member->pool == pool);
	fg_fence_light();
	if (__builtin_expect(fg_load_relaxed(&pool->sleepers) != 0, 0))
		fg_task_wake_member_slow(member);
}
/* Something has happened that all members may wait for. */
void fg_task_wake_all(struct fg_task_pool *pool);
/* A member that was called for a task leaves its wait without running it. So it calls others that sleep. */
void fg_task_call_others(struct fg_task_pool *pool, const struct fg_worker *here);
