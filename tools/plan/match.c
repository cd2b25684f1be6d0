/* Matchings (command): see starts.h. */
#include "plan/starts.h"
#include "plan/room.h"

#include <string.h>

#define EXACT 16

struct matching {
	const double *weights;
	unsigned n_all, n;
	const unsigned *members;
};

static double
weight(const struct matching *of, unsigned i, unsigned k)
{
	return of->weights[(size_t)of->members[i] * of->n_all + of->members[k]];
}

/* best[set]: the weight of the best pairs of this set. Its lowest member has a partner, or is the one that stays
 * alone. */
static void
match_exactly(const struct matching *of, unsigned *pairs)
{
	uint32_t all = (1u << of->n) - 1;
	double *best = fg_room(all + 1, sizeof *best);
	unsigned char *partner = fg_room(all + 1, 1);
	for (uint32_t set = 1; set <= all; set++) {
		unsigned low = (unsigned)__builtin_ctz(set), n = (unsigned)__builtin_popcount(set);
		uint32_t rest = set & (set - 1);
		best[set] = n % 2 ? best[rest] : -1;
		partner[set] = (unsigned char)low;
		for (uint32_t others = rest; others; others &= others - 1) {
			unsigned with = (unsigned)__builtin_ctz(others);
			double sum = weight(of, low, with) + best[rest & ~(1u << with)];
			if (sum > best[set]) {
				best[set] = sum;
				partner[set] = (unsigned char)with;
			}
		}
	}
	unsigned at = 0;
	for (uint32_t set = all; set;) {
		unsigned low = (unsigned)__builtin_ctz(set), with = partner[set];
		set &= ~(1u << low) & ~(1u << with);
		if (with == low) {
			pairs[of->n - 1] = of->members[low];
			continue;
		}
		pairs[at++] = of->members[low];
		pairs[at++] = of->members[with];
	}
	free(best);
	free(partner);
}

/* Two pairs exchange members if that makes them heavier. */
static bool
exchange(const struct matching *of, unsigned *a, unsigned *b)
{
	double now = weight(of, a[0], a[1]) + weight(of, b[0], b[1]);
	for (unsigned i = 0; i < 2; i++)
		if (weight(of, a[0], b[i]) + weight(of, a[1], b[1 - i]) > now + 1e-9 * now) {
			unsigned with = a[1];
			a[1] = b[i];
			b[i] = with;
			return true;
		}
	return false;
}

static void
match_greedily(const struct matching *of, unsigned *pairs)
{
	bool *done = fg_room(of->n, sizeof *done), better = true;
	unsigned at = 0;
	while (at + 1 < of->n) {
		unsigned a = of->n, b = of->n;
		for (unsigned i = 0; i < of->n; i++)
			for (unsigned k = i + 1; !done[i] && k < of->n; k++)
				if (!done[k] && (a == of->n || weight(of, i, k) > weight(of, a, b)))
					a = i, b = k;
		done[a] = done[b] = true;
		pairs[at++] = a;
		pairs[at++] = b;
	}
	for (unsigned i = 0; i < of->n && at < of->n; i++)
		if (!done[i])
			pairs[at++] = i;
	for (unsigned round = 0; round < 64 && better; round++) {
		better = false;
		for (unsigned a = 0; a + 1 < of->n; a += 2)
			for (unsigned b = a + 2; b + 1 < of->n; b += 2)
				better |= exchange(of, pairs + a, pairs + b);
	}
	for (unsigned i = 0; i < of->n; i++)
		pairs[i] = of->members[pairs[i]];
	free(done);
}

void
fg_match(const double *weights, unsigned n_all, const unsigned *members, unsigned n, unsigned *pairs)
{
	struct matching of = {weights, n_all, n, members};
	if (n && n <= EXACT)
		match_exactly(&of, pairs);
	else if (n)
		match_greedily(&of, pairs);
}
