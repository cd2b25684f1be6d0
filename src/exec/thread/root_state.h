/* Root state: the data of a root (floor: exec; used by thread, body, pool, loop, relief, move, flat, kernel and top,
 * and by team and stuck). root.h says what a root is. Its own thread writes it, but for `dock` and `worker`, which have
 * rules of their own, and `identity`. */
#pragma once
#include "exec/thread/dock_state.h"
#include "exec/thread/identity.h"
#include "exec/thread/placement_state.h"
#include "platform/float.h"

struct fg_groups;
struct fg_load_history_root;
struct kernel_thread;

/* Which members the workers of a layout have (flat/seating.h). */
#define FG_SEATINGS 16
struct fg_seating {
	const uint16_t *slot_of;	/* of each member; it lies in the pin file's memory, and is the key */
	struct fg_identity **member_on; /* each worker, by slot */
};

struct fg_root {
	struct fg_identity identity; /* the home: the program's own pthread */
	struct fg_dock dock;	     /* its flat teams run there */
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
	const uint16_t *pin; /* PUs of its workers, by slot; NULL: as ever. A change sets size to 0 */
	uint64_t layout;     /* version of the layout, unique over all roots (flat/seating.h) */
	unsigned n_seatings,
		seating; /* of this layout: how many, and that of the last region (0 before there is one) */
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
	struct fg_groups *groups; /* of the layout (flat/groups.h); NULL: it never had a large team */
	unsigned copies;	  /* of the line of the fork, that the next fork stores (flat/forks.h) */
	_Alignas(128) struct fg_seating seatings[FG_SEATINGS]; /* workers read these, and no region changes one */
};

#ifndef NDEBUG
/* The caller has the root's dock, or is the root. For an assert (valid.c). */
bool fg_root_valid(const struct fg_root *root);
#endif
