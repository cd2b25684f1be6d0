/* In force: the policies that are at work, as data (floor: sched; written when the library is loaded, by registry.c and
 * team/boot/sched_option.c; read by sched, exec, sim and team, inside or outside). The functions that policies call
 * read these data, so they lie below those functions and below the policies. */
#pragma once
#include "forest/runqueue.h"
#include "forestgomp/sched.h"

/* When a policy was asked to redistribute, and what came of it (redistribute.c). `asked` guards the rest. */
struct fg_redistribution {
	struct fg_atomic_u32 asked;		   /* 1: a call is under way */
	struct fg_atomic_u64 due[FGOMP_OCCASIONS]; /* not before this time */
	uint64_t gap[FGOMP_OCCASIONS];		   /* the least time between two calls */
	double before;				   /* the strain before the last call; 0: there is nothing to judge */
	enum fgomp_occasion last;
	unsigned in_vain; /* calls in a row that moved something and did not help */
	uint64_t period_due;
};

struct fg_policy {
	const struct fgomp_sched *sched;
	void *self;
	struct fg_policy *outer;     /* the policy that looks after the levels above; NULL: none */
	struct fg_atomic_u32 failed; /* 1: it lost something, and `default` does its work; any thread may set it */
	struct {
		struct fg_atomic_u32 state; /* of the thread that calls its daemon (exec/watch/daemons.c) */
		int tid;
	} daemon;
	struct fgomp_counters counters; /* the counters that it asks for */
	struct fg_redistribution redistribution;
	struct fg_policy *next;	     /* list of those started */
	struct fg_atomic_u32 asleep; /* 1: a layer that has ended; its daemon is not called */
};

/* With its options the policy redistributes. */
static inline bool
fg_policy_redistributes(const struct fg_policy *policy)
{
	const struct fgomp_sched *sched = policy->sched;
	return sched->redistribute && (!sched->redistributes || sched->redistributes(policy->self));
}

/* The policy of the machine: FGOMP_SCHED; `default` until it is chosen. */
extern struct fg_policy fg_policy;
/* The functions that the policies in force have. Each flag stands for the member of that name in struct fgomp_sched.
 * fg_policies.wants is constant once the library is loaded. Where teams get homes, fg_policies.later gets two flags
 * when the machine's tree is known (home.c), while other threads read it. A reader may see that late. So a function
 * reads the flags once, and what it begins by one flag ends by a sign of its own. */
enum {
	FG_WANTS_IDLE = 1, /* some policy steals: an idle PU may find work that lies anywhere */
	FG_WANTS_MET = 2,
	FG_WANTS_WOKEN = 4,
	FG_WANTS_BLOCKED = 8,
	FG_WANTS_ENDED = 16,
	FG_WANTS_SLICE = 32,
	FG_WANTS_CHANGED = 64,
	FG_WANTS_AREAS = 128,
	FG_WANTS_COUNTERS = 256,
	FG_WANTS_TREE = 1024,
	FG_WANTS_EXPIRED = 2048,
	FG_WANTS_FINISHED = 4096,
	FG_WANTS_BEGUN = 131072,
	FG_WANTS_IDLES = 8192,
	FG_WANTS_DAEMON = 16384,
	FG_WANTS_REDISTRIBUTE = 32768,
	FG_WANTS_HOMES = 65536, /* teams have homes: some policy gives them, and the machine has several domains */
	FG_WANTS_NOTES = FG_WANTS_TREE | FG_WANTS_HOMES, /* nested regions are in the live tree */
	FG_WANTS_BORN = 512, /* some policy says where a bubble goes; else it goes where it is met */
};
extern struct fg_policies {
	/* The list of all policies (struct fg_policy). Layers come to its head while the program runs; none of them
	 * leaves. */
	struct fg_atomic_ptr first;
	unsigned wants;		     /* such flags; gcc reads a word at the start of a struct by more instructions */
	struct fg_atomic_u32 later;  /* 0, then FG_WANTS_HOMES | FG_WANTS_BORN */
	enum fgomp_measure measures; /* the most that one of them wants to have measured */
	/* The event that is counted for each thread (enum fgomp_event); FGOMP_NO_EVENT: none. */
	struct fg_atomic_u32 events;
	bool homes;   /* some policy gives teams homes (home.h); constant, as `wants` */
	bool layered; /* some policy has another one inside it, or may start one (layer.h); constant, as `wants` */
	struct fg_atomic_ptr aside; /* runqueues that policies have put aside (aside.c) */
	struct fg_atomic_u32 hands; /* so many threads have a hand (hand.c) */
} fg_policies __attribute__((visibility("hidden")));
/* Those of the flags that may come later are FG_WANTS_HOMES, _BORN and _NOTES. */
static inline unsigned
fg_policies_want_now(void)
{
	return fg_policies.wants | fg_own_load_relaxed(&fg_policies.later);
}
/* The table until a policy is chosen: `default` without a function. */
extern const struct fgomp_sched fg_sched_unchosen;
static inline struct fg_policy *
fg_policies_first(void)
{
	return fg_own_load_relaxed(&fg_policies.first); /* what it leads to is read through this address */
}

/* The policy that looks after a runqueue. */
static inline struct fg_policy *
fg_policy_of(const struct fg_runqueue *queue)
{
	struct fg_policy *policy = fg_own_load_relaxed(&queue->policy);
	return policy ? policy : &fg_policy;
}
