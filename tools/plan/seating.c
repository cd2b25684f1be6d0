/* Seatings (command): see seating.h. The search for single regions goes down twice: from the fixed seating, and from
 * each region's own best one. A region tries the seatings of the others, and a search whose pulls are the moves from
 * and to its neighbours. */
#include "plan/seating.h"
#include "plan/room.h"
#include "plan/seek.h"
#include "plan/starts.h"

#include <string.h>

#define ROUNDS 16

struct finder {
	const struct fg_seating_ask *ask;
	unsigned n, regions;
	struct fg_graph sum; /* of all regions */
	double *pull;	     /* n x n */
	unsigned *try;	     /* seats by member */
};

static double
pay(const struct finder *finder, unsigned from, unsigned to, unsigned member, unsigned a, unsigned b)
{
	const struct fg_seating_ask *ask = finder->ask;
	if (a == b)
		return 0;
	double lines = ask->stays[((size_t)from * finder->regions + to) * finder->n + member];
	return ask->seats->move + lines * ask->seats->near[(size_t)a * finder->n + b];
}

static double
edge(const struct finder *finder, unsigned from, unsigned to, const unsigned *a, const unsigned *b)
{
	double times = finder->ask->follows[(size_t)from * finder->regions + to], price = 0;
	for (unsigned k = 0; times > 0 && k < finder->n; k++)
		price += times * pay(finder, from, to, k, a[k], b[k]);
	return price;
}

/* `seat`: regions x members. */
static double
price_of(const struct finder *finder, const unsigned *seat)
{
	double price = 0;
	for (unsigned r = 0; r < finder->regions; r++) {
		struct fg_seek seek = {finder->ask->seats, finder->ask->graphs[r].lines, NULL};
		price += fg_seek_price(&seek, seat + (size_t)r * finder->n);
		for (unsigned to = 0; to < finder->regions; to++)
			price += edge(finder, r, to, seat + (size_t)r * finder->n, seat + (size_t)to * finder->n);
	}
	return price;
}

/* The price of all that has to do with region r, if it has these seats. */
static double
part_of(const struct finder *finder, const unsigned *seat, unsigned r, const unsigned *own)
{
	struct fg_seek seek = {finder->ask->seats, finder->ask->graphs[r].lines, NULL};
	double price = fg_seek_price(&seek, own);
	for (unsigned s = 0; s < finder->regions; s++)
		if (s != r)
			price += edge(finder, r, s, own, seat + (size_t)s * finder->n) +
				 edge(finder, s, r, seat + (size_t)s * finder->n, own);
	return price;
}

static void
set_pull(struct finder *finder, const unsigned *seat, unsigned r)
{
	const double *follows = finder->ask->follows;
	unsigned n = finder->n;
	memset(finder->pull, 0, (size_t)n * n * sizeof *finder->pull);
	for (unsigned s = 0; s < finder->regions; s++) {
		double to = follows[(size_t)r * finder->regions + s], from = follows[(size_t)s * finder->regions + r];
		for (unsigned k = 0; s != r && (to > 0 || from > 0) && k < n; k++)
			for (unsigned p = 0; p < n; p++) {
				unsigned there = seat[(size_t)s * n + k];
				finder->pull[(size_t)k * n + p] +=
					to * pay(finder, r, s, k, p, there) + from * pay(finder, s, r, k, there, p);
			}
	}
}

#define STARTS_MOST 24
#define IMPROVED 3

struct start {
	double price;
	unsigned number;
	unsigned *seat;
};

static int
by_price(const void *a, const void *b)
{
	const struct start *x = a, *y = b;
	return x->price < y->price ? -1 : x->price > y->price ? 1 : x->number < y->number ? -1 : 1;
}

static void
add_start(const struct finder *finder, const struct fg_seek *seek, struct start *starts, unsigned *n)
{
	struct start *start = &starts[*n];
	start->number = (*n)++;
	start->seat = fg_room(finder->n, sizeof *start->seat);
	memcpy(start->seat, finder->try, finder->n * sizeof *start->seat);
	start->price = fg_seek_price(seek, start->seat);
}

/* The cheapest seating for one graph. The cheapest starts are improved. Of equal ones the first counts. */
static double
find_one(const struct finder *finder, const struct fg_graph *graph, unsigned *best)
{
	const struct fg_seating_ask *ask = finder->ask;
	const double *weights[] = {graph->lines, graph->rwm, graph->sm};
	struct fg_seek seek = {ask->seats, graph->lines, NULL};
	struct start starts[STARTS_MOST];
	unsigned n = 0;
	double least = -1;
	for (unsigned i = 0; i < ask->n_starts && n < STARTS_MOST - 6; i++)
		if (fg_seats_of(ask->seats, ask->starts[i], finder->try))
			add_start(finder, &seek, starts, &n);
	for (unsigned i = 0; i < 6; i++) {
		(i % 2 ? fg_start_lpgp : fg_start_gplp)(ask->seats, weights[i / 2], finder->try, i < 2);
		add_start(finder, &seek, starts, &n);
	}
	qsort(starts, n, sizeof *starts, by_price);
	for (unsigned i = 0; i < n; i++) {
		double price = i < IMPROVED ? fg_seek_improve(&seek, starts[i].seat, 0) : starts[i].price;
		if (least < 0 || price < least * (1 - 1e-9)) {
			least = price;
			memcpy(best, starts[i].seat, finder->n * sizeof *best);
		}
		free(starts[i].seat);
	}
	return fg_seek_improve(&seek, best, fg_seek_steps(finder->n));
}

static bool
change(struct finder *finder, unsigned *seat, unsigned r)
{
	unsigned n = finder->n, *own = seat + (size_t)r * n;
	double before = part_of(finder, seat, r, own), least = before;
	unsigned *best = fg_room(n, sizeof *best);
	for (unsigned s = 0; s < finder->regions; s++) {
		double price = part_of(finder, seat, r, seat + (size_t)s * n);
		if (price < least) {
			least = price;
			memcpy(best, seat + (size_t)s * n, n * sizeof *best);
		}
	}
	if (finder->ask->hot[r]) {
		struct fg_seek seek = {finder->ask->seats, finder->ask->graphs[r].lines, finder->pull};
		set_pull(finder, seat, r);
		memcpy(finder->try, own, n * sizeof *own);
		double price = fg_seek_improve(&seek, finder->try, fg_seek_steps(n) / 8);
		if (price < least) {
			least = price;
			memcpy(best, finder->try, n * sizeof *best);
		}
	}
	bool better = least < before * (1 - 1e-9) && before > 0;
	if (better)
		memcpy(own, best, n * sizeof *own);
	free(best);
	return better;
}

static double
descend(struct finder *finder, unsigned *seat)
{
	bool better = true;
	for (unsigned round = 0; round < ROUNDS && better; round++) {
		better = false;
		for (unsigned r = 0; r < finder->regions; r++)
			better |= change(finder, seat, r);
	}
	return price_of(finder, seat);
}

static void
tell(const struct finder *finder, const unsigned *seat, size_t count, uint16_t *pu)
{
	for (size_t i = 0; i < count; i++)
		pu[i] = finder->ask->seats->pu[seat[i]];
}

static void
find_by_region(struct finder *finder, const unsigned *fixed, struct fg_seating *seating)
{
	unsigned n = finder->n, regions = finder->regions;
	size_t all = (size_t)regions * n;
	unsigned *seat = fg_room(all, sizeof *seat), *other = fg_room(all, sizeof *other),
		 *own = fg_room(n, sizeof *own);
	for (unsigned r = 0; r < regions; r++) {
		memcpy(seat + (size_t)r * n, fixed, n * sizeof *fixed);
		memcpy(other + (size_t)r * n, fixed, n * sizeof *fixed);
		if (!finder->ask->hot[r])
			continue;
		struct fg_seek seek = {finder->ask->seats, finder->ask->graphs[r].lines, NULL};
		if (find_one(finder, &finder->ask->graphs[r], own) < fg_seek_price(&seek, fixed) * (1 - 1e-9))
			memcpy(other + (size_t)r * n, own, n * sizeof *own);
	}
	double price = descend(finder, seat), apart = descend(finder, other);
	if (apart < price) {
		memcpy(seat, other, all * sizeof *seat);
		price = apart;
	}
	if (price >= (1 - finder->ask->worth) * seating->fixed_price) {
		for (unsigned r = 0; r < regions; r++)
			memcpy(seat + (size_t)r * n, fixed, n * sizeof *fixed);
		price = seating->fixed_price;
	} else
		seating->moves = true;
	seating->by_region_price = price;
	tell(finder, seat, all, seating->by_region);
	free(seat);
	free(other);
	free(own);
}

static struct finder
begin(const struct fg_seating_ask *ask)
{
	struct finder finder = {.ask = ask, .n = ask->seats->n, .regions = ask->regions};
	fg_graph_add_up(ask->graphs, ask->regions, finder.n, &finder.sum);
	finder.pull = fg_room((size_t)finder.n * finder.n, sizeof *finder.pull);
	finder.try = fg_room(finder.n, sizeof *finder.try);
	return finder;
}

static void
end(struct finder *finder)
{
	fg_graph_free(&finder->sum);
	free(finder->pull);
	free(finder->try);
}

void
fg_seating_find(const struct fg_seating_ask *ask, struct fg_seating *seating)
{
	struct finder finder = begin(ask);
	unsigned n = finder.n, *fixed = fg_room(n, sizeof *fixed);
	*seating = (struct fg_seating){.fixed = fg_room(n, sizeof *seating->fixed),
				       .by_region = fg_room((size_t)n * ask->regions, sizeof *seating->by_region)};
	seating->fixed_price = find_one(&finder, &finder.sum, fixed);
	tell(&finder, fixed, n, seating->fixed);
	find_by_region(&finder, fixed, seating);
	free(fixed);
	end(&finder);
}

double
fg_seating_price(const struct fg_seating_ask *ask, const uint16_t *pu)
{
	struct finder finder = begin(ask);
	unsigned *seat = fg_room((size_t)finder.n * ask->regions, sizeof *seat);
	double price = 0;
	for (unsigned r = 0; r < ask->regions; r++)
		fg_seats_of(ask->seats, pu + (size_t)r * finder.n, seat + (size_t)r * finder.n);
	price = price_of(&finder, seat);
	free(seat);
	end(&finder);
	return price;
}

void
fg_seating_free(struct fg_seating *seating)
{
	free(seating->fixed);
	free(seating->by_region);
	*seating = (struct fg_seating){0};
}
