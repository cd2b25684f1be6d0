/* The system's clocks (floor: platform): see system_clock.h. */
#define _GNU_SOURCE
#include "platform/system_clock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "platform/system_call.h"

uint64_t
fg_system_clock(clockid_t clock)
{
	struct timespec now;
	fg_system_call_clock(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void
fg_system_clock_sleep(uint64_t ns)
{
	const struct timespec period = {0, (long)ns};
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &period, NULL);
}
