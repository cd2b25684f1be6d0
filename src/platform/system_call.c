/* System calls behind functions that the simulator replaces (floor: platform): see system_call.h. */
#define _GNU_SOURCE
#include "platform/system_call.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int
fg_system_call_clock(clockid_t clock, struct timespec *now)
{
	return (int)syscall(SYS_clock_gettime, clock, now);
}

int
fg_system_call_affinity(pid_t tid, size_t size, cpu_set_t *set)
{
	long written = syscall(SYS_sched_getaffinity, tid, size, set);
	if (written < 0)
		return -1;
	memset((char *)set + written, 0, size - (size_t)written);
	return 0;
}

int
fg_system_call_bind(pid_t tid, size_t size, const cpu_set_t *set)
{
	return (int)syscall(SYS_sched_setaffinity, tid, size, set);
}
