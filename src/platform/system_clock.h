/* The system's clocks by the system call, because on the simulated machine the C library's functions may show the
 * program's virtual time (floor: platform; called by sim). Any thread may call anywhere. Nothing is kept. */
#pragma once
#include <stdint.h>
#include <time.h>

/* The time in nanoseconds. */
uint64_t fg_system_clock(clockid_t clock);
/* Sleeps for so long, below a second, or until a signal comes. */
void fg_system_clock_sleep(uint64_t ns);
