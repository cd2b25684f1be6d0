/* Worker state: the data of a worker, in parts (floor: exec; used by most files of exec). Each part belongs to one
 * sub-floor, and its code lies there. Data lie low, so that all may name them; code lies high. The comment at struct
 * fg_worker tells which thread writes a field. */
#pragma once
#include "base/carrier.h"
#include "exec/thread/done.h"
#include "exec/thread/identity.h"
#include "exec/thread/inbox_state.h"
#include "forest/biased_lock.h"

struct fg_berth;
struct fg_births;
struct fg_dock;
struct fg_fork;
struct fg_root;
struct fg_runqueue;
struct fg_trace_lane;

/* The members of a flat team that run on one worker: the crew (loop/crew.h). */
struct fg_crew {
	unsigned count, arrived;
	struct fg_atomic_u32 waiting; /* others read it as a hint */
	unsigned lent;		      /* of this phase, not yet counted as arrived */
	struct fg_identity *next;
	/* Members that have arrived in this phase and are suspended: a task may call them. */
	struct fg_identity *idlers;
	uint64_t phase;	 /* last one that the whole crew completed; until all arrive, phase + 1 is current */
	uint64_t region; /* first phase of the last region it took part in */
	unsigned slots;	 /* workers of the team in the layout below */
	unsigned out;	 /* members called meanwhile and not back, which still count as arrived */
	/* The crew was made for a layout of this root, and of this version. The line of its dock says what the members
	 * run: it stays as it is until all have arrived at the end. */
	struct fg_root *root;
	uint64_t layout;
	/* Between regions the worker's home waits, because the members may be on another worker in the next. */
	bool home_waits;
	bool home_called;    /* the home was resumed at the end of a region, to wait for the next one */
	bool oversubscribed; /* a team with more members than workers */
	bool lends;	     /* oversubscribed, and none of its members is bound */
	bool led;      /* all have arrived, and the leader, which waits for the other crews, lets idlers be called */
	bool crossing; /* all have arrived at the barrier of this phase, and the leader waits for the other crews */
	bool grouped;  /* the workers of the team form groups, and this one goes by its `steps` (summary.h) */
	struct fg_atomic_ptr *team; /* the workers of the team, by slot of the dock */
	struct fg_identity *first;
	struct fg_fork *fork; /* what the members run: the line of the root's dock, or the group's copy */
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

/* A worker: a kernel thread that carries threads (worker.h). Here is what many files see; a room's own data are parts
 * (parts_state.h). There are four aligned groups: the lines that the others read, the line that the others write, a
 * line that seldom changes, and the rest. Where nothing else is said its owner alone writes and reads. The owner is the
 * thread that the worker carries, or a holder of that thread (relief/hold.h). A field names its sub-floor and its
 * files. Fields without them belong to `thread`, and all sub-floors read them. */
struct fg_worker {
	/* flat (dock.c): the last even and the last odd phase of its team that this worker's crew has completed.
	 * Written by the owner, read by the workers of the team. */
	struct fg_done done[2];

	/* The line that others write. */
	/* loop (idle.c, wake.c): 1: it sleeps, or is about to. A waker that gives it work clears it. */
	_Alignas(128) struct fg_atomic_u32 asleep;
	/* grant (ride.c): of a head or a lone worker: 1: there is an order, or a worker boards. */
	struct fg_atomic_u32 news;
	struct fg_inbox pinned; /* loop (inbox.h) */
	/* flat (help.c): the region whose tasks its docked thread would run, because it waits; 0: none. The owner
	 * writes it, wakers read it. */
	struct fg_atomic_u64 helps;
	/* body (seat.c), move (exchange.c), grant (grant.c), watch (monitor.c): bits of enum fg_notice. The owner looks
	 * where it switches, passes a barrier or ends a nested region. */
	struct fg_atomic_u32 notice;
	/* grant (ride.c): the head of its ride; NULL: it is alone. The owner writes it, and reads it with `news`. */
	struct fg_atomic_ptr head;

	/* What seldom changes. Others read it, for each new layout, too. The owner writes it but the last field. */
	_Alignas(128) struct fg_identity *home;
	struct fg_identity *waiter; /* waits between regions for the crew: its home, or an anchor (flat/anchor.h) */
	struct fg_worker *all_next; /* in the list of all workers (worker.c) */
	struct fg_atomic_ptr spare; /* relief: base of the spare that carries it; NULL: its first kernel thread does */
	int tid;		    /* of the kernel thread that carries it */
	unsigned place;		    /* body (binding.c): to which that is bound, + 1; 0: to none by the runtime */
	bool carries;		    /* FG_WORKER_CARRIES is its state */
	/* watch (preempt_timer.c): its ticks, or its CPU timer, are on. Written under the lock of preempt_signal.c. The
	 * owner and the spawner read it. */
	bool timer_on;
	struct fg_biased_side live; /* in the tree of live bubbles (forest/live.h) */
	struct fg_trace_lane *trace;
	/* pool (berths.c, workers.c): the dock and slot where the worker must wait for forks. The mover writes it. */
	struct fg_atomic_ptr post;

	/* Owner only. */
	_Alignas(128) struct fg_atomic_ptr current; /* the identity that runs; others read it */
	struct fg_atomic_ptr leaf;		    /* runqueue of its PU; others read it */
	/* donor (donor_pool.c): free donors. `room`: some go to the common pool when there are so many. */
	struct {
		struct fg_identity *first;
		unsigned count, room;
	} donors;
	struct fg_atomic_u32 progress; /* counts switches: the monitor sees whether the PU moves on */
	unsigned slot;		       /* in its dock; 0: the worker of a root */
	/* The part of the machine that a policy gave to its one docked member; NULL: only the PU. */
	struct fg_runqueue *range;
	struct fg_crew crew; /* loop (crew.c) and flat; the monitor reads some of it as a hint */
	/* loop: the docked thread waits for ready(worker) while the worker does something else. */
	struct {
		struct fg_identity *docked;
		bool (*ready)(struct fg_worker *worker);
	} wait;
	/* flat (dock.c): slots whose phase is still waited for (from, up to), and the last fork that it took part in.
	 * The post that it has taken up, and its dock. */
	struct {
		unsigned cross_next, cross_end;
		const struct fg_atomic_u64 *cut; /* cut.c: the team's word, while its crew crosses by fg_cut_barrier */
		uint64_t epoch;
		struct fg_berth *post;
		struct fg_dock *dock;
	} flat;
	struct fg_atomic_ptr seat;	 /* the runqueue that will be its leaf; any thread that deals seats writes it */
	struct fg_atomic_ptr seat_range; /* will be its range, as `seat` its leaf; written with `seat` for a layout */
};

static inline struct fg_runqueue *
fg_worker_leaf(struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->leaf);
}
