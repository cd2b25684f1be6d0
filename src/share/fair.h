/* Fair: how many PUs each of several programs uses (floor: share; called by share.c, entry.c and unit tests).
 *
 * Each program computes the shares of all by the same function from the same words, and applies its own. These are pure
 * functions: they look at nothing but their arguments, so any thread may call anywhere.
 *
 * An entry's demand is the number of PUs that its program could keep busy, in thousandths, as a mean over some 20 ms.
 * - Nobody gets less than one PU: programs that wait for each other must go on.
 * - A program that keeps no PU busy costs the others what it uses, and no whole PU.
 * - Nor does the first PU of a program cost the others more than its part by weight, and what others leave of theirs.
 *   Beside others the kernel gives a thread at nice 19 next to nothing. So it shares a PU with a thread of another
 *   program, and takes none away.
 * - The rest is dealt by weight among those that want more: PU after PU to the one that has least for its weight.
 * - PUs that nobody wants are nobody's loss, so each program may use all of them. */
#pragma once
#include <stdint.h>

#define FG_FAIR_WEIGHT 1024 /* of the nice value 0, as the kernel has it */
#define FG_FAIR_LIGHTEST 3
#define FG_FAIR_HEAVIEST 88761

struct fg_fair_entry {
	uint32_t demand, weight;
};

/* The PUs of entries[own], at least 1 and at most `pus`. outside: PUs that other programs use, in thousandths. The
 * older entry comes first where two have equal claims. Demands and weights are as fg_entry_unpack lets them be. */
unsigned fg_fair_share(unsigned pus, unsigned outside, const struct fg_fair_entry *entries, unsigned n, unsigned own);
/* The demand after a look at which so much could be used. It rises within some looks, and falls slowly, so that a short
 * burst takes no PU from others. passed: ns since the last look. */
uint32_t fg_fair_demand(uint32_t before, uint32_t now, uint64_t passed);
/* The kernel's weight of a nice value. */
uint32_t fg_fair_weight(int nice);
