/* Rearranging: the threads of live bubbles are distributed anew, as a tree of bubbles that a policy bursts (floor:
 * sched; called by affinity and cache). It is written against the public header, as a plug-in would be. `redistribute`
 * of a policy calls, without a lock and in no handler: the lock of the live tree is taken here. */
#pragma once
#include "forestgomp/sched.h"

/* A live bubble with all below it, or one thread. */
struct fg_live_item {
	const struct fg_bubble *bubble; /* NULL: a thread, or a bubble that was burst down to it */
	struct fg_entity *thread;	/* of a bubble: the thread that met its region */
	const struct fg_bubble *team;	/* of a thread: its bubble */
	unsigned weight;		/* threads that are there */
	unsigned pu;			/* of a thread: where it is; of a bubble: of that thread */
};

/* Sends threads below `level`'s machine to where they should be, if that leaves fewer PUs without any, and not
 * many more threads move than PUs are filled. A bubble stays whole on the lowest level that has room for it. `first`:
 * which of two bubbles is burst first, where one must be. true: it has sent some. */
bool fg_rearrange(const void *self, struct fg_runqueue *level,
		  bool (*first)(const struct fg_live_item *a, const struct fg_live_item *b));
