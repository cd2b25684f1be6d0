/* World: what the policies see of what is outside, filled by exec; in tests nothing is (floor: sched). */
#pragma once
#include "forest/runqueue.h"

struct fg_world {
	void (*pushed)(struct fg_runqueue *queue); /* something lies there now: wake somebody. No lock is held */
	void (*put_aside)(void);		   /* something lies on a runqueue that no PU looks at */
	uint64_t (*now)(void);
	uint64_t (*random)(void);
};
extern struct fg_world fg_world;
