/* Secure: a program with rights that its caller does not have (floor: base; asked by options.c, machine/hwloc.c,
 * sim/start.c). It has them by set-user-ID, set-group-ID, file capabilities or a security module.
 *
 * The environment of such a program belongs to its caller. In such a program none of our variables counts, nothing is
 * loaded, and no file is opened that a variable names. OMP_ and GOMP_ variables count as with libgomp, because they are
 * numbers, words and lists of CPUs. Any thread may ask anywhere: the answer never changes. */
#pragma once
#include <stdbool.h>
#include <sys/auxv.h>

/* This works before any constructor has run, because constructors call it. */
static inline bool
fg_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}
