/* Pool: what the members of one team share of their tasks, made when the first of them needs it (floor: team; called by create.c and its neighbours,
 * sync/cancel.c, the barriers and region/region.c). A thread outside any region has a pool of its own, of one member. */
#pragma once
#include "base/spinlock.h"
#include "team/inside.h"
#include "team/tasks/deque.h"
#include "team/tasks/task.h"

/* How often a member that waits looks at others' deques (wait.c). */
struct fg_thief {
	unsigned turn, pause;
	uint64_t began; /* when it last stole, while what it got lasts; 0: not */
};

/* One member of the team. Made by the member itself, when it first needs it. */
struct fg_task_member {
	struct fg_deque deque;
	/* Owner only. */
	_Alignas(128) struct fg_task implicit;
	struct fg_task_pool *pool;
	unsigned num;
	bool plain;			 /* a plain task needs no word to anybody (plain.h) */
	unsigned limit;			 /* with so many tasks in the deque, new ones run at once */
	unsigned in_vain;		 /* waits to slow down a producer that nothing came of, one after the other */
	struct fg_task_member **victims; /* the others, nearest first */
	unsigned n_victims;
	struct fg_thief thief;
	struct fg_taskgroup *spare_groups; /* for its next taskgroups, chained by `outer` */
	unsigned n_spare_groups;
	struct fg_store store;
	/* Written by the owner, read by those who ask whether all is done. created is counted before anybody can complete the task. */
	_Alignas(128) struct fg_atomic_u64 created;
	struct fg_atomic_u64 completed;
	/* Seldom written. */
	_Alignas(128) struct fg_atomic_ptr worker; /* where it was when it first met tasks; NULL: it has not run yet */
	struct fg_atomic_ptr within;		   /* while asleep: what it may run, as in fg_task_find */
	struct fg_atomic_u32 asleep;		   /* ASLEEP: it is, or is about to be; who changes that wakes it */
};

/* Tasks in no particular member's hands: those with a priority, highest first, and those that a thread outside the team made ready. */
struct fg_task_queue {
	struct fg_spinlock lock;
	struct fg_atomic_u32 count; /* written under the lock */
	struct fg_deferred *first, *last;
};

struct fg_task_pool {
	struct fg_bubble_tasks query; /* of the team's bubble */
	struct fg_team *team;	      /* NULL: of a thread outside any region */
	unsigned size;
	bool docked;

	struct fg_atomic_u32 sleepers;	/* members asleep */
	struct fg_atomic_u32 n_members; /* made so far */
	struct fg_atomic_u32 quiet;	/* a barrier's phase: all tasks created before it are complete (wait.c) */
	struct fg_task_queue queue;

	/* Events fulfilled by threads that are not members here. */
	_Alignas(64) struct fg_atomic_u64 foreign_completed;
	struct fg_atomic_u32 events; /* of detached tasks, not fulfilled yet */
	struct fg_atomic_u32 guests; /* such threads that still use the pool */

	/* Cancellation (sync/cancel.c). */
	struct fg_spinlock lock;
	struct fg_atomic_u32 cancelled;	      /* the parallel region */
	struct fg_atomic_u32 share_cancelled; /* the worksharing construct between this barrier and the next */
	unsigned arrived;		      /* at the cancellable barrier, under the lock */
	struct fg_atomic_u32 phase;

	struct fg_atomic_ptr member[]; /* by thread number; NULL: not made yet */
};

/* Of a thread outside any region; NULL: not made yet. A thread-local word moves with its thread, and only initial threads are outside. */
extern __thread struct fg_task_pool *fg_task_own_pool __attribute__((tls_model("initial-exec")));
/* The pool of the caller's team, made at first use; outside any region one of the caller's own. NULL: there is no memory. */
FG_ANYWHERE struct fg_task_pool *fg_task_pool(struct fg_identity *self);
struct fg_task_pool *fg_task_pool_or_null(struct fg_identity *self);
/* What a pool of this size takes, with all its members: once it is made, none of them lacks memory for itself. */
FG_ANYWHERE size_t fg_task_pool_bytes(unsigned size);
/* The pool of a new team before its members run; opened to those who wait at the dock once they do. */
FG_INSIDE struct fg_task_pool *fg_task_team_pool(struct fg_identity *self, struct fg_team *team);
void fg_task_pool_open(struct fg_task_pool *pool);
/* There is memory for the pool of the new team: with cancellation all its members must meet at the barriers of one. */
bool fg_task_team_reserve(struct fg_team *team);
/* Puts the caller's own pool aside for a fresh initial thread, and takes it back. */
FG_ANYWHERE struct fg_task_pool *fg_task_pool_swap(struct fg_task_pool *pool);

/* The member with this number, which is the caller, or does not run yet. */
FG_ANYWHERE struct fg_task_member *fg_task_member_of(struct fg_task_pool *pool, unsigned num);
struct fg_task_member *fg_task_member_slow(struct fg_identity *self);
/* As it is made, but for the tasks that it may have. */
void fg_task_member_reset(struct fg_task_member *member);
/* The caller. NULL: there is no memory for the pool, and no task of the team that waits. */
static inline struct fg_task_member *
fg_task_member(struct fg_identity *self)
{
	struct fg_task_member *member = self->thread.tasks;
	return __builtin_expect(member != NULL, 1) ? member : fg_task_member_slow(self);
}

/* The current task. An implicit one has a struct only once its member has met tasks; NULL: there is no memory for that. */
FG_ANYWHERE struct fg_task *fg_task_current(struct fg_identity *self);
struct fg_task *fg_task_current_or_null(struct fg_identity *self);

/* All tasks were complete at one moment during the call. */
bool fg_task_pool_quiet(struct fg_task_pool *pool);
/* All tasks made before the barrier of this phase are complete, and some member has seen that, and may have made others. */
static inline bool
fg_task_pool_is_past(struct fg_task_pool *pool, uint32_t phase)
{
	return (int32_t)(fg_load_acquire(&pool->quiet) - phase) >= 0;
}
/* Tasks that lie where members look for one; a hint. */
unsigned fg_task_pool_waiting(const struct fg_task_pool *pool);

/* The member's victims, brought up to date. False: there is no memory for the list. */
bool fg_task_victims(struct fg_task_member *member);

/* The queue: a task goes behind those of its own priority. */
void fg_task_queue_put(struct fg_task_queue *queue, struct fg_deferred *task);
/* The first that descends from `within`, or any if that is NULL. */
struct fg_deferred *fg_task_queue_take(struct fg_task_queue *queue, const struct fg_family *within);
/* There is one. */
bool fg_task_queue_has(struct fg_task_queue *queue, const struct fg_family *within);
