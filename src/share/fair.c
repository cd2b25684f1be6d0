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

/* The PUs that the entry wants, at least 1. */
static uint32_t
wanted(const struct fg_fair_entry *entry)
{
	return entry->demand < WHOLE + HALF ? 1 : (entry->demand + HALF) / WHOLE;
}

/* What the first PU of the entry costs the others. `part` is its part of the PUs by weight. */
static uint32_t
first_cost(const struct fg_fair_entry *entry, uint64_t part)
{
	uint32_t used = entry->demand < WHOLE ? entry->demand : WHOLE;
	return part < used ? (uint32_t)part : used;
}

/* PUs are dealt one by one, and the next one goes to the entry with the least for its weight: to the least of got /
 * weight, the older entry first. So the PUs are dealt in the order of these quotients. Returns how many of them are
 * dealt before entries[own] gets one more than `got`. */
static uint32_t
dealt_before(const struct fg_fair_entry *entries, unsigned n, unsigned own, uint32_t got)
{
	uint32_t sum = 0, weight = entries[own].weight;
	for (unsigned i = 0; i < n; i++) {
		uint32_t most = wanted(&entries[i]) - 1;
		if (most) {
			uint32_t before = (got * entries[i].weight - (i >= own)) / weight;
			sum += before < most ? before : most;
		}
	}
	return sum;
}

/* Of so many PUs that are dealt, beyond the first one for each: entries[own] has this many in all. */
static uint32_t
dealt_to(const struct fg_fair_entry *entries, unsigned n, unsigned own, uint32_t dealt)
{
	uint32_t least = 1, most = wanted(&entries[own]);
	if (most > dealt + 1)
		most = dealt + 1;
	while (least < most) {
		uint32_t half = (least + most) / 2;
		if (dealt_before(entries, n, own, half) < dealt)
			least = half + 1;
		else
			most = half;
	}
	return least;
}

unsigned
fg_fair_share(unsigned pus, unsigned outside, const struct fg_fair_entry *entries, unsigned n, unsigned own)
{
	uint64_t there = (uint64_t)pus * WHOLE > outside ? (uint64_t)pus * WHOLE - outside : 0, left = there,
		 weights = 0;
	uint32_t more = 0;
	assert(own < n && pus > 0);
	for (unsigned i = 0; i < n; i++)
		weights += entries[i].weight;
	for (unsigned i = 0; i < n; i++) {
		left -= first_cost(&entries[i],
				   there * entries[i].weight / weights); /* the parts are `there` at most */
		more += wanted(&entries[i]) - 1;
	}
	uint32_t dealt = (uint32_t)((left + HALF) / WHOLE);
	uint32_t share = dealt > more ? wanted(&entries[own]) + dealt - more : dealt_to(entries, n, own, dealt);
	return share < pus ? share : pus;
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
