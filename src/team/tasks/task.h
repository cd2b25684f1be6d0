/* Task: how one is made, and what others may know of it (floor: team; called by gomp).
 *
 * A task runs at its creation, on its creator's stack ("included"), where OpenMP demands it, where the team has one member, and where
 * the creator's deque holds enough tasks for all who might come for some: then nothing is copied, allocated or counted.
 * Otherwise it is deferred: it lies in its creator's deque (deque.h) until the creator or a thief runs it.
 * Unfinished tasks are counted where somebody waits for them: among the children of a task (family.h), in a taskgroup, and for
 * the barriers in each member's own two counters (pool.h). Included tasks are complete when their creation returns and are
 * counted nowhere.
 *
 * Without memory for a deferred task it runs at its creation, as one with if(0) does. A taskgroup that there is none for is a number in its thread:
 * until its end all tasks run so, and those that they create, so that there is nothing to wait for (in_haste).
 *
 * A member that waits runs other tasks (wait.c). */
#pragma once
#include "base/atomic.h"
#include "exec/thread/identity.h"
#include "team/env/icv.h"
#include "team/tasks/family.h"
#include "team/tasks/store.h"
#include "team/team.h"

struct fg_depend_node;
struct fg_depend_table;
struct fg_task_member;
struct fg_task_pool;

struct fg_taskgroup {
	struct fg_taskgroup *outer;
	uintptr_t *reductions; /* innermost registered array, which leads to the outer ones (share/reduction.h); NULL: none */
	struct fg_task_member *owner; /* who opened it and will wait; NULL: nobody waits */
	/* pending + others == tasks created in it that are not complete. The owner counts in pending, the rest in others, so the
	 * sum is exact for the owner; who creates a task here runs one that is counted, so it cannot be 0 too early. */
	uint32_t pending;
	struct fg_atomic_u32 others;
	bool hidden; /* of a worksharing construct with task reductions */
	struct fg_atomic_u32 cancelled;
};

/* What every task has: an included one on its creator's stack, an implicit one in its member. */
struct fg_task {
	struct fg_task *around;	  /* the task whose creation of this one has not returned; NULL: deferred or implicit */
	struct fg_family *family; /* of a deferred task: where it is counted */
	struct fg_family *children;	 /* made with the first deferred child */
	struct fg_taskgroup *group;	 /* innermost one that its code is in; written by the task itself */
	struct fg_depend_table *depends; /* what its children depend on; made with the first of them that lasts */
	unsigned nested;		 /* included tasks on this stack */
	uint64_t lock_owner;		 /* it, as the owner of nest locks, 0: none yet (lock/lock.h) */
	bool final;
};

/* What is missing before a deferred task is complete. */
enum { FG_TASK_BODY = 1, FG_TASK_EVENT = 2 };

struct fg_deferred {
	struct fg_block block;
	struct fg_task task;
	void (*fn)(void *); /* NULL: empty */
	void *data;
	struct fg_icv *icv;	   /* the team's, or a copy behind the data */
	struct fg_task_pool *pool; /* NULL: there was no memory for the task, and only its event is to be waited for */
	struct fg_taskgroup *created_in;
	struct fg_depend_node *node; /* NULL: nobody depends on it */
	struct fg_atomic_u32 missing;
	bool copied; /* constructors of the program made its data, whose destructors are in the body */
	bool kept;   /* its creator waits for `complete` and frees it */
	struct fg_atomic_u32 complete;
	unsigned priority;
	struct fg_deferred *next; /* in the team's queue */
	uint64_t event;		  /* as long as FG_TASK_EVENT is missing */
};
