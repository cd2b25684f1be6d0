/* Here: the NUMA node of the caller's CPU (floor: platform; used by numa.c, and by samples/tick.c in a signal handler).
 * The C library asks without a system call where it can. Any thread may call anywhere. */
#pragma once
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* It came with glibc 2.29. A library that was linked for older ones takes it where it is. */
extern int getcpu(unsigned *cpu, unsigned *node) __attribute__((weak));

static inline unsigned
fg_here_node(void)
{
	unsigned cpu, node;
	long failed = getcpu ? getcpu(&cpu, &node) : syscall(SYS_getcpu, &cpu, &node, NULL);
	return failed ? 0 : node;
}
