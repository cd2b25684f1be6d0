/* Room: the PUs over which a new bubble is distributed, because they are free now (floor: sched; called by affinity and
 * cache, in `born`, without a lock). */
#pragma once
#include "base/atomic.h"
#include "forestgomp/sched.h"

/* [pu]: the thread to whose team the PU was given last, by the thread's PU and the depth of its bubble; 0: none. A PU
 * that a team has just left is free for the next team of this thread, even if its worker has not begun to idle. A
 * machine with more PUs remembers those of the first. */
#define FG_ROOM_PUS 1024
struct fg_room_owners {
	struct fg_atomic_u32 of[FG_ROOM_PUS];
};

struct fg_room {
	struct fg_runqueue *level; /* the innermost level above all of the PUs; NULL: none is free */
	unsigned char *open;	   /* [pu]: 1 if it is one of them; from fgomp_memory_get */
};

/* The PU of the encountering thread, and one free PU for each other member, the nearest ones first. There is no room if
 * fewer are free, or if teams of this size for all siblings of the thread would not fit: then thieves share out the
 * members. Those siblings that may meet regions too have equal shares. `self` is the policy. */
struct fg_room fg_room_find(struct fg_room_owners *owners, const void *self, struct fg_bubble *bubble,
			    struct fg_runqueue *leaf);
