/* Load: what other processes make of the PUs that this one may use (floor: machine; called by team/env/icv.c where dyn-var is true).
 *
 * The load average of 15 minutes, that libgomp takes, says nothing about now, and counts the process itself. Here it is the time
 * that the kernel counted as busy on each PU of the mask since the last look, the process's own taken off (/proc/stat). Looks are
 * some time apart. Where there is no last look, or it was long ago, the number of runnable threads
 * on the machine at the moment (/proc/loadavg) stands in. */
#pragma once
#include <stdbool.h>

#include "machine/cpuset.h"

/* What is known at one look; all in seconds. */
struct fg_load {
	double when, busy, own;
};

/* PUs' worth of time that others take now of the mask's; 0 where it cannot be told. Any thread; allocates nothing. */
double fg_load_others(const struct fg_cpuset *mask);
void fg_load_after_fork(void);

/* Time that the PUs of the mask were not idle, in ticks, from a text like that of /proc/stat; false: none of them is there. */
bool fg_load_busy_ticks(const char *text, const struct fg_cpuset *mask, double *ticks);
/* From one look to the next: PUs' worth of time that others took. */
double fg_load_between(const struct fg_load *before, const struct fg_load *after);
