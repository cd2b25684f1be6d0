/* Plain: how compiled code makes a task (floor: team; called by gomp). A plain task has nothing but code and data, and
 * no clause that asks for more. Most tasks of a program are plain. Where such a task can run at once, it gets no more
 * than a task has while it runs. All other tasks enter the runtime, and go through create.c.
 *
 * All that the short ways touch belongs to the running thread and moves with it: its task, its ICVs, the owner's side
 * of its deque. So they do not enter the runtime. The thread may be preempted anywhere, and a thread that holds its
 * worker meanwhile touches none of this. One word is not the thread's own: the notice of its worker. It is a hint here,
 * perhaps of a worker that the thread has just left, and the thread enters the runtime before it acts on it. */
#pragma once
#include "team/tasks/create.h"

/* Creates a task without clauses. `copy` NULL: memcpy makes the task's own data. Of the flags of GOMP_task only
 * FG_TASK_FINAL counts. */
FG_OUTSIDE void fg_task_simple(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
			       unsigned flags);
/* The same, with if(0), and without a copy function. The arguments have their positions in GOMP_task, but `flags` has
 * that of `copy`: so GOMP_task moves only `flags`. */
FG_OUTSIDE void fg_task_undeferred(void (*fn)(void *), void *data, unsigned flags, long size, long align);
/* The same, with if(0) and a copy function. */
FG_OUTSIDE void fg_task_undeferred_copied(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size,
					  long align, unsigned flags);
/* The same, with if(0) and depend, and without a copy function. */
FG_OUTSIDE void fg_task_undeferred_after(void (*fn)(void *), void *data, void **depend, long size, long align,
					 unsigned flags);
/* Creates a task with any of the clauses. */
FG_OUTSIDE void fg_task_with_clauses(const struct fg_task_order *order, void **depend);
