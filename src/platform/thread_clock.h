/* The clock of another kernel thread's CPU time (floor: platform; used by monitor.c and thread_timer.c), as the kernel
 * encodes it. clock_getcpuclockid(3) gives the same for processes. */
#pragma once
#include <time.h>

static inline clockid_t
fg_thread_clock(int tid)
{
	return (clockid_t)((~(unsigned)tid << 3) | 6);
}
