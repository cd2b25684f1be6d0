/* Homes: where teams belong (floor: sched; called by default, affinity, cache and rob.c; team/region ends homes, and
 * exec/loop/ready.c asks for them). Only bubbles of nested regions have one.
 *
 * The machine falls into domains of several PUs: L3 caches or NUMA nodes, whichever is further in. Where there are
 * several, a new team gets a home. That is as many whole domains as come nearest to its share, about the thread that
 * met it:
 *
 *     share = min(threads, PUs of the policy's part of the machine / product of the sizes of the teams around)
 *     threads = members x the most threads that a region of one of them had the last time
 *
 * Members are dealt over the home, and a member that is dealt to a PU is that PU's for a while (rob.c). A team whose
 * share is less than 1.5 PUs is lone: it stays whole on the PU where it was met, and any PU may take its members. So
 * may any PU take those of a team that has a part of the machine by its load (`least`).
 *
 * A team that was moved begins its next region of the same code in the new domain, and its first thread goes there
 * (fg_home_follow).
 *
 * A home is one word of the bubble. The thread that meets the region writes it once, before the bubble is put. This
 * thread clears the word after the bubble has left the live tree. Between the two only a thief of another domain
 * writes it. The thief holds the tree's lock, has found the bubble in the tree, and has read a home there. So the
 * first write came before its own, and the last one comes after the lock is freed: no write is lost, and fg_homes
 * counts each home once. All others read the word as a hint. */
#pragma once
#include "forest/runqueue.h"
#include "machine/machine.h"

/* Set once, when the machine's levels are known. Regions that are not in the live tree by then get no homes. */
extern struct fg_homes {
	struct fg_atomic_ptr top;     /* the machine; NULL: no team has a home. It is written last, with release */
	struct fg_atomic_u32 staffed; /* 1: most PUs have workers, or will */
	unsigned n_domains;
	struct fg_homes_domain {
		struct fg_runqueue *level;
		unsigned first_pu; /* the first one whose domain it is: there may be another domain inside it */
	} *domain;		   /* from left to right; of different sizes, perhaps */
	_Alignas(64) struct fg_atomic_u64 move_due; /* no team is moved before this time */
	struct fg_atomic_u32 wide, lone;	    /* teams whose home is no domain; lone teams */
} fg_homes __attribute__((visibility("hidden")));

/* The levels are known now. Called once, with their lock. Other roots may run regions at the same time, which have no
 * homes to their end. */
void fg_homes_begin(struct fg_runqueue *top);
static inline struct fg_runqueue *
fg_homes_top(void)
{
	return fg_load_acquire(&fg_homes.top);
}
/* So many workers are there, or will be. While they are few for the machine, a PU of a home may have none. So no
 * team gets a home then, and thieves are those of `steal`. */
void fg_homes_staff(unsigned workers);
void fg_homes_after_fork(void);

/* The domain of a level. The parent has its own already. A PU with an L3 of its own is no domain, as virtual machines
 * have them: its teams would be apart from the start. */
static inline struct fg_runqueue *
fg_home_domain_of(struct fg_runqueue *level, const struct fg_runqueue *parent)
{
	bool is_domain = level->n_pus > 1 && level->kinds & (1u << FG_L3 | 1u << FG_NUMA_NODE);
	return is_domain ? level : parent ? parent->domain : NULL;
}

struct fg_home {
	unsigned first, n; /* PUs; n == 0: there is none */
	bool lone;
	bool moved; /* it was given another home since it was born: threads that become ready elsewhere go there */
};
static inline struct fg_home
fg_home_of(const struct fg_bubble *team)
{
	uint64_t word = fg_load_relaxed(&team->home);
	return (struct fg_home){word >> 16 & 0xffff, word & 0xffff, word >> 32 & 1, word >> 33 & 1};
}

/* The home has the PU. A team without one is at home everywhere. */
static inline bool
fg_home_has(struct fg_home home, unsigned pu)
{
	return !home.n || pu - home.first < home.n;
}

/* A PU takes at once the members of teams that are at home on this level. `top`: the policy's part of the machine. */
static inline struct fg_runqueue *
fg_home_domain(struct fg_runqueue *level, struct fg_runqueue *top)
{
	return level->domain && level->domain->n_pus < top->n_pus ? level->domain : top;
}
/* The outermost level of the policy above the leaf. */
struct fg_runqueue *fg_home_top(const void *self, struct fg_runqueue *leaf);

/* Gives the new team a home, and says over which PUs its members are dealt. The caller has it in transit. */
struct fg_home_plan {
	struct fg_runqueue *level; /* the leaf: the team is lone, so it stays whole there */
	struct fg_runqueue *leaf;  /* of the thread that met the region; where it is to go, if the team is moved */
	unsigned char *open;	   /* [pu]: 1: it belongs to them (sched/deal.h). NULL: all below the level do */
};
/* `least`: the share is no less than so many PUs, but not more than its threads. false: the policy's part of the
 * machine is one domain, so the team gets no home. */
bool fg_home_begin(const void *self, struct fg_bubble *team, struct fg_runqueue *leaf, unsigned least,
		   struct fg_home_plan *plan);
/* Where the thread that has met the region goes, because its team was moved at its birth; `leaf`, its own: nowhere. */
struct fg_runqueue *fg_home_follow(const struct fg_bubble *team, struct fg_runqueue *leaf);
/* Gives it another home: see above. The caller holds the lock of the live tree, and the team has a home. */
void fg_home_change(struct fg_bubble *team, struct fg_home home);
/* The region is over, and its bubble is in the live tree no longer. */
void fg_home_end(struct fg_bubble *team);
/* The caller has ended a grain of so many nanoseconds on the PU, as this member of the team (theft.h). `waits`: it
 * meets a barrier now. Returns where it should go, because it is dear to be away; NULL: it may stay. */
struct fg_runqueue *fg_home_grain(struct fg_bubble *team, unsigned member, bool waits, unsigned pu, uint64_t ns);
/* In the child of a fork: the bubble has no home. */
void fg_home_forget(struct fg_bubble *team);

/* The team for which the entity works. The entity lies on a locked runqueue, or is in hand. NULL: none. */
struct fg_bubble *fg_home_team(struct fg_entity *entity);
/* Where a thread goes that is ready and would go to `queue`. It works for its team, or waits for it. */
struct fg_runqueue *fg_home_of_thread(const struct fg_entity *thread, struct fg_runqueue *queue);
