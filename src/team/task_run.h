/* What task.c, task_wait.c and cancel.c share (floor: team). */
#pragma once
#include "team/task.h"

/* Runs a task taken from the ready list. */
void fg_task_run_deferred(struct fg_identity *self, struct fg_task *task);
/* Waits until nothing precedes `task`, a task that its creator keeps. */
void fg_task_wait_predecessors(struct fg_identity *self, const struct fg_task *task);
/* Waits until `task`, which its creator keeps, is complete. */
void fg_task_wait_complete(struct fg_identity *self, const struct fg_task *task);
/* Wakes all who wait for tasks of the pool. Never with the pool's lock held, for they test their condition under it. */
void fg_task_wake(struct fg_task_pool *pool);
