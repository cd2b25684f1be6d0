/* Here: the NUMA node of the caller's CPU (floor: platform; used by samples/tick.c in a signal handler). The C library
 * asks without a system call where it can. Any thread may call anywhere. */
#pragma once
#include <sched.h>

static inline unsigned
fg_here_node(void)
{
	unsigned cpu, node;
	return getcpu(&cpu, &node) == 0 ? node : 0;
}
