/* The clocks of another kernel thread's CPU time and of another process's, as the kernel encodes them (floor: platform;
 * used by monitor.c, outside.c and thread_timer.c). clock_getcpuclockid(3) gives the same for processes. Any thread may
 * call anywhere. Nothing is kept. */
#pragma once
#include <stdint.h>
#include <time.h>

static inline clockid_t
fg_thread_clock(int tid)
{
	return (clockid_t)((~(unsigned)tid << 3) | 6);
}

/* The same of a whole process. */
static inline uint64_t
fg_process_clock_used(int process)
{
	struct timespec used = {0, 0};
	clock_gettime((clockid_t)((~(unsigned)process << 3) | 2), &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* The CPU time that the kernel thread (0: the caller) has used, in nanoseconds; 0: it is gone. */
static inline uint64_t
fg_thread_clock_used(int tid)
{
	struct timespec used = {0, 0};
	clock_gettime(fg_thread_clock(tid), &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}
