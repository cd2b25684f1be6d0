/* Seeking seats (command): see seek.h. `near` is kept by members: an exchange swaps two of its rows and columns. So the
 * gain of an exchange is a sum over two rows of each table. */
#include "plan/seek.h"
#include "plan/chance.h"
#include "plan/room.h"

#include <math.h>
#include <string.h>

#define LESS 1e-9 /* of the price: such a gain is none */
#define COLD 1e-3 /* the last heat, of the first: levels may differ by so much */
#define TURNS 4
#define LEAST_EACH 500 /* steps for each member: with fewer it is worse than before */

struct search {
	const struct fg_seek *seek;
	unsigned n, *seat;
	double *near; /* n x n, by members */
	double price;
};

double
fg_seek_price(const struct fg_seek *seek, const unsigned *seat)
{
	unsigned n = seek->seats->n;
	double price = 0;
	for (unsigned i = 0; i < n; i++) {
		const double *near = seek->seats->near + (size_t)seat[i] * n;
		for (unsigned k = 0; k < i; k++)
			price += seek->weights[(size_t)i * n + k] * near[seat[k]];
		price += seek->pull ? seek->pull[(size_t)i * n + seat[i]] : 0;
	}
	return price;
}

static void
take(struct search *search, const unsigned *seat)
{
	unsigned n = search->n;
	memmove(search->seat, seat, n * sizeof *seat);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < n; k++)
			search->near[(size_t)i * n + k] = search->seek->seats->near[(size_t)seat[i] * n + seat[k]];
	search->price = fg_seek_price(search->seek, seat);
}

static double
gain_of(const struct search *search, unsigned i, unsigned k)
{
	size_t n = search->n;
	const double *of_i = search->seek->weights + i * n, *of_k = search->seek->weights + k * n;
	const double *near_i = search->near + i * n, *near_k = search->near + k * n, *pull = search->seek->pull;
	double gain = 0;
	for (unsigned m = 0; m < n; m++)
		gain += (of_i[m] - of_k[m]) * (near_i[m] - near_k[m]);
	/* What the two have with themselves and with each other does not change. */
	gain -= (of_i[i] - of_k[i]) * (near_i[i] - near_k[i]) + (of_i[k] - of_k[k]) * (near_i[k] - near_k[k]);
	if (pull) {
		unsigned a = search->seat[i], b = search->seat[k];
		gain += pull[i * n + a] + pull[k * n + b] - pull[i * n + b] - pull[k * n + a];
	}
	return gain;
}

static void
exchange(struct search *search, unsigned i, unsigned k)
{
	size_t n = search->n;
	unsigned seat = search->seat[i];
	search->seat[i] = search->seat[k];
	search->seat[k] = seat;
	for (unsigned m = 0; m < n; m++) {
		double near = search->near[i * n + m];
		search->near[i * n + m] = search->near[k * n + m];
		search->near[k * n + m] = near;
	}
	for (unsigned m = 0; m < n; m++) {
		double near = search->near[m * n + i];
		search->near[m * n + i] = search->near[m * n + k];
		search->near[m * n + k] = near;
	}
}

static bool
exchange_members(struct search *search)
{
	bool better = false;
	for (unsigned i = 1; i < search->n; i++)
		for (unsigned k = i + 1; k < search->n; k++) {
			double gain = gain_of(search, i, k);
			if (gain <= LESS * search->price)
				continue;
			exchange(search, i, k);
			search->price -= gain;
			better = true;
		}
	return better;
}

static bool
holds(struct fg_span span, unsigned seat)
{
	return seat >= span.first && seat < span.first + span.n;
}

static bool
exchange_spans(struct search *search, struct fg_span a, struct fg_span b)
{
	unsigned *seat = fg_room(search->n, sizeof *seat);
	for (unsigned k = 0; k < search->n; k++) {
		seat[k] = search->seat[k];
		if (holds(a, seat[k]))
			seat[k] += b.first - a.first;
		else if (holds(b, seat[k]))
			seat[k] -= b.first - a.first;
	}
	bool better = fg_seek_price(search->seek, seat) < search->price * (1 - LESS);
	if (better)
		take(search, seat);
	free(seat);
	return better;
}

static bool
exchange_subtrees(struct search *search)
{
	const struct fg_seats *seats = search->seek->seats;
	bool better = false;
	for (unsigned l = 0; l < seats->machine->n_levels; l++) {
		const struct fg_level *level = seats->machine->levels[l];
		for (unsigned i = 0; i < level->n_children; i++)
			for (unsigned k = i + 1; k < level->n_children; k++) {
				struct fg_span a = fg_seats_below(seats, level->children[i]),
					       b = fg_seats_below(seats, level->children[k]);
				if (a.n > 1 && a.n == b.n && !holds(a, seats->root) && !holds(b, seats->root))
					better |= exchange_spans(search, a, b);
			}
	}
	return better;
}

static void
descend(struct search *search)
{
	do {
		while (exchange_members(search))
			;
	} while (search->seek->pull && exchange_subtrees(search));
}

/* Two members that may exchange their seats. */
static void
choose(const struct search *search, uint64_t *state, unsigned *i, unsigned *k)
{
	*i = 1 + fg_chance(state) % (search->n - 1);
	*k = 1 + fg_chance(state) % (search->n - 1);
}

/* What an exchange by chance makes better or worse, on the average. */
static double
usual(const struct search *search, uint64_t *state)
{
	double sum = 0;
	unsigned i, k;
	for (unsigned step = 0; step < 64; step++) {
		choose(search, state, &i, &k);
		sum += i == k ? 0 : fabs(gain_of(search, i, k));
	}
	return sum / 64;
}

static void
anneal(struct search *search, unsigned steps, uint64_t *state)
{
	double heat = usual(search, state), cooling = pow(COLD, 1. / steps);
	unsigned i, k;
	for (unsigned step = 0; heat > 0 && step < steps; step++, heat *= cooling) {
		choose(search, state, &i, &k);
		if (i == k)
			continue;
		double gain = gain_of(search, i, k);
		if (!fg_may_lose(-gain, heat, state))
			continue;
		exchange(search, i, k);
		search->price -= gain;
	}
}

double
fg_seek_improve(const struct fg_seek *seek, unsigned *seat, unsigned steps)
{
	unsigned n = seek->seats->n;
	struct search search = {.seek = seek, .n = n};
	uint64_t state = 1;
	search.seat = fg_room(n, sizeof *search.seat);
	search.near = fg_room((size_t)n * n, sizeof *search.near);
	take(&search, seat);
	descend(&search);
	double best = fg_seek_price(seek, search.seat);
	memcpy(seat, search.seat, n * sizeof *seat);
	for (unsigned turn = 0; n > 2 && steps && turn < TURNS; turn++) {
		anneal(&search, steps / TURNS, &state);
		search.price = fg_seek_price(seek, search.seat);
		descend(&search);
		double now = fg_seek_price(seek, search.seat);
		if (now >= best * (1 - LESS))
			continue;
		best = now;
		memcpy(seat, search.seat, n * sizeof *seat);
	}
	free(search.seat);
	free(search.near);
	return best;
}

unsigned
fg_seek_steps(unsigned n)
{
	unsigned steps = 4000000 / n;
	return steps > 50000 ? 50000 : steps < LEAST_EACH * n ? 0 : steps;
}
