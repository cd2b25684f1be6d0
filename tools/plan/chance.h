/* Chance for annealing, the same in each run (command; used by seek.c and starts.c). */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint32_t
fg_chance(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

/* An exchange that loses so much is done with the chance e^(-loss / heat). */
static inline bool
fg_may_lose(double loss, double heat, uint64_t *state)
{
	return loss <= 0 || exp(-loss / heat) * 4294967296. > fg_chance(state);
}
