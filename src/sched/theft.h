/* Theft: what it costs that a member computes away from its team's home (floor: sched; home.c, rob.c and deal.h's
 * callers ask; exec/nested/birth.c and team/sync measure). It is learnt for each region's code, while the program runs.
 *
 * A burst is what a member computes between two waits for its team. While the cost of a region's code is not known,
 * and a member of such a team is away, all bursts of the team are timed:
 *
 *     ratio = (time of bursts away / their number) / (time of bursts at home / their number)
 *
 * Members of a team meet the same phases, so both means are of the same mix. The mean of the ratios over all bursts
 * away is the verdict: CHEAP, or DEAR. It holds for a while, because the program's data may change. */
#pragma once
#include "forest/bubble.h"

enum { FG_THEFT_ONE = 1024, FG_THEFT_CHEAP = 1180, FG_THEFT_DEAR = 3072 };

struct fg_theft_site {
	_Alignas(64) struct fg_atomic_ptr region; /* the address of its code; NULL: free */
	struct fg_atomic_u32 cost;		  /* 0: unknown */
	struct fg_atomic_u32 burst;		  /* at home, in nanoseconds */
	struct fg_atomic_u32 tries;		  /* members that were taken to learn it */
	struct fg_atomic_u32 wishes; struct fg_atomic_u64 wished;
	struct fg_atomic_u32 bursts;		  /* timed away */
	struct fg_atomic_u64 sum;		  /* of their ratios, in 1024ths */
	struct fg_atomic_u64 until;		  /* the verdict holds until then, in nanoseconds */
};

/* Regions of code whose members may go anywhere: thieves look for their members in all domains. */
extern struct fg_atomic_u32 fg_theft_pays __attribute__((visibility("hidden")));

static inline uint32_t
fg_theft_cost(const struct fg_bubble *team)
{
	const struct fg_theft_site *site = team->theft.site;
	return site ? fg_load_relaxed(&site->cost) : 0;
}
bool fg_theft_may(const struct fg_bubble *team, unsigned waiting, uint64_t age);

/* The team begins; `now` in nanoseconds. Called before it is put anywhere. */
void fg_theft_begin(struct fg_bubble *team, uint64_t now);
/* All members have ended. */
void fg_theft_end(struct fg_bubble *team);

/* A thief takes a member of the team away. */
void fg_theft_note(struct fg_bubble *team);
/* A thief may take one to learn what it costs. Some are, and no more until these are timed. */
bool fg_theft_try(struct fg_bubble *team, uint64_t now);

/* The bursts of the team's members must be timed now. */
static inline bool
fg_theft_is_timed(const struct fg_bubble *team)
{
	return __builtin_expect(fg_load_relaxed(&team->theft.timed) != 0, 0);
}
/* A burst of a member is over on the PU. */
void fg_theft_burst(struct fg_bubble *team, unsigned pu, uint64_t ns);
