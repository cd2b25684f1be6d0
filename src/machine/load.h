/* Load: how busy other processes keep the PUs that this one may use (floor: machine; called by team/places/procs.c
 * where dyn-var is true, by exec/watch/solitude.c, and by team/boot/process_fork.c).
 *
 * libgomp takes the load average of 15 minutes, which says nothing about now, and counts the process itself. Here it is
 * the busy time of each PU of the mask since the last look, less the process's own. The kernel counts it (/proc/stat).
 * Looks are some time apart. Where there is no last look, or an old one, the number of threads on the machine that are
 * runnable now stands in (/proc/loadavg).
 *
 * The caller is outside the runtime and holds no lock, because files are read. One thread at a time looks, and keeps
 * what it has seen. The others get the last answer. */
#pragma once
#include <stdbool.h>

#include "machine/cpuset.h"

/* The result of one look; all in seconds. */
struct fg_load {
	double when, busy, own;
};

/* The time that others use now of the mask's PUs, in PUs; 0 where it cannot be told. Any thread may call it; it
 * allocates nothing. */
double fg_load_others(const struct fg_cpuset *mask);
void fg_load_after_fork(void);
/* The same from `last` on, which is then set to now. The caller keeps `last` for itself, at first {0}. False: there was
 * no last look, or only an old one, or it cannot be told. */
bool fg_load_since(struct fg_load *last, const struct fg_cpuset *mask, double *others);

/* The time for which the PUs of the mask were not idle, in ticks, from a text like that of /proc/stat. false: none of
 * them is there. */
bool fg_load_busy_ticks(const char *text, const struct fg_cpuset *mask, double *ticks);
/* The time that others used from one look to the next, in PUs. */
double fg_load_between(const struct fg_load *before, const struct fg_load *after);
