/* Chance: random numbers and random priorities from a seed (floor: exec; used by the virtual carrier, the simulator
 * and the interleaving checker). Priorities with few changes find rare orders better than a random walk (Burckhardt
 * et al., ASPLOS 2010). The state belongs to one thread at a time, and the same seed gives the same numbers. */
#pragma once
#include <stdint.h>

struct fg_chance {
	uint64_t state;
	int64_t lowest; /* the last priority that one got that stepped back */
};

static inline void
fg_chance_init(struct fg_chance *chance, uint64_t seed)
{
	chance->state = seed * UINT64_C(0x2545f4914f6cdd1d);
	chance->lowest = 0;
}

static inline uint64_t
fg_chance_next(struct fg_chance *chance)
{
	uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint64_t
fg_chance_below(struct fg_chance *chance, uint64_t n)
{
	return fg_chance_next(chance) % n;
}

/* A random priority, above the priorities of all that have stepped back. */
static inline int64_t
fg_chance_priority(struct fg_chance *chance)
{
	return (int64_t)(fg_chance_next(chance) >> 2);
}

/* The priority of one that steps back behind all others. */
static inline int64_t
fg_chance_step_back(struct fg_chance *chance)
{
	return --chance->lowest;
}
