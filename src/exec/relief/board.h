/* Board: a worker leaves its kernel thread and rides with another (floor: exec; called by ride.c through the table of
 * hooks). ride.c has the protocol. The caller is the thread aboard, inside and without a lock, perhaps in the
 * preemption handler. */
#pragma once

struct fg_identity;
struct fg_worker;

/* The caller's worker, which is alone on its kernel thread, rides with `head` from now on. Returns when it is aboard
 * there, or has a kernel thread of its own again. It does nothing where the worker must keep its kernel thread: it is a
 * root's, there is no base for its kernel thread yet, or all workers are about to end. */
void fg_board(struct fg_identity *self, struct fg_worker *head);
