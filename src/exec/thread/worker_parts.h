/* Worker parts: data of a worker that few files see (floor: exec; used by the files that each part names). They lie
 * behind the worker in one block, so no pointer leads to them. Where nothing else is said the worker's owner alone
 * writes and reads. */
#pragma once
#include "base/carrier.h"
#include "base/statistics.h"
#include "exec/thread/thread_counters.h"
#include "exec/thread/worker_state.h"
#include "machine/cpuset.h"
#include "platform/nearby.h"
#include "platform/tick.h"

/* flat (lend.c): the workers of the team write it. */
struct fg_lending {
	struct fg_atomic_u32 returned; /* members lent that have arrived, and a list of them */
	/* transfer.c: 1: members of the crew must go to other crews; those that come from others. */
	struct fg_atomic_u32 parts;
	struct fg_atomic_ptr returned_first;
	struct fg_atomic_u64 wanted; /* a member of the crew, for this phase and this worker */
	struct fg_atomic_ptr incoming;
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

/* body (binding.c, seat.c), and places/bind.c of team. */
struct fg_bound {
	/* How often PUs had come back when the worker's kernel thread was bound to `place`. The second two, both for
	 * its first kernel thread, while a spare carries it. */
	uint32_t returns, root_returns;
	unsigned root_place;
	/* seat.c: the leaf for which the kernel thread was last seated, and the level to which it is bound. */
	struct fg_runqueue *seat;
	struct fg_atomic_ptr level;
	bool shared, left_alone;  /* its PU is shared with another program; a member has set its mask */
	uint32_t changes;	  /* of the process's mask, that it has seen */
	struct fg_cpuset program; /* the mask that it has for the program */
	uint32_t calls;		  /* the last call to leave a PU that it has seen (binding.c) */
	struct fg_atomic_u32 pu;  /* of a root's worker: the PU where it was a moment ago, + 1; 0: not known */
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
	struct fg_atomic_u32 hired;	/* 0: no slot yet; 1: it has its slot; 2: it sleeps until it has one */
	struct fg_atomic_u32 over;	/* it has ended: no kernel thread carries it any more */
	struct fg_nearby_kept kept_off; /* the PU of its maker */
};

/* loop (starve.c): at so many looks in a row it had no donor for unborn members, and at the last `still` all waited. */
struct fg_starving {
	uint64_t births, switches;
	unsigned looks, still;
};

/* The worker's share of its PU: does it have the PU for itself? (grant/cpu_share.h) */
struct fg_cpu_share {
	uint64_t until;		/* the PU counts as shared up to this time */
	uint64_t period;	/* the length of that time: it grows where sharing is found again and again */
	uint64_t now;		/* the time of the last look; 0: there was none */
	struct fg_ran ran;	/* of the kernel thread, at that look */
	uint64_t slept, sleeps; /* since that look */
	uint64_t suspected;	/* when it last asked whether PUs were taken */
	uint64_t glanced;	/* when it last looked at the process's mask */
	uint64_t parted;	/* when it last went away from a PU where the worker that it had woken did not come */
	bool strayed; /* a new period has begun: the worker may share the PU with another of ours (binding.h) */
	int tid;      /* of that kernel thread */
};

/* loop (idling.c): the worker has had nothing to run since; when its policy must be told, UINT64_MAX: not any more. */
struct fg_idle_span {
	uint64_t since, tell_at;
};

/* watch (monitor.c): for the monitor alone; `ride` for the thread that looks (grant/grant.c). */
struct fg_watched {
	uint64_t phase_seen; /* of the crew */
	uint32_t progress_seen;
	unsigned unused; /* looks since a tick was last of use here */
	unsigned uses_seen;
	uint64_t stalls;   /* looks since its last progress, while a thread waits */
	unsigned waited;   /* looks at which something waited, since the last slice that was over */
	uint64_t cpu_seen; /* CPU time of its kernel thread at the last look that asked for it */
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
	bool timer_ticks; /* the timer is `tick` */
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
	/* Others write the first two. */
	struct fg_lending lend;
	struct fg_ride ride;
	_Alignas(128) struct fg_past past;
	struct fg_bound bound;
	struct fg_relief relief;
	struct fg_statistics statistics;
	struct fg_hire hire;
	struct fg_starving starved;
	struct fg_cpu_share sharing;
	struct fg_idle_span idling;
	struct fg_watched watch;
	struct fg_preempting preempt;
	struct fg_counting counting;
	struct fg_thread_counters_file counting_threads;
};

/* Each worker lies in such a block. The worker of a root is the last field of the root, and the parts follow the root:
 * see FG_ROOT_SIZE. */
struct fg_whole_worker {
	struct fg_worker worker;
	struct fg_worker_parts parts;
};

static inline struct fg_worker_parts *
fg_parts(const struct fg_worker *worker)
{
	return &((struct fg_whole_worker *)worker)->parts;
}

/* A root, with the parts of its worker behind it. */
#define FG_ROOT_SIZE (sizeof(struct fg_root) + sizeof(struct fg_worker_parts))
