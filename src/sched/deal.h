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
	bool by_load;		   /* weigh them by load, and send them where they ran last; else by threads */
};

/* The child of each entity, by its index. All weigh the same: in their order, each child filled to its share (in proportion to its PUs) before
 * the next one, so that neighbours stay neighbours. Else the heaviest first, each to the child that is least filled. By load: one
 * that has run below a child that is not full goes there again. `child` has room for n, and n may be changed in order. */
void fg_deal(struct fg_deal *deal, unsigned *child);

/* Puts all of them on the level, so that the PUs there will find the first of them first. */
void fg_deal_put(struct fg_deal *deal);
/* Bursts entity i, whose content takes its place at the end. The array has room for it. false: out of memory. */
bool fg_deal_burst(struct fg_deal *deal, unsigned i);
/* How many entities there can be at most, if all bubbles are burst. */
unsigned fg_deal_room(const struct fg_deal *deal);

/* Deals them, then has `below` go on at each child that got some, with an array of its own. They are put on the level if there is no memory. */
void fg_deal_down(struct fg_deal *deal, void (*below)(struct fg_deal *deal));
/* A single thread has the level for itself. */
void fg_deal_range(struct fg_deal *deal);

/* Bursts an outermost team, and has `below` go on with its members at `top`. Nothing is done where there is no memory. */
void fg_deal_team(struct fg_bubble *team, struct fg_runqueue *top, bool by_load, void (*below)(struct fg_deal *deal));
