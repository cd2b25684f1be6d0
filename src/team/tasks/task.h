/* Task: its data, and how it is made (floor: team; used by the files of tasks, lock and stuck, and by gomp and omp).
 *
 * An included task runs at its creation, on its creator's stack. A task is included where OpenMP demands it, and where
 * the team has one member. It is included, too, where the creator's deque holds enough tasks for all members that may
 * come. Then nothing is copied, allocated or counted. Any other task is deferred: it lies in its creator's deque
 * (deque.h) until the creator or a thief runs it.
 *
 * Unfinished tasks are counted where a member waits for them: among the children of a task (family.h), and in a
 * taskgroup. For barriers each member has two counters of its own (pool.h). Included tasks are complete when their
 * creation returns, and are counted nowhere.
 *
 * A task for which there is no memory runs at its creation, as one with if(0) does. A taskgroup for which there is
 * none is a number in its thread (groups_lost). Until the end of that group all tasks run at once, and so do the tasks
 * that they create. So there is nothing to wait for.
 *
 * A member that waits runs other tasks (wait.c).
 *
 * The thread that runs a task writes its struct fg_task. The other words say which thread writes them. */
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
	/* The innermost registered array, which leads to the outer ones (share/reduction.h). NULL: there is none. */
	uintptr_t *reductions;
	struct fg_task_member *owner; /* the member that opened it, and will wait; NULL: none waits */
	/* pending + others == tasks created in it that are not complete. The owner counts in `pending`, all others
	 * count in `others`, so the sum is exact for the owner. A task that creates a task here is counted itself, so
	 * the sum cannot be 0 too early. */
	uint32_t pending;
	struct fg_atomic_u32 others;
	bool hidden; /* of a worksharing construct with task reductions */
	struct fg_atomic_u32 cancelled;
};

/* Every task has these. They lie on the creator's stack for an included task, and in the member for an implicit one. */
struct fg_task {
	struct fg_task *around;	  /* the task whose creation of this one has not returned; NULL: deferred or implicit */
	struct fg_family *family; /* of a deferred task: where it is counted */
	struct fg_family *children;	 /* made with the first deferred child */
	struct fg_taskgroup *group;	 /* innermost one that its code is in; only the task itself writes it */
	struct fg_depend_table *depends; /* dependences of its children; made with the first that is deferred */
	unsigned nested;		 /* included tasks on this stack */
	uint64_t lock_owner;		 /* its number as an owner of nest locks; 0: none yet (lock/lock.h) */
	bool final;
};

/* The parts that are missing before a deferred task is complete. */
enum { FG_TASK_BODY = 1, FG_TASK_EVENT = 2 };

/* A task is counted out by itself; its creator waits for `complete` and frees it; it is of a batch (mail.h); or it is a
 * row of tasks (row.h). */
enum { FG_TASK_ALONE, FG_TASK_AWAITED, FG_TASK_OF_BATCH, FG_TASK_ROW };

struct fg_deferred {
	struct fg_block block;
	struct fg_task task;
	void (*fn)(void *); /* NULL: empty */
	void *data;
	struct fg_icv *icv;	   /* the team's, or a copy behind this struct */
	struct fg_task_pool *pool; /* NULL: no memory for the task; its creator waits only for its event */
	struct fg_taskgroup *created_in;
	struct fg_depend_node *node; /* NULL: no task depends on it */
	struct fg_atomic_u32 missing;
	bool copied;	 /* constructors of the program made its data; the body has the destructors */
	uint8_t counted; /* how it is counted out and freed */
	struct fg_atomic_u32 complete;
	unsigned priority;
	struct fg_deferred *next; /* in the team's queue */
	uint64_t event;		  /* valid while FG_TASK_EVENT is missing */
	union {
		struct {
			struct fg_deferred *first;
			/* Of the first task. Until all tasks of the batch are complete their blocks are chained by
			 * `next`. */
			struct fg_deferred *last;
			unsigned size;
			struct fg_atomic_u32 left; /* tasks that are not complete */
		} batch;
		struct {
			struct fg_deferred *whole; /* NULL: it was split from the loop itself */
			struct fg_atomic_u32 left; /* its body, and the rows split from it that are not over */
		} row;
	};
};

_Static_assert(sizeof(struct fg_deferred) < 256, "most tasks have a block of the smallest kind");

/* Returns the task's number in a trace. No two unfinished tasks have the same one, unless 256 GB lie between them. A
 * later task at the same address has it again. */
static inline uint32_t
fg_deferred_number(const struct fg_deferred *task)
{
	return (uint32_t)((uintptr_t)task >> 6);
}
