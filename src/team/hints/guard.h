/* Guard: whether the layouts by region of a pin file pay (floor: team; FGOMP_PIN_GUARD; called by pin.c, by the thread
 * that meets the regions, inside). Passes of the program take turns. In one, regions have layouts of their own; in the
 * other, all have the default. After 5, 10, 20 and 32 passes of each kind their times are compared by the rank test of
 * Wilcoxon, Mann and Whitney, and the loser is dropped for good. So are layouts of their own where nothing is known
 * after 64 passes, because they cost moves.
 *
 * Up to each look the order is by chance, with equally many of both kinds. So the test holds whatever the passes are:
 * in a program of which every other pass is a long one, or each longer than the one before. Each look is wrong on one
 * side in at most 0.625% of cases of pure noise: 5% in all. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define FG_GUARD_PAIRS 32

struct fg_guard {
	uint64_t took[2][FG_GUARD_PAIRS]; /* ns of passes by default, and with layouts of their own */
	unsigned n[2];			  /* so many */
	unsigned left[2];		  /* passes up to the next look */
	uint64_t chance;
	bool own; /* how the next pass runs: regions have layouts of their own */
	bool begun, over;
};

/* A pass is over, and has run as guard->own said. Decides how the next one runs. */
void fg_guard_pass(struct fg_guard *guard, uint64_t took);
