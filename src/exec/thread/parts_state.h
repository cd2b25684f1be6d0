/* State of the parts: data of a worker that few files need (floor: exec; used by the files that each part names). A
 * file that is handed its part need not see the worker. Where nothing else is said the worker's owner alone writes and
 * reads. */
#pragma once
#include "base/carrier.h"
#include "base/sequence.h"
#include "base/statistics.h"
#include "exec/thread/thread_counters.h"
#include "machine/cpuset.h"
#include "platform/nearby.h"
#include "platform/tick.h"

struct fg_identity;
struct fg_root;
struct fg_runqueue;
struct fg_steps;
struct fg_worker;

/* flat (lend.c): the workers of the team write it. */
struct fg_lending {
	struct fg_atomic_u32 returned; /* members lent that have arrived, and a list of them */
	/* transfer.c: 1: members of the crew must go to other crews; those that come from others. */
	struct fg_atomic_u32 parts;
	struct fg_atomic_ptr returned_first;
	struct fg_atomic_u64 wanted; /* a member of the crew, for this phase and this worker */
	struct fg_atomic_ptr incoming;
	/* The owner writes these. */
	bool lends;		 /* the team is oversubscribed, and none of the crew is bound */
	unsigned asks;		 /* of `asked` */
	struct fg_worker *asked; /* the worker that this one has asked for a member, perhaps in vain */
};

/* grant (ride.c): several workers on one kernel thread. */
struct fg_ride {
	/* The controller's order: the head where it must ride, or itself: it gets its own kernel thread back. */
	struct fg_atomic_ptr wanted;
	struct fg_atomic_ptr boarding; /* of a head: workers that wait for a place in its ride */
	struct fg_atomic_u32 bell;     /* of a head: the ride sleeps on it */
	struct fg_worker *next;	       /* round the ride; NULL: it is alone. Owner only, as the rest */
	struct fg_worker *link;	       /* in `boarding` */
	/* Of a head: how often riders were taken in, and how often a worker of the ride began to wait. */
	uint32_t taken_in, waits;
	unsigned turns; /* of a head */
	bool rode;	/* at its last yield the ride had a turn */
};

/* nested (rejoin.c): the region that the worker's donor has left, and may rejoin. The owner writes it. Other threads
 * compare the first two words. */
struct fg_past {
	struct fg_atomic_ptr births; /* NULL: none */
	struct fg_atomic_u64 region;
	struct fg_identity *identity;
	uint64_t served; /* of the donor, when it left the region: if it is the same now, it has run no member since */
	unsigned member; /* 0: the encountering thread */
	unsigned turns;	 /* until the next look */
};

/* flat (help.c), and the loop where it wakes. */
struct fg_helping {
	bool woken;	/* it was woken, perhaps for a task, and has run none since */
	unsigned turns; /* until its docked thread looks for tasks again */
};

/* loop (loop.c): at a yield. Each of the flags changes from turn to turn. */
struct fg_turn_notes {
	unsigned yields; /* calls of sched_yield */
	bool unborn;	 /* unborn members go first */
	bool down;	 /* after a slice: those on the machine's runqueue before those on the PU's */
	bool docked;	 /* after a slice: the docked thread goes last */
	bool above;	 /* the runqueues from the machine's down go first */
	unsigned slices; /* that were over */
	unsigned leaves; /* threads that have left the worker, or have given way */
	unsigned queue;	 /* so many times more, threads of the runqueue go before those pinned here */
};

/* loop (work.c): a search from this leaf up found nothing for this worker, when so many puts had been made there. */
struct fg_vain {
	struct fg_runqueue *leaf;
	uint32_t puts;
};

/* body (binding.c, seat.c), and places/bind.c of team. */
struct fg_bound {
	/* How often PUs had come back when the worker's kernel thread was bound to `place`. The second two, both for
	 * its first kernel thread, while a spare carries it. */
	uint32_t returns, root_returns;
	unsigned root_place;
	/* seat.c: the leaf for which the kernel thread was last seated, and the level to which it is bound. */
	struct fg_runqueue *seat;
	struct fg_atomic_ptr level;
	struct fg_atomic_u32 moving;	 /* it is about to sit elsewhere: `level` and `cpus` change */
	struct fg_atomic_u32 loosened;	 /* the monitor has taken the seat away */
	struct fg_atomic_u32 left_alone; /* a member has set its mask; the monitor reads it */
	uint8_t shared;			 /* its PU is shared with another program: an enum fg_seat_shared */
	uint32_t changes;		 /* of the process's mask, that it has seen */
	uint32_t calls;			 /* the last call to leave a PU that it has seen (binding.c) */
	struct fg_sequence moves;	 /* to one PU, by the kernel thread that it leads (binding.c) */
	struct fg_atomic_u32 pu;	 /* of a root's worker: the PU where it was just now, + 1; 0: not known */
	struct fg_cpuset program;	 /* the mask that it has for the program */
	struct fg_cpuset cpus;		 /* the mask of its seat, while `level` is set */
};

/* relief (spare.c). */
struct fg_relief {
	/* 1: the kernel thread that a spare has relieved wants the worker back. The claimant waits there; it is written
	 * before. */
	struct fg_atomic_u32 claimed;
	int claimant_tid;
	struct fg_identity *claimant;
};

/* pool (workers.c, kernel_thread.c): the thread that starts the worker writes it, and the worker itself. */
struct fg_hire {
	unsigned number;		/* among all workers of the pool */
	struct fg_root *home_root;	/* the root that has the worker's home as a member (berths.c) */
	void *home_top;			/* the stack pointer of fg_dock_worker, on the home's stack */
	struct fg_atomic_u32 hired;	/* 0: no slot yet; 1: it has its slot; 2: it sleeps until it has one */
	struct fg_atomic_u32 over;	/* it has ended: no kernel thread carries it any more */
	struct fg_nearby_kept kept_off; /* the PU of its maker */
	bool starts;			/* when it has its slot it starts a worker, which its maker took for it */
	struct fg_identity *start_in;	/* in the memory of this one, which has ended; NULL: in new memory */
};

/* loop (starve.c): at so many looks in a row it had no donor for unborn members, and at the last `still` all waited. */
struct fg_starving {
	uint64_t births, switches;
	unsigned looks, still;
};

/* The worker's share of its PU: does it have the PU for itself? (grant/cpu_share.h) */
struct fg_cpu_share {
	uint64_t until;		 /* the PU counts as shared up to this time */
	uint64_t period;	 /* the length of that time: it grows where sharing is found again and again */
	uint64_t now;		 /* the time of the last look; 0: there was none */
	struct fg_ran ran;	 /* of the kernel thread, at that look */
	uint64_t slept, sleeps;	 /* since that look */
	uint64_t waits, counted; /* the waits that have begun since that time */
	uint64_t suspected;	 /* when it last asked whether PUs were taken */
	uint64_t glanced;	 /* when it last looked at the process's mask */
	uint64_t solitude;	 /* when it last called the monitor to see whether the process is alone */
	uint64_t parted;	 /* when it last went away from a PU where the worker that it had woken did not come */
	uint64_t at_node;	 /* when it last looked whether it is on its NUMA node */
	bool strayed; /* a new period has begun: the worker may share the PU with another of ours (binding.h) */
	int tid;      /* of that kernel thread */
};

/* loop (idling.c): the worker has had nothing to run since; when its policy must be told, UINT64_MAX: not any more. */
struct fg_idle_span {
	uint64_t since, tell_at;
};

/* watch (monitor.c): for the monitor alone; `ride` for the thread that looks (grant/grant.c). */
struct fg_watched {
	uint64_t phase_seen;  /* of the crew */
	uint64_t region_seen; /* solitude.c: of a root that was outside */
	uint32_t progress_seen;
	unsigned unused; /* looks since a tick was last of use here */
	unsigned uses_seen;
	uint64_t stalls;   /* looks since its last progress, while a thread waits */
	uint64_t refused;  /* looks in a row at which its thread was blocked, and the system gave no spare */
	unsigned waited;   /* looks at which something waited, since the last slice that was over */
	uint64_t cpu_seen; /* CPU time of its kernel thread at the last look that asked for it */
	bool asked;	   /* its kernel thread has this state at this look */
	uint8_t state;	   /* enum fg_kernel_state */
	struct {
		bool keeps;		/* it keeps its kernel thread, and may take riders in */
		unsigned riders;	/* so many */
		struct fg_worker *with; /* it must ride with this one; NULL: it has its own kernel thread */
		unsigned looks, rest;	/* see grant.c */
		uint32_t taken_in;
	} ride;
};

/* watch (preempt_timer.c): written under the lock of preempt_signal.c. */
struct fg_preempting {
	int timer_tid, timer, timer_signal;
	bool timer_ticks;		       /* the timer is `tick` */
	int sample_tid, sample, sample_signal; /* the timer for samples of memory; 0: none */
	struct fg_tick tick;
};

/* A counter of the monitor (watch/pu_counters.c). It counts the kernel thread that carried the worker when it was
 * opened. */
struct fg_counting {
	bool open;
	int tid;
	int64_t handle;
	uint64_t last;
};

struct fg_worker_parts {
	/* Other threads write these. */
	struct fg_lending lend;
	struct fg_ride ride;
	/* The owner writes these. */
	_Alignas(128) struct fg_turn_notes turn;
	struct fg_helping help;
	struct fg_vain vain;
	struct fg_past past;
	/* loop (chores.c): it has woken another one since its last wait. A hint: a thread that is just handed on may
	 * write it, too. */
	struct fg_atomic_u32 has_woken;
	uint32_t donors_ran_out; /* donor (donor_pool.c): `progress` when it last had no donor */
	/* body (mask.c): the signals that the thread of the program blocks, or those at the worker's start. */
	uint64_t mask;
	/* flat (summary.c): the lines that it reads and stores while crew.grouped; else memory for them, or NULL. */
	struct fg_steps *steps;
	struct fg_bound bound;
	struct fg_relief relief;
	struct fg_statistics statistics;
	struct fg_hire hire;
	struct fg_starving starved;
	struct fg_cpu_share sharing;
	struct fg_idle_span idling;
	struct fg_thread_counters_file counting_threads;
	/* The monitor and the spawner write these. */
	_Alignas(128) struct fg_watched watch;
	struct fg_preempting preempt;
	struct fg_counting counting;
};
