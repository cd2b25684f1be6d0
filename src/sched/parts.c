/* The part of a level that each entity gets to (floor: sched); see fg_deal in deal.h. Parts are the children. */
#include <limits.h>
#include <stdlib.h>

#include "platform/memory.h"
#include "sched/deal.h"

/* An entity that is alone was sent here for the reason that it has already. */
static void
explain(const struct fg_deal *deal, unsigned i, const char *why)
{
	if (__builtin_expect(deal->why != NULL, 0) && (deal->n > 1 || !deal->why[i]))
		deal->why[i] = why;
}

static void
explain_all(const struct fg_deal *deal, const char *why)
{
	for (unsigned i = 0; deal->why && i < deal->n; i++)
		explain(deal, i, why);
}

unsigned
fg_deal_pus(const struct fg_deal *deal, const struct fg_runqueue *level)
{
	unsigned first = fgomp_queue_first_pu(level), n = fgomp_queue_n_pus(level), open = 0;
	for (unsigned pu = first; deal->open && pu < first + n; pu++)
		open += deal->open[pu];
	return deal->open ? open : n;
}

double
fg_deal_weight(const struct fg_deal *deal, const struct fg_entity *entity)
{
	return deal->by_load ? fgomp_entity_load(entity) : (double)fgomp_entity_threads(entity);
}

bool
fg_deal_lies_below(struct fg_runqueue *child, const struct fg_runqueue *leaf)
{
	return leaf && fgomp_queue_first_pu(leaf) - fgomp_queue_first_pu(child) < fgomp_queue_n_pus(child);
}

/* The weight of the encountering thread. */
static double
taken_weight(const struct fg_deal *deal)
{
	double all = 0;
	unsigned threads = 0;
	if (!deal->by_load || deal->taken_load > 0)
		return deal->by_load ? deal->taken_load : 1;
	for (unsigned i = 0; i < deal->n; i++) {
		all += fgomp_entity_load(deal->entity[i]);
		threads += fgomp_entity_threads(deal->entity[i]);
	}
	return threads ? all / threads : 1;
}

static bool
all_alike(const struct fg_deal *deal)
{
	double one = fg_deal_weight(deal, deal->entity[0]);
	for (unsigned i = 1; i < deal->n; i++)
		if (fg_deal_weight(deal, deal->entity[i]) != one)
			return false;
	return !deal->taken || taken_weight(deal) == one;
}

struct fill {
	double filled;
	unsigned pus;
	unsigned seats;	  /* places left, if each entity gets a PU of its own */
	unsigned threads; /* is_even: that it has */
};

static bool
fills_less(const struct fill *a, const struct fill *b, double weight)
{
	if (!a->seats || !b->seats)
		return a->seats;
	if ((a->filled > 0) != (b->filled > 0))
		return b->filled > 0;
	return (a->filled + weight) * b->pus < (b->filled + weight) * a->pus;
}

static unsigned
least_filled(const struct fill *fill, unsigned n, double weight)
{
	unsigned least = 0;
	for (unsigned c = 1; c < n; c++)
		if (fills_less(&fill[c], &fill[least], weight))
			least = c;
	return least;
}

static void
fill_begin(const struct fg_deal *deal, struct fill *fill, double taken)
{
	for (unsigned c = 0; c < fgomp_queue_n_children(deal->level); c++) {
		struct fg_runqueue *queue = fgomp_queue_child(deal->level, c);
		unsigned pus = fg_deal_pus(deal, queue), here = fg_deal_lies_below(queue, deal->taken);
		fill[c] = (struct fill){.filled = here ? taken : 0,
					.pus = pus,
					.seats = deal->one_each ? pus - here
						 : pus		? UINT_MAX
								: 0,
					.threads = here};
	}
}

static bool
children_equal(const struct fg_deal *deal)
{
	unsigned n = fgomp_queue_n_children(deal->level);
	for (unsigned c = 1; c < n; c++)
		if (fg_deal_pus(deal, fgomp_queue_child(deal->level, c)) !=
		    fg_deal_pus(deal, fgomp_queue_child(deal->level, 0)))
			return false;
	return true;
}

/* The share is rounded up, so the first children get the rest. */
static unsigned
share(unsigned entities, unsigned pus, unsigned all_pus)
{
	return (unsigned)(((unsigned long)entities * pus + all_pus - 1) / all_pus);
}

/* Where there are fewer entities than children, they lie as far apart as possible. */
static void
deal_evenly(const struct fg_deal *deal, unsigned *child)
{
	unsigned n_children = fgomp_queue_n_children(deal->level);
	unsigned all = deal->n + (deal->taken != NULL), given = 0, i = 0;
	explain_all(deal, "an equal share for each part, in order");
	for (unsigned c = 0; c < n_children; c++) {
		given += fg_deal_lies_below(fgomp_queue_child(deal->level, c), deal->taken);
		for (unsigned until = share(all, c + 1, n_children); given < until && i < deal->n; given++)
			child[i++] = c;
	}
}

/* For children of different sizes. */
static void
deal_in_order(const struct fg_deal *deal, unsigned *child, struct fill *fill)
{
	unsigned n_children = fgomp_queue_n_children(deal->level), next = 0;
	explain_all(deal, "a share for each part by its PUs, in order");
	fill_begin(deal, fill, 1);
	for (unsigned i = 0; i < deal->n; i++)
		fill[least_filled(fill, n_children, 1)].filled++;
	for (unsigned c = 0; c < n_children; c++)
		for (double left = fill[c].filled - fg_deal_lies_below(fgomp_queue_child(deal->level, c), deal->taken);
		     left > 0; left--)
			child[next++] = c;
}

/* The child where the entity ran last. The number of children: it did not run here, or the policy does not ask. */
static unsigned
last_child(const struct fg_deal *deal, const struct fg_entity *entity)
{
	unsigned n = fgomp_queue_n_children(deal->level), c = 0;
	int pu = deal->back ? fgomp_entity_last_pu(entity) : -1;
	for (; pu >= 0 && c < n; c++) {
		struct fg_runqueue *queue = fgomp_queue_child(deal->level, c);
		if ((unsigned)pu - fgomp_queue_first_pu(queue) < fgomp_queue_n_pus(queue))
			return c;
	}
	return n;
}

/* Each child keeps as many as it was dealt: first those that ran there, then the others in their order. */
static void
send_back(const struct fg_deal *deal, unsigned *child)
{
	unsigned n = fgomp_queue_n_children(deal->level), next = 0;
	unsigned *left = fg_memory_zeroed(n * sizeof *left);
	if (!left)
		return;
	for (unsigned i = 0; i < deal->n; i++)
		left[child[i]]++;
	for (unsigned i = 0; i < deal->n; i++) {
		child[i] = last_child(deal, deal->entity[i]);
		if (child[i] < n) {
			bool room = left[child[i]] != 0;
			explain(deal, i, room ? "went back where it ran last" : "no room where it ran last");
			left[child[i]] -= room;
			child[i] = room ? child[i] : n;
		}
	}
	for (unsigned i = 0; i < deal->n; i++) {
		if (child[i] < n)
			continue;
		while (left[next] == 0)
			next++;
		left[next]--;
		child[i] = next;
	}
	fg_memory_free(left);
}

struct heavy {
	struct fg_entity *entity;
	double weight;
	unsigned place; /* order among equals */
};

static bool
comes_before(const struct heavy *a, const struct heavy *b)
{
	return a->weight != b->weight ? a->weight > b->weight : a->place < b->place;
}

/* The entry at the top of this part of the heap sinks to its place: above all entries that come before it. */
static void
sink(struct heavy *heap, unsigned top, unsigned n)
{
	struct heavy one = heap[top];
	for (unsigned below; (below = 2 * top + 1) < n; top = below) {
		if (below + 1 < n && comes_before(&heap[below], &heap[below + 1]))
			below++;
		if (!comes_before(&one, &heap[below]))
			break;
		heap[top] = heap[below];
	}
	heap[top] = one;
}

/* The heap sort is written out here, because the C library's qsort may call malloc. */
static void
sort_heavy(struct heavy *heavy, unsigned n)
{
	for (unsigned i = n / 2; i-- > 0;)
		sink(heavy, i, n);
	for (unsigned last = n; last-- > 1;) {
		struct heavy top = heavy[0];
		heavy[0] = heavy[last];
		heavy[last] = top;
		sink(heavy, 0, last);
	}
}

static bool
sort(struct fg_deal *deal)
{
	struct heavy *heavy = fg_memory_get(deal->n * sizeof *heavy);
	if (!heavy)
		return false;
	for (unsigned i = 0; i < deal->n; i++)
		heavy[i] = (struct heavy){deal->entity[i], fg_deal_weight(deal, deal->entity[i]), i};
	sort_heavy(heavy, deal->n);
	for (unsigned i = 0; i < deal->n; i++)
		deal->entity[i] = heavy[i].entity;
	fg_memory_free(heavy);
	return true;
}

static void
deal_by_weight(const struct fg_deal *deal, unsigned *child, struct fill *fill)
{
	unsigned n_children = fgomp_queue_n_children(deal->level);
	double all = 0, taken = deal->taken ? taken_weight(deal) : 0;
	for (unsigned i = 0; i < deal->n; i++)
		all += fg_deal_weight(deal, deal->entity[i]);
	fill_begin(deal, fill, taken);
	double full = (all + taken) / fg_deal_pus(deal, deal->level) * (1 + FG_DEAL_SLACK);
	for (unsigned i = 0; i < deal->n; i++) {
		double one = fg_deal_weight(deal, deal->entity[i]);
		unsigned c = last_child(deal, deal->entity[i]);
		if (c == n_children || !fill[c].seats || fill[c].filled + one > full * fill[c].pus) {
			explain(deal, i,
				c == n_children ? "heaviest first, to the least filled part"
						: "no room where it ran last: the least filled part");
			c = least_filled(fill, n_children, one);
		} else
			explain(deal, i, "went back where it ran last");
		fill[c].filled += one;
		fill[c].seats--;
		child[i] = c;
	}
}

/* The loads of the entities count for nothing. */
static void
deal_by_number(const struct fg_deal *deal, unsigned *child, struct fill *fill)
{
	if (fill && !children_equal(deal))
		deal_in_order(deal, child, fill);
	else
		deal_evenly(deal, child);
	if (deal->back)
		send_back(deal, child);
}

/* A part may have this much more than its share, before loads count. Neighbours stay together so, and all stay where
 * they ran. */
#define EVEN 0.125

/* A part with one thread may have any load: no other deal makes that less. */
static bool
is_even(const struct fg_deal *deal, const unsigned *child, struct fill *fill)
{
	unsigned n = fgomp_queue_n_children(deal->level);
	double taken = deal->taken ? taken_weight(deal) : 0, all = taken;
	fill_begin(deal, fill, taken);
	for (unsigned i = 0; i < deal->n; i++) {
		double one = fg_deal_weight(deal, deal->entity[i]);
		all += one;
		fill[child[i]].filled += one;
		fill[child[i]].threads += fgomp_entity_threads(deal->entity[i]);
	}
	double most = all / fg_deal_pus(deal, deal->level) * (1 + EVEN);
	for (unsigned c = 0; c < n; c++)
		if (fill[c].threads > 1 && fill[c].filled > most * fill[c].pus)
			return false;
	return true;
}

void
fg_deal(struct fg_deal *deal, unsigned *child)
{
	struct fill *fill = fg_memory_get(fgomp_queue_n_children(deal->level) * sizeof *fill);
	bool alike = !fill || all_alike(deal);
	bool done = false;
	if (!alike && deal->rough) {
		deal_by_number(deal, child, fill);
		done = is_even(deal, child, fill);
	}
	if (!done && !alike && sort(deal))
		deal_by_weight(deal, child, fill);
	else if (!done)
		deal_by_number(deal, child, fill);
	fg_memory_free(fill);
}
