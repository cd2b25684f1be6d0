/* Dealing (floor: sched); see deal.h. */
#include "sched/deal.h"

#include <stdlib.h>

static double
weight(const struct fg_deal *deal, const struct fg_entity *entity)
{
	return deal->by_load ? fgomp_entity_load(entity) : (double)fgomp_entity_threads(entity);
}

static bool
all_alike(const struct fg_deal *deal)
{
	for (unsigned i = 1; i < deal->n; i++)
		if (weight(deal, deal->entity[i]) != weight(deal, deal->entity[0]))
			return false;
	return true;
}

static bool
lies_below(struct fg_runqueue *child, const struct fg_runqueue *leaf)
{
	return leaf && fgomp_queue_first_pu(leaf) - fgomp_queue_first_pu(child) < fgomp_queue_n_pus(child);
}

/* Rounded up: what is left over goes to the first. */
static unsigned
share(unsigned entities, unsigned pus, unsigned all_pus)
{
	return (unsigned)(((unsigned long)entities * pus + all_pus - 1) / all_pus);
}

/* Those that go where they ran last leave room for the others elsewhere. */
static void
deal_in_order(const struct fg_deal *deal, unsigned *child)
{
	unsigned n_children = fgomp_queue_n_children(deal->level), pus = fgomp_queue_n_pus(deal->level);
	unsigned all = deal->n + (deal->taken != NULL), seen = 0, given = 0, i = 0;
	for (unsigned c = 0; c < n_children; c++) {
		struct fg_runqueue *queue = fgomp_queue_child(deal->level, c);
		given += lies_below(queue, deal->taken);
		seen += fgomp_queue_n_pus(queue);
		for (unsigned until = share(all, seen, pus); given < until && i < deal->n; given++)
			child[i++] = c;
	}
}

struct heavy {
	struct fg_entity *entity;
	double weight;
	unsigned place; /* order among equals */
};

static int
heavier(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->place < y->place ? -1 : 1;
}

static bool
sort(struct fg_deal *deal)
{
	struct heavy *heavy = malloc(deal->n * sizeof *heavy);
	if (!heavy)
		return false;
	for (unsigned i = 0; i < deal->n; i++)
		heavy[i] = (struct heavy){deal->entity[i], weight(deal, deal->entity[i]), i};
	qsort(heavy, deal->n, sizeof *heavy, heavier);
	for (unsigned i = 0; i < deal->n; i++)
		deal->entity[i] = heavy[i].entity;
	free(heavy);
	return true;
}

struct fill {
	double filled;
	unsigned pus;
};

static unsigned
least_filled(const struct fill *fill, unsigned n)
{
	unsigned least = 0;
	for (unsigned c = 1; c < n; c++)
		if (fill[c].filled * fill[least].pus < fill[least].filled * fill[c].pus)
			least = c;
	return least;
}

/* The child where it ran last, if that is not full; n_children: none. */
static unsigned
last_child(const struct fg_deal *deal, const struct fg_entity *entity, const struct fill *fill, double full)
{
	unsigned n = fgomp_queue_n_children(deal->level), c = 0;
	int pu = fgomp_entity_last_pu(entity);
	while (pu >= 0 && c < n) {
		struct fg_runqueue *queue = fgomp_queue_child(deal->level, c);
		if ((unsigned)pu - fgomp_queue_first_pu(queue) < fgomp_queue_n_pus(queue))
			return fill[c].filled + weight(deal, entity) <= full * fill[c].pus * (1 + 1e-9) ? c : n;
		c++;
	}
	return n;
}

static void
deal_by_weight(const struct fg_deal *deal, unsigned *child, struct fill *fill)
{
	unsigned n_children = fgomp_queue_n_children(deal->level);
	double all = 0, mean = 0;
	for (unsigned i = 0; i < deal->n; i++)
		all += weight(deal, deal->entity[i]);
	mean = all / deal->n;
	for (unsigned c = 0; c < n_children; c++) {
		struct fg_runqueue *queue = fgomp_queue_child(deal->level, c);
		fill[c] = (struct fill){lies_below(queue, deal->taken) ? mean : 0, fgomp_queue_n_pus(queue)};
	}
	double full = (all + (deal->taken ? mean : 0)) / fgomp_queue_n_pus(deal->level);
	for (unsigned i = 0; i < deal->n; i++) {
		unsigned c = deal->by_load ? last_child(deal, deal->entity[i], fill, full) : n_children;
		if (c == n_children)
			c = least_filled(fill, n_children);
		fill[c].filled += weight(deal, deal->entity[i]);
		child[i] = c;
	}
}

void
fg_deal(struct fg_deal *deal, unsigned *child)
{
	struct fill *fill = NULL;
	if (!all_alike(deal) && sort(deal))
		fill = malloc(fgomp_queue_n_children(deal->level) * sizeof *fill);
	if (fill)
		deal_by_weight(deal, child, fill);
	else
		deal_in_order(deal, child);
	free(fill);
}

/* The newest is found first. */
void
fg_deal_put(struct fg_deal *deal)
{
	for (unsigned i = deal->n; i-- > 0;)
		fgomp_put(deal->entity[i], deal->level);
	deal->n = 0;
}

bool
fg_deal_burst(struct fg_deal *deal, unsigned i)
{
	struct fg_bubble *bubble = fgomp_entity_bubble(deal->entity[i]);
	unsigned n = fgomp_bubble_burst(bubble, deal->entity + deal->n);
	if (n == 0)
		return false;
	deal->n += n - 1;
	for (unsigned k = i; k < deal->n; k++)
		deal->entity[k] = deal->entity[k + 1];
	return true;
}

unsigned
fg_deal_room(const struct fg_deal *deal)
{
	unsigned n = 0;
	for (unsigned i = 0; i < deal->n; i++)
		n += fgomp_entity_all(deal->entity[i]);
	return n;
}

void
fg_deal_range(struct fg_deal *deal)
{
	if (deal->n == 1 && !deal->taken && !fgomp_entity_bubble(deal->entity[0]) && !fgomp_entity_range(deal->entity[0]))
		fgomp_entity_set_range(deal->entity[0], deal->level);
}

static void
child_go_on(const struct fg_deal *deal, const unsigned *child, unsigned c, void (*below)(struct fg_deal *deal))
{
	struct fg_runqueue *queue = fgomp_queue_child(deal->level, c);
	struct fg_deal part = {.level = queue, .by_load = deal->by_load, .taken = lies_below(queue, deal->taken) ? deal->taken : NULL};
	unsigned rooms = 0;
	for (unsigned i = 0; i < deal->n; i++)
		if (child[i] == c) {
			part.n++;
			rooms += fgomp_entity_all(deal->entity[i]);
		}
	if (part.n == 0)
		return;
	part.entity = malloc(rooms * sizeof *part.entity);
	unsigned n = 0;
	for (unsigned i = 0; i < deal->n; i++)
		if (child[i] == c) {
			if (part.entity)
				part.entity[n++] = deal->entity[i];
			else
				fgomp_put(deal->entity[i], queue);
		}
	if (part.entity)
		below(&part);
	free(part.entity);
}

void
fg_deal_down(struct fg_deal *deal, void (*below)(struct fg_deal *deal))
{
	unsigned *child = malloc(deal->n * sizeof *child);
	if (!child) {
		fg_deal_put(deal);
		return;
	}
	fg_deal(deal, child);
	for (unsigned c = 0; c < fgomp_queue_n_children(deal->level); c++)
		child_go_on(deal, child, c, below);
	free(child);
}

void
fg_deal_team(struct fg_bubble *team, struct fg_runqueue *top, bool by_load, void (*below)(struct fg_deal *deal))
{
	struct fg_deal deal = {.level = top, .by_load = by_load};
	deal.entity = malloc(fgomp_bubble_entities(team) * sizeof *deal.entity);
	deal.n = deal.entity ? fgomp_bubble_burst(team, deal.entity) : 0;
	if (deal.n)
		below(&deal);
	free(deal.entity);
}
