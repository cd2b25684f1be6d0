/* Fair (floor: share): see fair.h. */
#include "share/fair.h"

#include <assert.h>
#include <stdbool.h>

#define WHOLE 1000
#define HALF 500
#define STEP_NS 2000000 /* the monitor's looks are so far apart, or further */
#define STEPS_MAX 64	/* after so many steps nothing is left of a demand */
#define STEPS_LATE 5	/* a look may be so late. Before a later one the program was outside of regions. */
#define RISE 2		/* a step goes this part of the way up: half */
#define FALL 8		/* and this part of the way down */

static bool
wants(const struct fg_fair_entry *entry, unsigned got)
{
	return entry->demand >= got * WHOLE + HALF;
}

/* Entry a has less for its weight than entry b. */
static bool
has_less(const struct fg_fair_entry *entries, const uint16_t *got, unsigned a, unsigned b)
{
	return (uint64_t)got[a] * entries[b].weight < (uint64_t)got[b] * entries[a].weight;
}

/* The entry that gets the next PU; n: nobody wants one. */
static unsigned
next(const struct fg_fair_entry *entries, const uint16_t *got, unsigned n)
{
	unsigned best = n;
	for (unsigned i = 0; i < n; i++)
		if (wants(&entries[i], got[i]) && (best == n || has_less(entries, got, i, best)))
			best = i;
	return best;
}

unsigned
fg_fair_share(unsigned pus, unsigned outside, const struct fg_fair_entry *entries, unsigned n, unsigned own,
	      uint16_t *got)
{
	int64_t left = (int64_t)pus * WHOLE - outside;
	unsigned to = 0;
	assert(own < n && pus > 0);
	for (unsigned i = 0; i < n; i++) {
		got[i] = 1;
		left -= entries[i].demand < WHOLE ? entries[i].demand : WHOLE;
	}
	for (; left >= HALF && (to = next(entries, got, n)) < n; left -= WHOLE)
		got[to]++;
	int64_t share = got[own] + (left > 0 ? (left + HALF) / WHOLE : 0);
	return share < pus ? (unsigned)share : pus;
}

static uint32_t
step(uint32_t before, uint32_t now)
{
	return now > before ? before + (now - before + RISE - 1) / RISE : before - (before - now + FALL - 1) / FALL;
}

uint32_t
fg_fair_demand(uint32_t before, uint32_t now, uint64_t passed)
{
	uint64_t steps = (passed + STEP_NS / 2) / STEP_NS;
	bool outside = steps > STEPS_LATE;
	for (uint64_t i = 1; i < steps && i < STEPS_MAX; i++)
		before = step(before, outside ? 0 : now);
	return step(before, now);
}

/* Each step of nice is a quarter. */
uint32_t
fg_fair_weight(int nice)
{
	uint32_t weight = FG_FAIR_WEIGHT;
	for (; nice > 0 && weight > FG_FAIR_LIGHTEST; nice--)
		weight = weight * 4 / 5;
	for (; nice < 0 && weight < FG_FAIR_HEAVIEST; nice++)
		weight = weight * 5 / 4;
	return weight < FG_FAIR_LIGHTEST ? FG_FAIR_LIGHTEST : weight > FG_FAIR_HEAVIEST ? FG_FAIR_HEAVIEST : weight;
}
