/* The spares: all of them, and those that are idle (floor: exec; called by spare.c). Any thread of the
 * runtime may call these, and any thread inside; none waits for more than the lock. fg_spare_list_find takes no lock,
 * and may be called in a signal handler.
 *
 *     a spare is in the list of idle ones <=> its `idle` is set    (under the lock) */
#pragma once
#include "exec/thread/identity.h"
#include "machine/cpuset.h"

/* A kernel thread that may serve as a spare. Its base is an identity that never runs members. The spare is idle in the
 * list, or serves a worker, or is itself blocked while another spare has that worker. */
struct fg_spare {
	struct fg_identity *base;
	int tid; /* both are set before it is in the list, and change only in a shutdown, when no thread looks */
	struct fg_worker *worker; /* the worker that it must serve */
	struct fg_identity *relieves;
	/* The binding of the blocked kernel thread when that was held. The spare takes the same binding, because the
	 * worker's `place` must be true of it, too. It is noted at once, because a blocked kernel thread that is
	 * a spare may be bound anew before this spare begins. */
	struct fg_cpuset cpus;
	bool bound;
	struct fg_atomic_u32 job; /* SERVE: serve the worker. END: end (spare.c) */
	bool idle;		  /* in the list of idle spares, under the lock */
	struct fg_spare *next;
	struct fg_spare *all_next;
};

/* The first of all spares, newest first; all_next leads on. The list shrinks only in the child of a fork. */
struct fg_spare *fg_spare_list_all(void);
unsigned fg_spare_list_count(void);
void fg_spare_list_add(struct fg_spare *spare);
/* The spare whose kernel thread has this number, or whose base this is. NULL: there is none. */
struct fg_spare *fg_spare_list_find(int tid, const struct fg_identity *base);
/* The spare with this number. If there is none, it takes the spare of *shell, if any, gives it the number and adds it.
 * So a kernel thread gets one spare, even if its worker and the monitor ask for it at the same time. NULL: no shell is
 * there. */
struct fg_spare *fg_spare_list_adopt(int tid, struct fg_atomic_ptr *shell, bool *adopted);

/* NULL: none is idle. */
struct fg_spare *fg_spare_list_take_idle(void);
void fg_spare_list_put_idle(struct fg_spare *spare);
bool fg_spare_list_has_idle(void);
bool fg_spare_list_is_idle(const struct fg_spare *spare);
/* The idle ones have ended. */
void fg_spare_list_forget_idle(void);
void fg_spare_list_after_fork(void);
