/* Dealing entities to the levels below a level: the common part of spread, affinity and cache (floor: sched; called by
 * these three). It uses the public header, and besides it only the runtime's memory and its record of reasons. It runs
 * on the thread that called the policy, inside the runtime. That holds a bucket of the parking lot at most, below
 * `handed` in the search of a thread that parks. For `place` it works on a private copy of the tree
 * (exec/flat/placement.c). It neither waits nor holds a lock between two calls. */
#pragma once
#include "forestgomp/sched.h"

/* Entities in transit, at a level. Each is put exactly once, here or by `below`. An array has fgomp_entity_all of room
 * for each entity, because a burst first adds and then removes. The encountering thread may run on a PU there
 * already. */
struct fg_deal {
	const void *self; /* the policy's instance: it leaves other policies' levels to them */
	struct fg_runqueue *level;
	struct fg_entity **entity;
	unsigned n;
	struct fg_runqueue *taken; /* the encountering thread's PU; NULL: it is elsewhere, or an entity itself */
	double taken_load;	   /* that thread's load; 0: not known, so the mean of the others stands for it */
	bool by_load;		   /* weigh the entities by load, else by threads */
	bool rough;		   /* loads were learnt: equal numbers do, where no part has an eighth too much */
	bool back;		   /* send them where they ran last, if there is room */
	const unsigned char *open; /* [pu]: 1: dealt to; the others get nothing. NULL: all are open */
	bool one_each;		   /* there are no more threads than PUs, and each gets one for itself */
	const char **why;	   /* for a trace: the reason of each entity's place; NULL: there is no trace */
};

/* The PUs of a level that entities are dealt to. */
unsigned fg_deal_pus(const struct fg_deal *deal, const struct fg_runqueue *level);

/* The weight of an entity, by its load or its threads. */
double fg_deal_weight(const struct fg_deal *deal, const struct fg_entity *entity);
/* The leaf is one of the child's. NULL is nowhere. */
bool fg_deal_lies_below(struct fg_runqueue *child, const struct fg_runqueue *leaf);

/* A part may take this much beyond its share for a thread that ran there last. Loads are seldom known better, and to
 * move costs more. */
#define FG_DEAL_SLACK 0.02

/* Finds the child of each entity, by its index. The heaviest entity comes first. It goes to a child that has nothing
 * yet, else to the one that is least filled with it. Where all weigh the same, they are dealt in their order, so that
 * neighbours stay neighbours. `child` has room for n. The function may change the order of deal->entity. */
void fg_deal(struct fg_deal *deal, unsigned *child);

/* Puts all of them on the level, so that the PUs there will find the first of them first. */
void fg_deal_put(struct fg_deal *deal);
/* Bursts entity i. Its content goes to the end of the array, which has room for it. false: out of memory. */
bool fg_deal_burst(struct fg_deal *deal, unsigned i);
/* Deals the entities, then calls `below` for each child that got some, with an array of its own. Without memory they
 * are put on the level. */
void fg_deal_down(struct fg_deal *deal, void (*below)(struct fg_deal *deal));
/* A single thread has the level for itself. Where each thread gets a PU, a thread with more than half of the weight has
 * it too, if it gains by that. */
void fg_deal_range(struct fg_deal *deal);

/* A `below`: deals in proportion to the PUs of each child, down to the PUs. Neighbours in number stay neighbours. */
void fg_deal_to_pus(struct fg_deal *deal);

/* Bursts the bubble, and calls `below` for the entities in it, at deal->level. Without memory the bubble is put there
 * whole. */
void fg_deal_bubble(struct fg_deal *deal, struct fg_bubble *bubble, void (*below)(struct fg_deal *deal));

/* Calls `below` for what another policy has handed over, at its level. The array has room for these entities and for
 * all that are in them. */
void fg_deal_handed(struct fg_deal *deal, const struct fgomp_handed *handed, void (*below)(struct fg_deal *deal));
