/* Bring: a whole team comes to the domain of a thief (floor: sched; called by rob.c). Its members that have not begun
 * come, its ready threads, and those that run or wait. No lock is held. */
#pragma once
#include "forest/runqueue.h"

/* The other domain would still have as many teams as this one. */
bool fg_bring_more(struct fg_runqueue *there, struct fg_runqueue *here);
/* The team may have ended since the thief saw it. `pu`: the thief's, in the domain `here`. true: the team is at home
 * here now. */
bool fg_bring(struct fg_bubble *team, struct fg_runqueue *there, struct fg_runqueue *here, unsigned pu);
