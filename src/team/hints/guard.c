/* Guard (floor: team): see guard.h. */
#include "team/hints/guard.h"

#include "base/log.h"

/* Of so many passes each: the faster side wins where it loses at most so many of the pairs of one pass with another.
 * In noise it has so few in 0.4 to 0.61% of cases (tests/unit/guard.c). */
static const struct look {
	unsigned pairs, loses;
} looks[] = {{5, 0}, {10, 17}, {20, 108}, {FG_GUARD_PAIRS, 326}};

/* Twice the pairs of passes in which the side is slower; a tie counts half. */
static unsigned
loses_twice(const struct fg_guard *guard, bool own, unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < n; k++) {
			uint64_t a = guard->took[own][i], b = guard->took[!own][k];
			sum += a > b ? 2 : a == b;
		}
	return sum;
}

/* There are n passes of each kind. */
static void
look(struct fg_guard *guard, unsigned n)
{
	for (unsigned i = 0; i < sizeof looks / sizeof *looks; i++)
		for (unsigned own = 0; own < 2 && looks[i].pairs == n && !guard->over; own++)
			if (loses_twice(guard, own, n) <= 2 * looks[i].loses) {
				guard->own = own;
				guard->over = true;
			}
	if (!guard->over && n == FG_GUARD_PAIRS) {
		guard->own = false;
		guard->over = true;
	}
	if (guard->over)
		fg_note("FGOMP_PIN: after %u passes regions have %s", 2 * n,
			guard->own ? "their own layouts" : "the default layout: their own do not pay");
}

static void
plan(struct fg_guard *guard, unsigned n)
{
	unsigned i = 0;
	while (looks[i].pairs <= n)
		i++;
	guard->left[0] = guard->left[1] = looks[i].pairs - n;
}

/* The first pass has more to do than others, and counts nothing. */
void
fg_guard_pass(struct fg_guard *guard, uint64_t took)
{
	if (guard->over)
		return;
	if (guard->begun)
		guard->took[guard->own][guard->n[guard->own]++] = took;
	else
		guard->chance ^= took;
	guard->begun = true;
	if (guard->left[0] + guard->left[1] == 0) {
		if (guard->n[0])
			look(guard, guard->n[0]);
		if (guard->over)
			return;
		plan(guard, guard->n[0]);
	}
	guard->chance = guard->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	guard->own = (guard->chance >> 33) % (guard->left[0] + guard->left[1]) < guard->left[1];
	guard->left[guard->own]--;
}
