/* World: the outside, as policies see it (floor: sched; called by api.c, live_tree.c, slices.c, policy.c and
 * sim/overseer.c). exec/top/world.c fills the table. It is no constant, because tests and the simulated machine replace
 * entries. */
#pragma once
#include "forest/runqueue.h"

struct fg_world {
	void (*pushed)(
		struct fg_runqueue *queue); /* something lies there now: wake a worker. No runqueue's lock is held */
	void (*put_aside)(void);	    /* something lies on a runqueue that no PU looks at */
	uint64_t (*now)(void);
	uint64_t (*random)(void);
	/* The PU that runs a thread; -1: none does. May it run anywhere, and not only on its own worker? Make it leave
	 * its PU soon (entity.sent). */
	int (*where)(const struct fg_entity *thread);
	bool (*may_move)(const struct fg_entity *thread);
	void (*hasten)(struct fg_entity *thread);
	/* Send a thread, in the way of its kind. Where that cannot be: why, as the end of a message. */
	bool (*move)(struct fg_entity *thread, struct fg_runqueue *level);
	const char *(*why_not)(const struct fg_entity *thread);
	/* For a thread that runs: the time that its record does not have yet (exec/thread/clock.h). */
	uint64_t (*runs_for)(const struct fg_entity *thread);
	/* Stopped threads (exec/move/stop.h): mark one, keep one that was taken off a runqueue, let one go, and let
	 * those run that were let go. */
	bool (*stop)(struct fg_entity *thread);
	void (*keep)(struct fg_entity *thread);
	void (*go)(struct fg_entity *thread);
	void (*run)(void);
	int (*last)(const struct fg_entity *thread); /* the PU that runs it, or ran it last */
};
extern struct fg_world fg_world;

/* Something was put on the runqueue, which is not locked any more. */
void fg_world_tell(struct fg_runqueue *queue);

static inline void
fg_world_unlock(struct fg_runqueue *queue)
{
	bool owes = queue->owes_wake;
	queue->owes_wake = false;
	fg_spinlock_unlock(&queue->lock);
	if (owes)
		fg_world_tell(queue);
}
