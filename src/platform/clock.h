/* Clock: the time that the C library tells (floor: platform; called by exec, machine, omp and trace). The simulated
 * machine may show the program another one; system_clock.h asks the system itself. Any thread may call anywhere, also
 * in a signal handler. Nothing is kept. */
#pragma once
#include <stdint.h>
#include <time.h>

static inline struct timespec
fg_clock_time(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return now;
}

static inline uint64_t
fg_clock_ns(clockid_t clock)
{
	struct timespec now = fg_clock_time(clock);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline struct timespec
fg_clock_step(clockid_t clock)
{
	struct timespec step;
	clock_getres(clock, &step);
	return step;
}
