/* Moving entities between holders (floor: forest; called by sched). Fine: one runqueue is locked. Coarse: a level and all below it.
 *
 * An entity seen under a lock may be gone once that is free. So moving is: lock, choose, take (it is in transit, and nobody else's), unlock,
 * put. Or, coarse: lock all, take and put as one likes, unlock all. */
#pragma once
#include "forest/runqueue.h"

/* Coarse: the runqueue of the level, then those below it, depth first; nobody puts or takes anything there until it is unlocked. */
void fg_runqueue_lock_all(struct fg_runqueue *level);
void fg_runqueue_unlock_all(struct fg_runqueue *level);

/* Takes the entity out of its holder; the runqueue where that lies is locked. A bubble that is empty now lies nowhere. */
void fg_entity_take_locked(struct fg_entity *entity);
/* Puts an entity in transit into a bubble above it in kin, which is in transit in the caller's hands, or lies on a locked runqueue. false: out
 * of memory, it is in transit still. */
bool fg_bubble_put_locked(struct fg_bubble *bubble, struct fg_entity *entity);

/* All of the bubble's kin that lie on the level and below, which is locked, lie in the bubble afterwards: each in the innermost one above it
 * that does so too. The bubble itself may be in transit, or lie there. false: out of memory, they all lie on the
 * level itself. */
bool fg_bubble_gather_locked(struct fg_bubble *bubble, struct fg_runqueue *level);
