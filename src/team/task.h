/* Task: an explicit or implicit task, and the pool of a team's unfinished ones (floor: team; called by gomp, by taskgroups,
 * reductions and cancellation, and by the barriers).
 *
 * A task runs at its creation, on its creator's stack, unless a predecessor is not complete: that happens only where a
 * detached task is involved. Then it is deferred, and becomes ready when the last predecessor completes; threads that wait at a
 * taskwait, a taskgroup's end or a barrier run it. So only detached and deferred tasks are ever counted as unfinished.
 *
 * Under the pool's lock, always:
 *     task->unfinished == number of tasks in its list of children;   group->unfinished == unfinished tasks created in it
 *     pool->unfinished == detached and deferred tasks of the team that are not complete
 */
#pragma once
#include "base/atomic.h"
#include "base/spinlock.h"
#include "exec/identity.h"
#include "team/depend.h"
#include "team/icv.h"
#include "team/team.h"

struct fg_task_pool;

struct fg_taskgroup {
	struct fg_taskgroup *outer;
	uintptr_t *reductions; /* innermost registered array, which leads to the outer ones (reduction.h); NULL: none */
	unsigned unfinished;   /* under the pool's lock */
	bool hidden;	       /* of a worksharing construct with task reductions */
	struct fg_atomic_u32 cancelled;
};

struct fg_task_link {
	struct fg_task_link *next;
	struct fg_task *successor;
};

struct fg_task {
	struct fg_taskgroup *group; /* innermost one that its code is in; written by the task itself */
	struct fg_atomic_u32 unfinished;
	struct fg_task *children; /* unfinished ones; here and below under the pool's lock */
	bool final;

	/* The rest is used only in tasks that outlive their creation. */
	bool kept;			      /* somebody waits for its end and frees it */
	bool started;			      /* the body runs or ran */
	bool body_done, event_open, complete; /* complete once the body is done and the event is not open */
	bool copied; /* constructors of the program made its data, whose destructors are in the body */
	struct fg_task_pool *pool;
	struct fg_task *parent; /* NULL once it has ended */
	struct fg_task *previous, *next, *ready_next;
	struct fg_taskgroup *created_in;
	struct fg_depend_list depend;
	unsigned predecessors; /* not complete yet; one more while the task is being made */
	struct fg_task_link *successors;
	void (*fn)(void *); /* NULL: nothing to run, the creator waits or the task is empty */
	void *data;
	struct fg_icv icv; /* data environment of a deferred task */
};

struct fg_task_pool {
	struct fg_spinlock lock;
	struct fg_atomic_u32 unfinished; /* changes under the lock */
	struct fg_task *ready, **ready_end;

	/* Cancellation (cancel.c). */
	struct fg_atomic_u32 cancelled;	      /* the parallel region */
	struct fg_atomic_u32 share_cancelled; /* the worksharing construct between this barrier and the next */
	unsigned arrived;		      /* at the cancellable barrier, under the lock */
	struct fg_atomic_u32 phase;

	unsigned size;
	struct fg_task implicit[]; /* by thread number */
};

/* What a task is made of; the words of GOMP_task. */
struct fg_task_order {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *to, void *from); /* NULL: memcpy */
	size_t size, align;
	void **depend; /* NULL: none */
	void **event;  /* detach: where the handle goes; NULL: none */
	bool undeferred, final;
};

/* Creates a task and, as a rule, runs it before returning. Caller inside the runtime; fn is called outside it. */
void fg_task_create(struct fg_identity *self, const struct fg_task_order *order);
/* Runs fn(data) at once as a task of the caller without dependences. */
void fg_task_run_included(struct fg_identity *self, void (*fn)(void *), void *data, bool final);

/* Waits until the children of the current task are complete. */
void fg_task_wait_children(struct fg_identity *self);
/* Waits until the siblings that a task with these dependences would have to follow are complete. */
void fg_task_wait_depend(struct fg_identity *self, void **depend);
/* Waits until all tasks of the group are complete. */
void fg_task_wait_group(struct fg_identity *self, struct fg_taskgroup *group);
/* Waits until all tasks of the caller's team are complete: before each barrier and at the region's end, by each member, if
 * team->tasks is set. */
void fg_task_barrier_wait(struct fg_identity *self);
/* Frees team->tasks when the region is over. */
void fg_task_team_end(struct fg_team *team);

/* The event of a detached task has happened. Any thread may call it, also one that the runtime has never met. */
void fg_task_fulfill(struct fg_task *task);

/* The pool of the caller's team, made at first use; outside any region one of the caller's own. */
struct fg_task_pool *fg_task_pool(struct fg_identity *self);
/* The pool of a new team before its members run. */
struct fg_task_pool *fg_task_team_pool(struct fg_team *team);
/* Puts the caller's own pool aside for a fresh initial thread, and takes it back. */
struct fg_task_pool *fg_task_pool_swap(struct fg_task_pool *pool);
/* Frees the caller's own pool if it holds nothing. */
void fg_task_pool_trim(struct fg_identity *self);

/* The current task; an implicit one has a struct only once its team has a pool. */
struct fg_task *fg_task_current(struct fg_identity *self);
struct fg_task *fg_task_current_or_null(struct fg_identity *self);

/* Zeroed or plain memory, or a fatal message. */
void *fg_task_memory(size_t size);
