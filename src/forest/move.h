/* Moving entities between holders (floor: forest; called by sched and exec). Fine moves lock one runqueue. Coarse moves
 * lock a level and all below it.
 *
 * An entity that a caller has seen under a lock may be gone once that is free. So a fine move is: lock, choose, take
 * (now the entity is in transit, and in no other hands), unlock, put. A coarse move is: lock all, take and put in any
 * order, unlock all.
 *
 * Callers are inside, or have no identity. The functions `_locked` want the lock of the level and of all below, as
 * runqueue.h orders them; the others want none of a runqueue. Nothing waits for another thread. An entity is in
 * transit, or lies in exactly one holder. */
#pragma once
#include "forest/runqueue.h"

/* Coarse: locks the runqueue of the level, then those below it, depth first. No other thread puts or takes anything
 * there until each of them is unlocked. */
void fg_runqueue_lock_all(struct fg_runqueue *level);

/* Takes the entity out of its holder; the runqueue where that lies is locked. A bubble that is empty now lies
 * nowhere. */
void fg_entity_take_locked(struct fg_entity *entity);
/* Puts an entity in transit into a bubble above it in kin. That bubble is in transit in the caller's hands, or lies on
 * a locked runqueue. false: out of memory, and the entity is still in transit. */
bool fg_bubble_put_locked(struct fg_bubble *bubble, struct fg_entity *entity);

/* The level and all below are locked. Afterwards all of the bubble's kin that lay there lie in the bubble. Each lies in
 * the innermost bubble above it that lies there too. The bubble itself may be in transit, or lie there. false: out of
 * memory, and the kin all lie on the level itself. */
bool fg_bubble_gather_locked(struct fg_bubble *bubble, struct fg_runqueue *level);
