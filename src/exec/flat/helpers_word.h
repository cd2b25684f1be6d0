/* The helpers' word of a region (floor: exec; used by help.c for the docked region, and by rejoin.c for others: their
 * headers tell the protocols). A helper may look at the region's team. These functions only make and compare numbers.
 *
 *
 *     word = number of the region << 16 | closed << 15 | number of helpers */
#pragma once
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define FG_HELPERS_CLOSED UINT64_C(0x8000)
#define FG_HELPERS_COUNT UINT64_C(0x7fff)

/* The region has tasks from now on, and no helper yet. */
static inline uint64_t
fg_helpers_word_open(uint64_t region)
{
	assert(region >> 48 == 0);
	return region << 16;
}
/* The word names this region and is not closed, so the number of helpers may rise. */
static inline bool
fg_helpers_word_admits(uint64_t word, uint64_t region)
{
	return (word & ~FG_HELPERS_COUNT) == fg_helpers_word_open(region);
}
