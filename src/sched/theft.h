/* Theft: what it costs that a member of a nested team computes away from the team's home (floor: sched; rob.c asks, and
 * home.c tells the times). It is learnt for the code of each region, while the program runs.
 *
 * A grain is what a member computes between two waits for its team. While members of a team are away, and the cost is
 * not known well, the team's grains are timed. Each window gives a ratio: a region, or four grains of each member where
 * members meet barriers. Members may have long and short grains in turns, and thieves find them in the long ones. So
 * each grain counts by its length: the mean is that of the grain that goes on at a moment.
 *
 *     mean  = sum of the squares of the grains / their sum
 *     ratio = (mean grain away + what the theft itself takes) / mean grain at home
 *     cost  = mean of the windows' ratios, each weighted by its grains away
 *
 * Nothing is learnt of a region that lies in one of the same code: the members of a recursion have grains of all sizes.
 * The cost is kept for a while, because the program's data may change.
 *
 * Members of lone teams go far anyhow, so their cost is learnt by the way. A member of any other team is taken to learn
 * it, but only once idle PUs have wished for one so often that the program must be long. A member that has not begun is
 * taken after fewer wishes, while no other try is out: at home it would wait for a whole grain, so the loss is small.
 * Where members meet no barriers, each try that does no harm allows two more.
 *
 * All words are hints: atomic, without an order, and nothing but speed depends on them. `site` is written before the
 * team is put anywhere. Callers are inside, with any lock. Nothing here allocates or waits. The preemption handler may
 * ask for a cost, and calls nothing else here. */
#pragma once
#include "forest/bubble.h"

/* Costs are in 1024ths of a grain. Where they are small, any PU may take members; where they are large, none may. */
enum { FG_THEFT_ONE = 1024, FG_THEFT_CHEAP = FG_THEFT_ONE + FG_THEFT_ONE / 4, FG_THEFT_DEAR = 2 * FG_THEFT_ONE };

struct fg_theft_site {
	_Alignas(64) struct fg_atomic_ptr region; /* the address of its code, which may become another; NULL: free */
	struct fg_atomic_u32 cost;		  /* 0: not known */
	struct fg_atomic_u32 grain;		  /* how long one takes at home, in nanoseconds */
	struct fg_atomic_u32 wishes, tries;	  /* members that thieves would have tried; that were taken unknown */
	struct fg_atomic_u32 grains;		  /* away, in the windows so far */
	struct fg_atomic_u64 ratios;		  /* their sum, each once for each grain away; in 1024ths */
	struct fg_atomic_u64 wished, until;	  /* the last wish; the end of what is known; in nanoseconds */
};

/* Until then some code's members are worth a look from afar, in nanoseconds. */
extern struct fg_atomic_u64 fg_theft_worthy_until __attribute__((visibility("hidden")));

/* 0: not known. */
static inline uint32_t
fg_theft_cost(const struct fg_bubble *team)
{
	const struct fg_theft_site *site = team->theft.site;
	return site && fg_load_relaxed(&site->region) == team->region ? fg_load_relaxed(&site->cost) : 0;
}

/* The cost is known. A member that has not begun would end sooner away than at home, behind another one there. `age`:
 * the team's, in nanoseconds. */
bool fg_theft_pays(const struct fg_bubble *team, uint64_t age);

/* How long a grain takes away from home, in nanoseconds; 0: not known, or no longer than at home. */
uint64_t fg_theft_away(const struct fg_bubble *team);

/* The cost is not known, and a member that was taken away to learn it has not ended. */
bool fg_theft_is_tried(const struct fg_bubble *team);

/* A thief takes a member away. */
void fg_theft_note(struct fg_bubble *team);
/* An idle PU wishes for a member to learn the cost. `is_born`: that has begun. true: the PU may take one. */
bool fg_theft_wish(struct fg_bubble *team, bool is_born, uint64_t now);

/* The team has got a home, and nobody else sees it yet; its members have ended. */
void fg_theft_begin(struct fg_bubble *team, uint64_t now);
void fg_theft_end(struct fg_bubble *team);

/* The grains of its members must be timed. */
static inline bool
fg_theft_is_timed(const struct fg_bubble *team)
{
	return __builtin_expect(fg_load_relaxed(&team->theft.timed) != 0, 0);
}
/* A member has ended a grain. `waits`: it meets a barrier now. Else it ends. true: it should be at home, because it is
 * dear to be away. */
bool fg_theft_grain(struct fg_bubble *team, bool waits, bool is_home, uint64_t ns);
