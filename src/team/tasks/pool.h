/* Pool: the things that members of one team share of their tasks (floor: team; called by the files of tasks, sync,
 * share, region, boot and stuck, and by gomp; policies ask `query` through the bubble). The first member that needs the
 * pool makes it. A thread outside any region has a pool of its own, with one member.
 *
 * A member touches its own part in plain words, inside. Words that others read are atomic, and each field says which
 * thread writes it. The sums of the counters are in fg_task_pool_quiescent, and pool.c has the proof that an end
 * empties the pool. No caller holds a lock of rank TASKS or higher. fg_task_pool_has_waiting and fg_task_pool_is_past
 * may be asked in the preemption handler, too. */
#pragma once
#include "base/spinlock.h"
#include "team/inside.h"
#include "team/tasks/deque.h"
#include "team/tasks/mailbox.h"
#include "team/tasks/task.h"

/* How often a member that waits looks at the deques of others, and at which (thief.c). */
struct fg_thief {
	unsigned turn, pause;
	unsigned leapfrogs; /* looks in a row at one deque only */
	uint64_t began;	    /* when it last stole, while it runs the stolen tasks; 0: it does not */
};

/* Of a group of near members in a large team (scout.h). Both words before the mailbox are hints. */
struct fg_scout {
	_Alignas(128) struct fg_atomic_u32 outings; /* twice the scouts so far; odd: one is out, and counts as half */
	struct fg_atomic_u32 giver; /* the number, + 1, of a member where a scout found tasks; 0: none */
	struct fg_mailbox box;
};

/* One member of the team. The member itself makes this, when it first needs it. */
struct fg_task_member {
	struct fg_deque deque;
	/* Only the owner writes these while the region goes on. Other members read `pool` and `num`, and push blocks
	 * on `store.returned`. Before the member runs, gomp/reduction.c writes `implicit.group`. */
	_Alignas(128) struct fg_task implicit;
	struct fg_task_pool *pool;
	unsigned num;
	bool plain;	   /* plain tasks need not enter the runtime (plain.h) */
	unsigned limit;	   /* with so many tasks in its deque, it runs new ones at once (limit.h) */
	unsigned many;	   /* with so many, it leaves some in mailboxes (mail.h); in a small team `limit` */
	unsigned own;	   /* tasks that it took from its own deque */
	uint64_t top_then; /* the deque's `top` when `own` was last a multiple of FG_LIMIT_OWN */
	unsigned in_vain;  /* calls of fg_task_slow_down in a row that waited in vain */
	struct fg_task_member **victims; /* the other members that make tasks, nearest first */
	unsigned n_victims;
	struct fg_task_member *listed; /* the newest one (pool->producers) when the list was made */
	struct fg_thief thief;
	struct fg_taskgroup *free_groups; /* for its next taskgroups, chained by `outer` */
	unsigned n_free_groups;
	struct fg_store store;
	/* The owner writes these. Members read them to ask whether all tasks are complete. `created` counts a task
	 * before any thread can complete it. */
	_Alignas(128) struct fg_atomic_u64 created;
	struct fg_atomic_u64 completed;
	/* These are seldom written. */
	_Alignas(128) struct fg_atomic_ptr worker; /* its worker when it first met tasks; NULL: not yet */
	struct fg_task_member *next_producer;	   /* in pool->producers */
	struct fg_atomic_ptr within;		   /* while asleep: `within`, as in fg_task_find */
	struct fg_atomic_u32 asleep;		   /* its state; the thread that changes it from ASLEEP wakes it */
	/* Only the owner uses these. */
	_Alignas(128) unsigned n_near; /* so many victims come first in each look; in a small team all */
	struct fg_scout *scout;	       /* of its group; NULL: it has no group */
	unsigned far_at;	       /* the next victim outside of its group */
	unsigned refused;	       /* looks in a row without one outside, because the same scout was out */
	uint32_t refused_by;	       /* the number of its outing */
	bool everywhere;	       /* the next look goes to all victims */
	bool called;		       /* it was called for in this layout, to learn where to look (region/helping.c) */
	uint32_t epoch;		       /* the pool's when the member last met it; of a small pool 0 */
	uint64_t layout;	       /* the same */
	unsigned mail_turn;	       /* tasks that it has made since it had so many */
	unsigned box_at;	       /* the next mailbox at which it looks */
};

/* The tasks that belong to no member: those with a priority, highest first, those that a thread outside the team made
 * ready, and those for which a deque had no room. */
struct fg_task_queue {
	struct fg_spinlock lock;
	struct fg_atomic_u32 count; /* written under the lock */
	struct fg_deferred *first, *last;
};

struct fg_task_pool {
	struct fg_bubble_tasks query; /* of the team's bubble */
	struct fg_team *team;	      /* NULL: the pool is that of a thread outside any region */
	unsigned size;
	bool docked;
	uint16_t n_scouts; /* 0: the team is small, and its members do not look by groups (scout.h) */

	struct fg_atomic_u32 sleepers;	/* members asleep */
	struct fg_atomic_u32 quiescent; /* a barrier's phase: all tasks created before it are complete (wait.c) */
	/* The members whose deques are open, newest first: they have made tasks, or keep tasks of others. Most members
	 * of a large team make none, and no thief looks at those. */
	struct fg_atomic_ptr producers;
	struct fg_task_queue queue;

	/* These serve threads that are not members here, and fulfil events. */
	_Alignas(64) struct fg_atomic_u64 foreign_completed;
	struct fg_atomic_u32 events; /* events of detached tasks that are not fulfilled yet */
	struct fg_atomic_u32 users;  /* threads that fulfil an event and still use the pool */

	/* Of a large pool (pool.c). The primary thread writes `epoch` between regions. The thread that makes the pool
	 * a region's writes `layout`. */
	uint32_t epoch;	 /* the number of regions that have ended */
	uint64_t layout; /* of the dock that the members sit at; 0: they have other workers in each region */

	struct fg_scout *scouts;       /* n_scouts; behind the members' pointers */
	struct fg_atomic_ptr member[]; /* by thread number; NULL: not made yet */
};

/* The pool of a thread outside any region. NULL: it is not made yet. A thread-local word moves with its thread, and
 * only initial threads are outside. */
extern __thread struct fg_task_pool *fg_task_own_pool __attribute__((tls_model("initial-exec")));
/* Returns the pool of the caller's team, made at first use. Outside any region it is a pool of the caller's own. NULL:
 * there is no memory. A caller that may be the first is inside, because that opens the pool and unparks threads. */
FG_ANYWHERE struct fg_task_pool *fg_task_pool(struct fg_identity *self);
struct fg_task_pool *fg_task_pool_or_null(struct fg_identity *self);
/* Returns the bytes that a pool of this size takes with all its members. Once it is made, no member lacks memory for
 * itself. */
FG_ANYWHERE size_t fg_task_pool_bytes(unsigned size);
/* The first makes the pool of a new team before its members run. Once they run, the second opens it to threads that
 * wait, for example at the dock. */
FG_INSIDE struct fg_task_pool *fg_task_team_pool(struct fg_identity *self, struct fg_team *team);
void fg_task_pool_open(struct fg_task_pool *pool);
/* Puts another pool in the place of the caller's own, and returns that. This serves a
 * fresh initial thread, and later brings the old pool back. */
FG_ANYWHERE struct fg_task_pool *fg_task_pool_swap(struct fg_task_pool *pool);

/* Returns the member with this number. It is the caller, or it does not run yet. */
FG_ANYWHERE struct fg_task_member *fg_task_member_of(struct fg_task_pool *pool, unsigned num);
struct fg_task_member *fg_task_member_slow(struct fg_identity *self);
/* Gives the member of a small pool, or of another layout, its first values again. Its store and its table of
 * dependences stay. */
void fg_task_member_reset(struct fg_task_member *member);
/* True: the member has met the pool in this region. */
static inline bool
fg_task_member_is_here(const struct fg_task_member *member)
{
	return member->epoch == member->pool->epoch;
}
/* Returns the caller's member. NULL: there is no memory for the pool, and so there is no task of the team that
 * waits. */
static inline struct fg_task_member *
fg_task_member(struct fg_identity *self)
{
	struct fg_task_member *member = self->thread.tasks;
	return __builtin_expect(member != NULL, 1) ? member : fg_task_member_slow(self);
}

/* Returns the current task. An implicit task has a struct only once its member has met tasks. NULL: there is no memory
 * for that. The second function makes nothing. */
FG_ANYWHERE struct fg_task *fg_task_current(struct fg_identity *self);
struct fg_task *fg_task_current_or_null(struct fg_identity *self);

/* True: all tasks were complete at one moment during the call. */
bool fg_task_pool_quiescent(struct fg_task_pool *pool);
/* True: all tasks made before the barrier of this phase are complete. Some member has seen that, and may have made
 * other tasks since. */
static inline bool
fg_task_pool_is_past(struct fg_task_pool *pool, uint32_t phase)
{
	return (int32_t)(fg_load_acquire(&pool->quiescent) - phase) >= 0;
}
#ifndef NDEBUG
/* For an assert. The first is for any member of the pool, the second for the member itself. */
bool fg_task_pool_valid(const struct fg_task_pool *pool);
bool fg_task_member_valid(const struct fg_task_member *member);
#endif
/* Returns the number of tasks that lie with the members on this level and below, as far as their words tell: a hint.
 * NULL, or the machine: also those that lie with no member. Neither this nor the next one takes a lock: policies and
 * waiters ask while they hold locks. */
unsigned fg_task_pool_waiting(const struct fg_task_pool *pool, const struct fg_runqueue *level);
/* Tells whether there are any: a hint. It disturbs no more members than it must. */
bool fg_task_pool_has_waiting(const struct fg_task_pool *pool);

FG_ANYWHERE static inline bool
fg_task_pool_is_large(const struct fg_task_pool *pool)
{
	return pool->n_scouts != 0;
}
/* Makes the member's list of victims anew. False: there is no memory for the list. */
bool fg_task_victims(struct fg_task_member *member);

/* The push of a task into the caller's deque has failed. The first task of a region opens the deque, and from then on
 * other members look there. If the deque cannot grow, the task goes into the queue. */
void fg_task_keep_slow(struct fg_task_member *member, struct fg_deferred *task, struct fg_family *family);
/* Puts a task into the queue, behind those of its own priority. */
void fg_task_queue_put(struct fg_task_queue *queue, struct fg_deferred *task);
/* Takes the first task that descends from `within`, or the first of all if that is NULL. */
struct fg_deferred *fg_task_queue_take(struct fg_task_queue *queue, const struct fg_family *within);
/* True: the queue has a task that descends from `within`. */
bool fg_task_queue_has(struct fg_task_queue *queue, const struct fg_family *within);
