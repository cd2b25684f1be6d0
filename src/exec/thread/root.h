/* Root: a thread of the program (an initial thread), with what the runtime keeps for it: the worker of its own regions,
 * and the identities of its outermost teams' members, by number, so that threadprivate data persist (floor: exec).
 *
 * Whom its kernel thread carries. At the end of its region a root goes on on its own kernel thread, whatever may be
 * blocked there in the kernel: so nobody may be who waits, directly or not, for what the root does next. Nobody of its
 * own does: its region ends when all its members have, and all of the regions that these made, and all who came back
 * for tasks (fg_births_leave). But a member of another root's region may wait for anything. Therefore each bubble knows
 * its origin, the root in whose region it is in the end, and a root's worker takes up, on the root's own kernel thread,
 * only what is of its own origin (fg_worker_only): from its runqueues, as a thief, and for tasks. While a spare carries
 * the worker that may take up anything; so may the dock's workers, whose kernel threads are the runtime's.
 *
 * Progress. What is ready or unborn is of some root whose region has not ended, and whose worker therefore carries
 * threads: by the root's kernel thread, or by a spare when that is blocked. It finds what lies on its own runqueues,
 * the machine's among them. What lies elsewhere is found by who serves there, as ever, if one of these may take it;
 * else, and if no thief comes, the watchdog brings it to the machine's. What is pinned to a worker is of the region
 * that this serves: a root's own, or the docked one. Whoever is woken for something may take it (idle.c). */
#pragma once
#include "exec/thread/worker.h"
#include "forest/runqueue.h"
#include "platform/float.h"

struct fg_load_history_root;
struct kernel_thread;

/* Where the members of an outermost team sit, as the policy has it (flat/placement.h). */
struct fg_placement {
	struct fg_bubble team;
	unsigned size;		    /* members that it was made for; 0: none yet */
	unsigned *pu;		    /* of each member: logical number */
	struct fg_runqueue **range; /* of each member: the level that it has for itself, or NULL */
};

struct fg_root {
	struct fg_identity identity; /* home: the program's own pthread */
	struct fg_worker worker;
	/* [k]: member k of its outermost teams; [0] unused. Two sets: for teams dealt round the workers, where the
	 * first members are the workers' homes, and for those dealt by places, which move from worker to worker as the
	 * size changes: all donors. */
	struct fg_identity **members[2];
	unsigned n_members[2]; /* room */
	/* Layout of the last docked team. */
	unsigned size, slots; /* members and workers */
	bool by_place;	      /* slot_of says where the members are: places, or (planned) the policy */
	bool planned;
	uint16_t *slot_of;	    /* by_place: the worker of each member */
	unsigned *pus;		    /* the PU of each worker, logical numbers */
	struct fg_runqueue **range; /* of each worker: fg_worker.range */
	struct fg_placement plan;
	const void *areas;   /* the name of what is attached to the next team (forest/bubble.h); NULL: nothing */
	uint64_t areas_told; /* what was told of it, as a number. size is set to 0 with it */
	const float *loads;  /* of its teams' members, as hinted or learnt; NULL: not known. size is set to 0 with it */
	unsigned n_loads;    /* teams of so many members */
	uint64_t layout;     /* its version, unique over all roots */
	/* As a new pthread would, a member begins in the floating-point environment that the thread has at the first
	 * fork; then it keeps its own from region to region. The number of that, unique over all threads; and what it
	 * was when the last layout was made. */
	uint32_t environment;
	struct fg_float floats;
	/* With FGOMP_THREADS=kernel: [k]: the kernel thread of member k of its outermost teams (kernel_team.c), and
	 * room. */
	struct kernel_thread **kernel_members;
	unsigned n_kernel_members;
	struct fg_load_history_root *learnt;   /* of its outermost regions (team/load_history.c), or NULL */
	const struct fg_births *kernel_births; /* of the team that has them; NULL: none */
	void *fault_stack;		       /* alternate signal stack given to its kernel thread, or NULL */
	bool may_carry;			       /* and that it may need it is known */
	struct fg_root *next;
};

/* The caller is about to get a donor: if it is a root, its kernel thread will carry others. */
void fg_root_prepare(struct fg_identity *self);
/* Called when a root's pthread ends, or its runtime state is dropped. */
void fg_root_end(void *root);
/* In the child of a fork. */
void fg_root_after_fork(void);
