/* Root: a thread of the program (an initial thread), with the things that the runtime keeps for it (floor: exec; used
 * by thread, relief, flat and kernel; team, omp and gomp call fg_self_or_root). These are the worker of its own
 * regions, and the identities of its outermost teams' members. The identities are kept by number, so that
 * threadprivate data persist.
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
#include "exec/thread/dock_state.h"
#include "exec/thread/worker.h"
#include "forest/runqueue.h"
#include "platform/float.h"

struct fg_load_history_root;
struct kernel_thread;

/* The PUs of the members of an outermost team, as the policy has chosen them (flat/placement.h). */
struct fg_placement {
	struct fg_bubble team;
	unsigned size;		    /* number of members that it was made for; 0: none yet */
	unsigned *pu;		    /* of each member: its PU, by logical number */
	struct fg_runqueue **range; /* of each member: the level that it has for itself, or NULL */
};

struct fg_root {
	struct fg_identity identity; /* the home: the program's own pthread */
	struct fg_worker worker;
	struct fg_dock dock; /* its flat teams run there */
	/* [k]: member k of its outermost teams; [0] is unused. There are two sets. The first is for teams that are
	 * dealt round the workers, where the first members are the workers' homes. The second is for teams that are
	 * dealt by places. Its members are all donors, because they move from worker to worker as the size changes. */
	struct fg_identity **members[2];
	unsigned n_members[2]; /* number of entries that there is room for */
	/* The layout of the last docked team. */
	unsigned size, slots; /* number of members and of workers */
	bool by_place;	      /* slot_of tells the members' workers: from places, or (planned) from the policy */
	bool planned;
	uint16_t *slot_of;	    /* by_place: the worker of each member */
	unsigned *pus;		    /* the PU of each worker, by logical number */
	struct fg_runqueue **range; /* of each worker: fg_worker.range */
	struct fg_placement plan;
	bool by_policy;	     /* the plan is followed */
	uint32_t meets;	     /* in a trace: the number of the bubble whose region it meets; 0: there is no trace */
	const void *areas;   /* the name of the areas attached to the next team (forest/bubble.h); NULL: none */
	uint64_t areas_told; /* digest of the areas that the program has told. A change sets size to 0 */
	const float *loads;  /* of its teams' members, as hinted or learnt; NULL: not known. A change sets size to 0 */
	unsigned n_loads;    /* for teams of so many members */
	uint64_t layout;     /* version of the layout, unique over all roots */
	/* A member first begins in the floating-point environment that the thread has at its first fork, as a new
	 * pthread would. Then it keeps its own flags from region to region, and takes over the modes at each.
	 * `environment` is the number of that environment, unique over all threads. `floats` is its value when the last
	 * layout was made. */
	uint32_t environment;
	struct fg_float floats;
	/* With FGOMP_THREADS=kernel: [k] is the kernel thread of member k of its outermost teams. Then the number of
	 * entries. */
	struct kernel_thread **kernel_members;
	unsigned n_kernel_members;
	struct fg_load_history_root *learnt;   /* history of its outermost regions (team/hints/history.c), or NULL */
	const struct fg_births *kernel_births; /* births of the team that has the kernel threads; NULL: none */
	void *fault_stack;		       /* alternate signal stack that its kernel thread was given, or NULL */
	bool may_carry;			       /* its kernel thread may carry others, so that stack was asked for */
	struct fg_root *next;
};

#ifndef NDEBUG
/* The caller has the root's dock, or is the root. For an assert (valid.c). */
bool fg_root_valid(const struct fg_root *root);
#endif

/* The caller is about to get a donor. If it is a root, its kernel thread will carry other threads. */
void fg_root_prepare(struct fg_identity *self);
/* The calling thread of the program ends, and no destructor of a key will run. It may have no root. */
void fg_root_end(void);
/* For a shutdown: takes the roots that no thread has, so that none comes to have one, and gives them back. */
struct fg_root *fg_root_unused_take(void);
void fg_root_unused_give(struct fg_root *unused);
/* In the child of a fork. */
void fg_root_after_fork(void);

/* The running identity; a pthread not met before becomes an initial thread (root.c). */
__attribute__((returns_nonnull)) struct fg_identity *fg_self_or_root_slow(void);
static inline struct fg_identity *
fg_self_or_root(void)
{
	struct fg_identity *self = fg_self_pointer;
	return __builtin_expect(self != NULL, 1) ? self : fg_self_or_root_slow();
}
