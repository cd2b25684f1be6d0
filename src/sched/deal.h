/* Dealing entities to the levels below a level: what spread, affinity and cache have in common (floor: sched). Written against the
 * public header, as a plug-in would be. */
#pragma once
#include "forestgomp/sched.h"

/* Entities in transit, at a level; the encountering thread may run on a PU there already. */
struct fg_deal {
	struct fg_runqueue *level;
	struct fg_entity **entity;
	unsigned n;
	struct fg_runqueue *taken; /* the PU of the encountering thread; NULL: it is among the entities, or elsewhere */
	double taken_load;	   /* that thread's load; 0: not known, as the mean of the others */
	bool by_load;		   /* weigh them by load; else by threads */
	bool back;		   /* send them where they ran last, if there is room */
	bool one_each;		   /* threads, no more than the PUs: each is to have one for itself */
};

/* The child of each entity, by its index. How many each child gets: the heaviest entity first, to a child that has nothing yet, then to the
 * one that is least filled with it. Where all weigh the same they are dealt out in their order, so that neighbours stay neighbours. `child` has room for n, and n may be changed in order. */
void fg_deal(struct fg_deal *deal, unsigned *child);

/* Puts all of them on the level, so that the PUs there will find the first of them first. */
void fg_deal_put(struct fg_deal *deal);
/* Bursts entity i, whose content takes its place at the end. The array has room for it. false: out of memory. */
bool fg_deal_burst(struct fg_deal *deal, unsigned i);
/* Deals them, then has `below` go on at each child that got some, with an array of its own. They are put on the level if there is no memory. */
void fg_deal_down(struct fg_deal *deal, void (*below)(struct fg_deal *deal));
/* A single thread has the level for itself; where each is to have a PU, so has one that is more than half of what is there
 * and gains by it. */
void fg_deal_range(struct fg_deal *deal);

/* Bursts the bubble, and has `below` go on with what was in it, at deal->level. Put there whole where there is no memory. */
void fg_deal_bubble(struct fg_deal *deal, struct fg_bubble *bubble, void (*below)(struct fg_deal *deal));
