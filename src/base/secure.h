/* Secure: a program with rights that its caller has not, by set-user-ID, set-group-ID, file capabilities or a security module (floor: base;
 * asked by options.c, machine/hwloc.c, sim/start.c).
 *
 * The environment of such a program is its caller's. There no variable of ours counts, nothing is loaded, and no file is opened that a
 * variable names. What OMP_ and GOMP_ variables say is taken as libgomp takes it: they are numbers, words and lists of CPUs. */
#pragma once
#include <stdbool.h>
#include <sys/auxv.h>

/* Needs no start: constructors ask before any other has run. */
static inline bool
fg_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}
