/* Tells the world that something lies on a runqueue (floor: sched); see world.h. */
#include "sched/world.h"

#include "sched/policy.h"

struct fg_world fg_world;

void
fg_world_tell(struct fg_runqueue *queue)
{
	if (fg_policy_is_aside(queue)) {
		if (fg_world.put_aside)
			fg_world.put_aside();
	} else if (!queue->quiet && fg_world.pushed)
		fg_world.pushed(queue);
}
