/* Want: how many PUs a program asks for, by what its regions have shown (floor: share; called by learnt.c, unit tests
 * and bench).
 *
 * It asks for the best number, and uses no more: so a small region leaves PUs to others, and is no slower for that. The
 * slides of IWOMP 2010 have N = optimal + free / PUs x (best - optimal) instead. Below the best number a program loses
 * what others gain, and in the event simulation all together lost by it (docs/measurements/sharing.md).
 *
 * Grants change for reasons of their own, and most of what is known comes from that. Where it does not suffice, the
 * program tries another number: it has fewer PUs for some runs, at most 40 ms. Others hear nothing of that. What is
 * known of a region holds for a second, and up to 16 s if it stays the same. Then all but the present point is
 * forgotten. Until a second number of PUs is known, the program asks for all. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "share/lesson.h"

/* All zero: nothing is known. */
struct fg_want {
	unsigned optimal, best;	    /* 0: it asks for all PUs */
	unsigned tries;		    /* PUs on trial; 0: none */
	uint64_t since;		    /* when the trial began */
	const struct fg_lesson *of; /* the region that counts most */
};

/* A look. `lesson`: of the region that counts most. `sum`: of all regions of the last time, filled for all PUs. `has`:
 * PUs that it has in the mean, `most`: that it may use by its share. */
void fg_want_look(struct fg_want *want, uint64_t now, struct fg_lesson *lesson, const struct fg_curve *sum,
		  unsigned has, unsigned most);
/* Nothing is known of what the program does now. */
void fg_want_drop(struct fg_want *want);
/* Of so many PUs that it may use, it uses these. */
static inline unsigned
fg_want_bound(const struct fg_want *want, unsigned pus)
{
	if (want->best && want->best < pus)
		pus = want->best;
	return want->tries && want->tries < pus ? want->tries : pus;
}
