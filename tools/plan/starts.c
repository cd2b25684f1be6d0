/* Starts (command): see starts.h. A group is a pair of members or one member. */
#include "plan/starts.h"
#include "plan/chance.h"
#include "plan/room.h"

#include <math.h>
#include <string.h>

#define STEPS_EACH 1500 /* of annealing, for each group */
#define COLD 0.05	/* the last heat, of the first */

struct group {
	unsigned member[2], n;
};

struct dealer {
	const struct fg_seats *seats;
	const double *weights;
	unsigned *seat;
	bool pairs_later; /* GPLP: they are made below the first level that divides the members */
	bool anneals;
};

static double
between(const struct dealer *dealer, const struct group *a, const struct group *b)
{
	double sum = 0;
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			sum += dealer->weights[(size_t)a->member[i] * dealer->seats->n + b->member[k]];
	return sum;
}

/* Where the parts have room for odd numbers, pairs are divided where they must be. */
struct division {
	const struct dealer *dealer;
	struct group *groups;
	unsigned n, n_parts, *part, *room; /* of each group; free seats of each part */
	double *pull;			   /* groups x parts: the weight from a group to those of a part */
	double *weights;		   /* groups x groups, once all have a part; 0 from one to itself */
};

static void
put(struct division *division, unsigned group, unsigned part)
{
	division->part[group] = part;
	division->room[part] -= division->groups[group].n;
	for (unsigned i = 0; i < division->n; i++)
		if (i != group)
			division->pull[i * division->n_parts + part] +=
				between(division->dealer, &division->groups[i], &division->groups[group]);
}

/* The group that a part pulls most, if it has room; the first one of a part: the one that all others pull least. */
static unsigned
next_of(const struct division *division, unsigned part, bool first)
{
	unsigned best = division->n;
	double most = 0;
	for (unsigned i = 0; i < division->n; i++) {
		if (division->part[i] < division->n_parts || division->groups[i].n > division->room[part])
			continue;
		double pull = 0;
		for (unsigned k = 0; k < division->n_parts; k++)
			pull += (k == part) != first ? division->pull[i * division->n_parts + k] : 0;
		pull = first ? -pull : pull;
		if (best == division->n || pull > most) {
			best = i;
			most = pull;
		}
	}
	return best;
}

static void
split_one(struct division *division)
{
	for (unsigned i = 0; i < division->n; i++)
		if (division->part[i] == division->n_parts && division->groups[i].n == 2) {
			division->groups[division->n] = (struct group){{division->groups[i].member[1]}, 1};
			division->groups[i].n = 1;
			for (unsigned part = 0; part < division->n_parts; part++)
				division->pull[i * division->n_parts + part] =
					division->pull[division->n * division->n_parts + part] = 0;
			division->part[division->n++] = division->n_parts;
			for (unsigned k = 0; k < division->n; k++)
				if (division->part[k] < division->n_parts)
					for (unsigned j = 0; j < 2; j++) {
						unsigned half = j ? division->n - 1 : i;
						division->pull[half * division->n_parts + division->part[k]] +=
							between(division->dealer, &division->groups[half],
								&division->groups[k]);
					}
			return;
		}
}

static void
fill(struct division *division)
{
	for (unsigned part = 0; part < division->n_parts; part++)
		for (bool first = true; division->room[part]; first = false) {
			unsigned next = next_of(division, part, first);
			if (next == division->n)
				split_one(division);
			else
				put(division, next, part);
		}
}

/* Two groups of different parts exchange them: what the pulls inside parts gain. */
static double
gain_of(const struct division *division, unsigned i, unsigned k)
{
	const double *of_i = division->pull + (size_t)i * division->n_parts,
		     *of_k = division->pull + (size_t)k * division->n_parts;
	unsigned a = division->part[i], b = division->part[k];
	return of_i[b] - of_i[a] + of_k[a] - of_k[b] - 2 * division->weights[(size_t)i * division->n + k];
}

static bool
may_exchange(const struct division *division, unsigned i, unsigned k)
{
	return division->part[i] != division->part[k] && division->groups[i].n == division->groups[k].n;
}

static void
exchange(struct division *division, unsigned i, unsigned k)
{
	unsigned a = division->part[i], b = division->part[k];
	const double *of_i = division->weights + (size_t)i * division->n,
		     *of_k = division->weights + (size_t)k * division->n;
	for (unsigned m = 0; m < division->n; m++) {
		double change = of_i[m] - of_k[m];
		division->pull[(size_t)m * division->n_parts + a] -= change;
		division->pull[(size_t)m * division->n_parts + b] += change;
	}
	division->part[i] = b;
	division->part[k] = a;
}

/* As in seek.c: exchanges by chance, and fewer and fewer of those that lose. */
static void
anneal(struct division *division)
{
	unsigned n = division->n, steps = STEPS_EACH * n, tried = 0;
	double usual = 0;
	uint64_t state = 1;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n && k < i + 8; k++)
			if (may_exchange(division, i, k)) {
				usual += fabs(gain_of(division, i, k));
				tried++;
			}
	double heat = tried ? usual / tried : 0, cooling = pow(COLD, 1. / steps);
	for (unsigned step = 0; heat > 0 && step < steps; step++, heat *= cooling) {
		unsigned i = fg_chance(&state) % n, k = fg_chance(&state) % n;
		if (may_exchange(division, i, k) && fg_may_lose(-gain_of(division, i, k), heat, &state))
			exchange(division, i, k);
	}
}

static void
improve(struct division *division)
{
	unsigned n = division->n;
	bool better = true;
	division->weights = fg_room((size_t)n * n, sizeof *division->weights);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < n; k++)
			if (i != k)
				division->weights[(size_t)i * n + k] =
					between(division->dealer, &division->groups[i], &division->groups[k]);
	if (division->dealer->anneals)
		anneal(division);
	for (unsigned round = 0; round < 32 && better; round++) {
		better = false;
		for (unsigned i = 0; i < division->n; i++)
			for (unsigned k = i + 1; k < division->n; k++) {
				double pulls = division->pull[i * division->n_parts + division->part[i]] +
					       division->pull[k * division->n_parts + division->part[k]];
				if (!may_exchange(division, i, k) || gain_of(division, i, k) <= 1e-9 * pulls)
					continue;
				exchange(division, i, k);
				better = true;
			}
	}
	free(division->weights);
}

static unsigned
pair_up(const struct dealer *dealer, struct group *groups, unsigned n)
{
	unsigned *members = fg_room(n, sizeof *members), *pairs = fg_room(n, sizeof *pairs);
	for (unsigned i = 0; i < n; i++)
		members[i] = groups[i].member[0];
	fg_match(dealer->weights, dealer->seats->n, members, n, pairs);
	for (unsigned i = 0; i < n; i += 2)
		groups[i / 2] = (struct group){{pairs[i], i + 1 < n ? pairs[i + 1] : 0}, i + 1 < n ? 2 : 1};
	free(members);
	free(pairs);
	return (n + 1) / 2;
}

/* Deals groups over the seats below a level. There is room for twice as many groups. */
static void
deal(const struct dealer *dealer, const struct fg_level *level, struct group *groups, unsigned n, bool paired)
{
	struct fg_span span = fg_seats_below(dealer->seats, level);
	if (span.n == 1 && n) {
		dealer->seat[groups[0].member[0]] = span.first;
		return;
	}
	struct division division = {.dealer = dealer, .groups = groups, .n = n, .n_parts = level->n_children};
	unsigned parts = division.n_parts, used = 0;
	division.room = fg_room(parts, sizeof *division.room);
	for (unsigned i = 0; i < parts; i++) {
		division.room[i] = fg_seats_below(dealer->seats, level->children[i]).n;
		used += division.room[i] > 0;
	}
	bool divides = used > 1;
	if (!paired && !dealer->pairs_later) {
		division.n = pair_up(dealer, groups, n);
		paired = true;
	}
	division.part = fg_room(2 * n, sizeof *division.part);
	division.pull = fg_room(2 * (size_t)n * parts, sizeof *division.pull);
	for (unsigned i = 0; i < 2 * n; i++)
		division.part[i] = parts;
	fill(&division);
	improve(&division);
	struct group *list = fg_room(2 * n, sizeof *list);
	for (unsigned part = 0; part < parts; part++) {
		unsigned count = 0;
		for (unsigned i = 0; i < division.n; i++)
			if (division.part[i] == part)
				list[count++] = groups[i];
		bool now = !paired && divides && count;
		if (now)
			count = pair_up(dealer, list, count);
		if (count)
			deal(dealer, level->children[part], list, count, paired || now);
	}
	free(list);
	free(division.room);
	free(division.part);
	free(division.pull);
}

static void
swap_spans(unsigned *seat, unsigned n, unsigned a, unsigned b, unsigned length)
{
	for (unsigned k = 0; k < n; k++)
		if (seat[k] >= a && seat[k] < a + length)
			seat[k] += b - a;
		else if (seat[k] >= b && seat[k] < b + length)
			seat[k] -= b - a;
}

/* Member 0 goes to the root's seat. Where levels are alike, all members below them go along. */
static void
turn_to_root(const struct fg_seats *seats, unsigned *seat)
{
	const struct fg_level *level = seats->machine->root;
	while (seat[0] != seats->root && level->n_children) {
		struct fg_span with = {0, 0}, root = {0, 0};
		const struct fg_level *next = level;
		for (unsigned i = 0; i < level->n_children; i++) {
			struct fg_span span = fg_seats_below(seats, level->children[i]);
			if (seat[0] >= span.first && seat[0] < span.first + span.n)
				with = span;
			if (seats->root >= span.first && seats->root < span.first + span.n) {
				root = span;
				next = level->children[i];
			}
		}
		if (with.first != root.first && with.n == root.n)
			swap_spans(seat, seats->n, with.first < root.first ? with.first : root.first,
				   with.first < root.first ? root.first : with.first, root.n);
		else if (with.first != root.first)
			swap_spans(seat, seats->n, seat[0] < seats->root ? seat[0] : seats->root,
				   seat[0] < seats->root ? seats->root : seat[0], 1);
		level = next;
	}
}

static void
start(const struct fg_seats *seats, const double *weights, unsigned *seat, bool pairs_later, bool anneals)
{
	struct dealer dealer = {seats, weights, seat, pairs_later, anneals};
	struct group *groups = fg_room(2 * (size_t)seats->n, sizeof *groups);
	for (unsigned k = 0; k < seats->n; k++)
		groups[k] = (struct group){{k}, 1};
	deal(&dealer, seats->machine->root, groups, seats->n, false);
	turn_to_root(seats, seat);
	free(groups);
}

void
fg_start_lpgp(const struct fg_seats *seats, const double *weights, unsigned *seat, bool anneals)
{
	start(seats, weights, seat, false, anneals);
}

void
fg_start_gplp(const struct fg_seats *seats, const double *weights, unsigned *seat, bool anneals)
{
	start(seats, weights, seat, true, anneals);
}
