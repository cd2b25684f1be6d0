/* Thickness: how strongly the members of a bubble cooperate, for policies that ask (floor: sched;
 * include/forestgomp/sched.h). Barriers are counted by team/sync/barrier.c, tasks by team/tasks. */
#include <math.h>

#include "forest/bubble.h"
#include "sched/in_force.h"

__attribute__((visibility("default"))) double
fgomp_bubble_thickness(const struct fg_bubble *bubble)
{
	return fg_policies.measures >= FGOMP_MEASURE_COOPERATION ? fg_bubble_thickness(bubble) : (double)NAN;
}
