/* Worker state: the data of a worker, in parts (floor: exec; used by most files of exec). Each part belongs to one
 * sub-floor, and its code lies there. Data lie low, so that all may name them; code lies high. */
#pragma once
#include "base/carrier.h"
#include "base/spinlock.h"
#include "exec/thread/identity.h"
#include "forest/biased_lock.h"

struct fg_berth;
struct fg_births;
struct fg_dock;
struct fg_root;
struct fg_runqueue;
struct fg_steps;
struct fg_trace_lane;

/* Two of them are the lines with the last even and the last odd phase that have been completed. */
struct fg_done {
	_Alignas(128) struct fg_atomic_u64 phase;
};

/* The members of a flat team that run on one worker: the crew (loop/crew.h). */
struct fg_crew {
	unsigned count, arrived;
	struct fg_atomic_u32 waiting; /* others read it as a hint */
	unsigned lent;		      /* of this phase, not yet counted as arrived */
	struct fg_identity *next;
	/* Members that have arrived in this phase and are suspended: a task may call them. */
	struct fg_identity *idlers;
	uint64_t phase;	      /* last one that the whole crew completed; until all arrive, phase + 1 is current */
	uint64_t region;      /* first phase of the last region it took part in */
	uint32_t environment; /* the root's: see root_state.h */
	/* The crew was made for a layout of this root, and of this version. The line of its dock says what the members
	 * run: it stays as it is until all have arrived at the end. */
	struct fg_root *root;
	uint64_t layout;
	unsigned slots;		    /* workers of the team in that layout */
	struct fg_atomic_ptr *team; /* these workers, by slot of the dock */
	struct fg_identity *first;
	/* Between regions the worker's home waits, because the members may be on another worker in the next. */
	bool home_waits;
	bool home_called;    /* the home was resumed at the end of a region, to wait for the next one */
	bool oversubscribed; /* a team with more members than workers */
	bool led;      /* all have arrived, and the leader, which waits for the other crews, lets idlers be called */
	bool crossing; /* all have arrived at the barrier of this phase, and the leader waits for the other crews */
	bool grouped;  /* the workers of the team form groups, and this one goes by its `steps` (summary.h) */
	unsigned out;  /* members called meanwhile and not back, which still count as arrived */
	bool lends;    /* oversubscribed, and none of its members is bound */
	struct fg_worker *asked; /* the worker that this one has asked for a member, perhaps in vain */
	unsigned asks;
};

/* What others tell the owner of a worker. */
enum fg_notice {
	FG_NOTICE_MOVE = 1, /* its seat has changed in the midst of a region, or it is told to ride: it looks at both */
	FG_NOTICE_SLICE = 2 /* the slice of the thread that it runs is over, and something else waits (monitor.c) */
};

/* The state of a worker. Only fg_worker_become changes it (worker.h). */
enum fg_worker_state {
	FG_WORKER_OUTSIDE, /* each wait is one in the kernel: a root outside its regions, of a kernel team, new */
	FG_WORKER_CARRIES  /* it carries threads one after the other: a root in a region, a worker of the pool */
};

/* A worker: a kernel thread that carries threads (worker.h). It has three aligned groups: the lines that the others
 * read, the line that the others write, and the rest. Where nothing else is said its owner alone writes and reads. The
 * owner is the thread that the worker carries, or a holder of that thread (relief/hold.h). A part names its sub-floor
 * and its files. Fields without a part belong to `thread`, and all sub-floors read them. */
struct fg_worker {
	/* flat (dock.c): the last even and the last odd phase of its team that this worker's crew has completed.
	 * Written by the owner, read by the workers of the team. */
	struct fg_done done[2];

	/* The line that others write. */
	/* loop (idle.c, wake.c): 1: it sleeps, or is about to. A waker that gives it work clears it. */
	_Alignas(128) struct fg_atomic_u32 asleep;
	/* loop (inbox.h): ready threads that are pinned to this worker, oldest first. All threads may write it under
	 * the lock. The count is also read without the lock. */
	struct {
		struct fg_atomic_u32 count;
		struct fg_spinlock lock;
		struct fg_identity *first, **tail;
	} pinned;
	/* flat (help.c): the region whose tasks its docked thread would run, because it waits; 0: none. The owner
	 * writes it, wakers read it. */
	struct fg_atomic_u64 helps;
	/* pool (berths.c): the dock and the slot where the worker must wait for forks. The mover writes it. */
	struct fg_atomic_ptr post;
	/* body (seat.c), move (exchange.c), grant (grant.c), watch (monitor.c): bits of enum fg_notice. The owner looks
	 * where it switches, passes a barrier or ends a nested region. */
	struct fg_atomic_u32 notice;

	/* grant (ride.c): of a head or a lone worker: 1: there is an order, or a worker boards. */
	struct fg_atomic_u32 news;
	/* grant (ride.c): the head of its ride; NULL: it is alone. The owner writes it. */
	struct fg_atomic_ptr head;

	/* Owner only. */
	_Alignas(128) struct fg_atomic_ptr current; /* the identity that runs; others read it */
	struct fg_atomic_ptr leaf;		    /* runqueue of its PU; others read it */
	/* donor (donor_pool.c): free donors. `room`: some go to the common pool when there are so many. */
	struct {
		struct fg_identity *first;
		unsigned count, room;
		uint32_t ran_out; /* `progress` when it last had none */
	} donors;
	struct fg_atomic_u32 progress; /* counts switches: the monitor sees whether the PU moves on */
	unsigned slot;		       /* in its dock; 0: the worker of a root */
	struct fg_crew crew;	       /* loop (crew.c) and flat; the monitor reads some of it as a hint */
	/* loop: the docked thread waits for ready(worker) while the worker does something else. */
	struct {
		struct fg_identity *docked;
		bool (*ready)(struct fg_worker *worker);
	} wait;
	/* flat (dock.c): slots whose phase is still waited for (from, up to), and the last fork that it took part in.
	 * The post that it has taken up, and its dock. */
	struct {
		unsigned cross_next, cross_end;
		uint64_t cross_phase;
		uint64_t epoch;
		struct fg_berth *post;
		struct fg_dock *dock;
	} flat;
	/* flat (help.c), and the loop where it wakes. */
	struct {
		bool woken;	/* it was woken, perhaps for a task, and has run none since */
		unsigned turns; /* until its docked thread looks for tasks again */
	} help;
	struct fg_atomic_ptr seat;	 /* the runqueue that will be its leaf; any thread that deals seats writes it */
	struct fg_atomic_ptr seat_range; /* will be its range, as `seat` its leaf; written with `seat` for a layout */
	/* The part of the machine that a policy gave to its one docked member; NULL: only the PU. */
	struct fg_runqueue *range;
	/* loop (loop.c): at a yield. Each of the flags changes from turn to turn. */
	struct {
		unsigned yields; /* calls of sched_yield */
		bool unborn;	 /* unborn members go first */
		bool down;	 /* after a slice: those on the machine's runqueue before those on the PU's */
		bool docked;	 /* after a slice: the docked thread goes last */
		bool above;	 /* the runqueues from the machine's down go first */
		unsigned slices; /* that were over */
		unsigned leaves; /* threads that have left the worker, or have given way */
		unsigned queue;	 /* so many times more, threads of the runqueue go before those pinned here */
	} turn;
	/* loop (work.c): a search from this leaf up found nothing for this worker, when so many puts had been made
	 * there. */
	struct {
		struct fg_runqueue *leaf;
		uint32_t puts;
	} vain;

	struct fg_identity *home;
	struct fg_root *home_root;  /* the root that has its home as a member */
	struct fg_identity *waiter; /* waits between regions for the crew: its home, or an anchor (flat/anchor.h) */
	void *home_top;		    /* the stack pointer of fg_dock_worker, on its home's stack */
	bool carries;		    /* FG_WORKER_CARRIES is its state */
	int tid;		    /* of the kernel thread that carries it */
	unsigned place; /* body (binding.c): the place to which that is bound, + 1; 0: the runtime has not bound it */
	uint64_t mask;	/* the signals that the thread of the program blocks, or those at the worker's start (mask.h) */
	struct fg_atomic_ptr spare; /* relief: base of the spare that carries it; NULL: its first kernel thread does */
	struct fg_biased_side live; /* in the tree of live bubbles (forest/live.h) */
	struct fg_trace_lane *trace;

	struct fg_worker *all_next; /* thread (worker.c) */
	/* watch (preempt_timer.c): its ticks, or its CPU timer, are on. Written under the lock of preempt_signal.c. The
	 * owner and the spawner read it. */
	bool timer_on;
	/* loop (chores.c): it has woken another one since its last wait. A hint: a thread that is just handed on may
	 * write it, too. */
	struct fg_atomic_u32 has_woken;

	/* flat (summary.c): the lines that it reads and stores while crew.grouped; else memory for them, or NULL. */
	struct fg_steps *steps;
};

static inline struct fg_runqueue *
fg_worker_leaf(struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->leaf);
}
