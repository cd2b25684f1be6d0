/* Choice: which PUs a program uses, by the slides of IWOMP 2010 (floor: share; called by unit tests and bench).
 *
 * A program asks for PUs with an optimal and a largest number of them. It gets its own PU, where its root is, and
 * others that no program has taken. These are pure functions without memory of their own, so any thread may call them
 * anywhere, and all programs get the same from the same words.
 *
 *     N = optimal + free / PUs x (largest - optimal)
 *
 * - simple: the own PU, and the N - 1 free ones nearest to it.
 * - clustering: PUs lie in sets, the levels of the machine. Where a PU must come from another set, it comes from one
 *   with just as many free PUs as are still wanted; else from a set in use that has more; else from an empty one.
 * - enhanced clustering: the same, but N may change a little, so that the reply ends at the border of a set.
 *
 * The slides leave these open. Decided here:
 * - The load factor is the part of the machine's PUs that is free, the own PU with them. N is rounded to the nearest.
 * - Of PUs that are equally near, and of sets that are equally good, the first comes first.
 * - Sets have sets in them. The program takes the free PUs of the smallest set around its own PU, then of the one
 *   around that, as long as all of them are wanted. The rest comes from the sets within the next one by the three
 *   rules, and within the set that is chosen by the same rules again.
 * - "Empty" means that no PU of the set is in use. An empty set that is smaller than what is wanted is taken whole.
 *   Where there is none, the set with most free PUs is taken whole.
 * - Sets that are equally good by the rules: the nearest to the own PU comes first.
 * - A little is a quarter of N, a half rounded down: less by so much, or more, but not more than the largest number.
 *   A set fits if it has so many free PUs as are wanted, more or less by that. The set with the nearest number is
 *   preferred, and none is opened for a rest that may be left out.
 * - Fewer than N are free: the program gets these, or waits (`queue`). The slides have both. A program that waits for
 *   another one would hang in a queue, so only simulations queue. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "share/board.h"
#include "share/distance.h"

#define FG_CHOICE_PUS FG_BOARD_PUS

/* PUs by the machine's own numbers. */
struct fg_pus {
	uint64_t bits[FG_CHOICE_PUS / 64];
};

enum fg_choice { FG_CHOICE_SIMPLE, FG_CHOICE_CLUSTERING, FG_CHOICE_ENHANCED, FG_CHOICES };

struct fg_request {
	unsigned pu; /* its own: the reply begins with it, even if it is taken */
	unsigned optimal, largest;
	bool queue; /* nothing is better than fewer PUs than wanted */
};

/* N: so many PUs are wanted, at least 1. */
unsigned fg_choice_wanted(const struct fg_request *request, unsigned free, unsigned pus);
/* PUs that are not taken, the request's own one with them. */
unsigned fg_choice_free(const struct fg_distances *distances, const struct fg_pus *taken, unsigned own_pu);
/* Chooses `wanted` PUs; enhanced: or some more or fewer, at most request->largest. `reply` has room for all PUs of the
 * machine, at most FG_CHOICE_PUS. Its order is that of the threads. Returns how many there are; 0: the program must
 * wait. */
unsigned fg_choice_make(enum fg_choice choice, const struct fg_distances *distances, const struct fg_pus *taken,
			const struct fg_request *request, unsigned wanted, uint16_t *reply);

static inline bool
fg_pus_has(const struct fg_pus *pus, unsigned pu)
{
	return pus->bits[pu / 64] >> pu % 64 & 1;
}

static inline void
fg_pus_add(struct fg_pus *pus, unsigned pu)
{
	pus->bits[pu / 64] |= UINT64_C(1) << pu % 64;
}

static inline void
fg_pus_remove(struct fg_pus *pus, unsigned pu)
{
	pus->bits[pu / 64] &= ~(UINT64_C(1) << pu % 64);
}
