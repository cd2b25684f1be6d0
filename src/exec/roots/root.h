/* Root: a thread of the program (an initial thread), with the things that the runtime keeps for it (floor: exec; called
 * by self.h, shutdown.c, process_fork.c and sim/threads.c). These are the worker of its own regions, and the identities
 * of its outermost teams' members. The identities are kept by number, so that threadprivate data persist.
 *
 * Callers. fg_self_or_root (self.h) makes a root where team, omp or gomp first meets a thread. The C library ends it,
 * by the destructor of a key (thread_end). The structure (root_state.h) is used by thread, body, pool, loop, relief,
 * move, flat, kernel, top, team and stuck.
 *
 * Context. A root is made and ended on its own thread, outside of regions and without a lock. Both may allocate. The
 * last thread of the program to end may wait, because it ends the runtime's threads.
 *
 * Data. Here only its own thread changes a root. A root without a thread lies in a list, under a lock. It is never
 * freed, because other threads read its worker a little longer.
 *
 * The threads that its kernel thread carries. At the end of its region a root goes on on its own kernel thread. If
 * another thread is still blocked there in the kernel, the root must wait for it. So a root's kernel thread must not
 * carry a member that waits, directly or not, for the next step of the root: that member could never go on. A member
 * of the root's own region never waits for that. The region ends only after all its members, after all regions that
 * these made, and after all threads that came back for tasks (fg_births_leave). But a member of another root's
 * region may wait for anything. Therefore each bubble knows its origin: the root in whose region it is in the end.
 * For a root's worker on the root's own kernel thread, this rule holds for runqueues, for thefts and for tasks
 * (fg_worker_only):
 *
 *     origin of all that it takes up == the root
 *
 * While a spare carries the worker, it may take up anything. So may the dock's workers, because their kernel threads
 * are the runtime's.
 *
 * Progress. Each ready or unborn member belongs to some root R whose region has not ended. Therefore R's worker
 * carries threads. R's kernel thread carries this worker, or a spare does when that one is blocked. R's worker finds
 * the entities on its own runqueues, and the machine's is one of them. An entity that lies elsewhere is found by the
 * workers that serve that place, as ever, if one of them may take it. If none may, and no thief comes, the watchdog
 * brings the entity to the machine's runqueue. A thread that is pinned to a worker belongs to the region that the
 * worker serves: a root's own, or the docked one. A worker that is woken for an entity may take it (wake.c). */
#pragma once
struct fg_root;

/* The calling thread of the program ends, and no destructor of a key will run. It may have no root. */
void fg_root_end(void);
/* For a shutdown: takes the roots that no thread has, so that none comes to have one, and gives them back. */
struct fg_root *fg_root_unused_take(void);
void fg_root_unused_give(struct fg_root *unused);
/* In the child of a fork. */
void fg_root_after_fork(void);
