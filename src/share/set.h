/* Set: the PUs that a program has chosen, and when it chooses anew (floor: share; called by own_set.c, unit tests and
 * bench).
 *
 * Each program tells its set to the others, and sees their sets as they were told last. Two programs may choose at the
 * same time, and then have PUs in common. The one with the higher entry sees that at its next look, and yields. This
 * costs time only. A pure function: any thread may call it anywhere.
 *
 *     A program keeps its set, because threads that have begun are dear to move, unless
 *     - its root is elsewhere, or it may use another number of PUs than it asked for last,
 *     - fewer were free than it asked for, and a PU has come free since,
 *     - a lower entry has a PU of it. The own PU is no reason.
 *
 * In a running program the root goes where the set is. There a set of which a lower program has the own PU is chosen
 * around another one, which nobody has (fg_set_origin).
 *
 *     Claim 1: if programs look one after another, two sets have no PU in common but own ones.
 *     Claim 2: if all look at the same time, again and again, they come to such sets, and choose no more.
 *
 * Proof of 1: a look reads all sets that were told before, chooses none of their PUs, and tells its own set before the
 * next look reads. So of two sets the one that was chosen later avoids the other.
 * Proof of 2, by induction over the entries: say that all lower ones choose no more. Then the entry yields once at
 * most, because what it chooses avoids them. Else it chooses anew only if more PUs are free than at the last time. That
 * happens at most once for each PU. An entry that chooses no more has no PU of a lower one.
 * In tests of up to 12 programs it took as many rounds as programs, and four more at most. */
#pragma once
#include "share/choice.h"

struct fg_set {
	uint16_t pus[FG_CHOICE_PUS]; /* in the order of the threads, the own one first */
	unsigned n;		     /* 0: nothing is chosen */
	unsigned asked, free;	     /* at that choice */
};

/* Where the program's own PU is. root: the PU where its root is now. It is the set's own PU, or the root's if there is
 * no set. If others have it (with a set: lower ones), it is the first PU that would be chosen beside it, and the set
 * must be chosen anew. So a program with a set keeps it while its root is elsewhere for a moment. */
unsigned fg_set_origin(struct fg_set *set, const struct fg_distances *distances, unsigned root, unsigned wanted,
		       const struct fg_pus *lower, const struct fg_pus *others);
/* The program uses so many of the PUs that were granted: fewer, where its set ends at a border, and is not too small
 * because others have the rest. */
unsigned fg_set_uses(const struct fg_set *set, unsigned granted);
/* A look. lower: PUs that active programs with lower entries have told; others: the same of all others. Returns whether
 * the set was chosen anew. */
bool fg_set_look(struct fg_set *set, enum fg_choice choice, const struct fg_distances *distances,
		 const struct fg_request *request, unsigned wanted, const struct fg_pus *lower,
		 const struct fg_pus *others);
