/* System calls behind functions of the C library that `forestgomp sim` replaces. These always ask the system (floor:
 * platform; called by system_clock.c and sim/preload.c, which has a copy of its own). Their results are those of the C
 * library's functions. Any thread may call anywhere. Nothing is kept. */
#pragma once
#include <sched.h>
#include <sys/time.h>
#include <time.h>

int fg_system_call_clock(clockid_t clock, struct timespec *now);
/* Bytes that the system does not write are 0. */
int fg_system_call_affinity(pid_t tid, size_t size, cpu_set_t *set);
int fg_system_call_bind(pid_t tid, size_t size, const cpu_set_t *set);
