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

/* What those have that want more than their part by weight: `there` for the sum of their weights. */
struct level {
	uint64_t there, weights;
};

/* The entry has all that it wants by its part. At a higher level it has, too. */
static bool
has_enough(const struct fg_fair_entry *entry, const struct level *level)
{
	return entry->demand * level->weights <= level->there * entry->weight;
}

/* What is left of the parts of those that have enough is for the others, whose parts grow. So the level rises until
 * nobody new has enough. */
static struct level
find_level(uint64_t there, const struct fg_fair_entry *entries, unsigned n)
{
	struct level level = {there, 0}, before;
	for (unsigned i = 0; i < n; i++)
		level.weights += entries[i].weight;
	do {
		before = level;
		level = (struct level){there, 0};
		for (unsigned i = 0; i < n; i++)
			if (has_enough(&entries[i], &before))
				level.there -= entries[i].demand;
			else
				level.weights += entries[i].weight;
	} while (level.weights && level.weights != before.weights);
	return level.weights ? level : before;
}

/* What the first PU of the entry costs the others. */
static uint32_t
first_cost(const struct fg_fair_entry *entry, const struct level *level)
{
	uint32_t used = entry->demand < WHOLE ? entry->demand : WHOLE;
	if (used * level->weights <= level->there * entry->weight)
		return used;
	return (uint32_t)(level->there * entry->weight / level->weights);
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
	uint64_t there = (uint64_t)pus * WHOLE > outside ? (uint64_t)pus * WHOLE - outside : 0, left = there;
	uint32_t more = 0;
	assert(own < n && pus > 0);
	struct level level = find_level(there, entries, n);
	for (unsigned i = 0; i < n; i++) {
		left -= first_cost(&entries[i], &level); /* these are `there` at most */
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
