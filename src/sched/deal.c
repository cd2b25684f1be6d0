/* Dealing (floor: sched); see deal.h. */
#include "sched/deal.h"

#include <limits.h>
#include <stdlib.h>

#include "platform/memory.h"
#include "sched/decision.h"

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

/* Room for the reasons of n entities. Without it the trace has no reasons. */
static const char **
reasons(unsigned n)
{
	return __builtin_expect(fg_recording.trace, 0) ? fg_memory_zeroed(n * sizeof(const char *)) : NULL;
}

unsigned
fg_deal_pus(const struct fg_deal *deal, const struct fg_runqueue *level)
{
	unsigned first = fgomp_queue_first_pu(level), n = fgomp_queue_n_pus(level), open = 0;
	for (unsigned pu = first; deal->open && pu < first + n; pu++)
		open += deal->open[pu];
	return deal->open ? open : n;
}

static double
weight(const struct fg_deal *deal, const struct fg_entity *entity)
{
	return deal->by_load ? fgomp_entity_load(entity) : (double)fgomp_entity_threads(entity);
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
	double one = weight(deal, deal->entity[0]);
	for (unsigned i = 1; i < deal->n; i++)
		if (weight(deal, deal->entity[i]) != one)
			return false;
	return !deal->taken || taken_weight(deal) == one;
}

static bool
lies_below(struct fg_runqueue *child, const struct fg_runqueue *leaf)
{
	return leaf && fgomp_queue_first_pu(leaf) - fgomp_queue_first_pu(child) < fgomp_queue_n_pus(child);
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
		unsigned pus = fg_deal_pus(deal, queue), here = lies_below(queue, deal->taken);
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
		given += lies_below(fgomp_queue_child(deal->level, c), deal->taken);
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
		for (double left = fill[c].filled - lies_below(fgomp_queue_child(deal->level, c), deal->taken);
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
		heavy[i] = (struct heavy){deal->entity[i], weight(deal, deal->entity[i]), i};
	sort_heavy(heavy, deal->n);
	for (unsigned i = 0; i < deal->n; i++)
		deal->entity[i] = heavy[i].entity;
	fg_memory_free(heavy);
	return true;
}

/* A part may take this much beyond its share for a thread that ran there last. Loads are seldom known better, and to
 * move costs more. */
#define SLACK 0.02

static void
deal_by_weight(const struct fg_deal *deal, unsigned *child, struct fill *fill)
{
	unsigned n_children = fgomp_queue_n_children(deal->level);
	double all = 0, taken = deal->taken ? taken_weight(deal) : 0;
	for (unsigned i = 0; i < deal->n; i++)
		all += weight(deal, deal->entity[i]);
	fill_begin(deal, fill, taken);
	double full = (all + taken) / fg_deal_pus(deal, deal->level) * (1 + SLACK);
	for (unsigned i = 0; i < deal->n; i++) {
		double one = weight(deal, deal->entity[i]);
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
		double one = weight(deal, deal->entity[i]);
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

/* The last one put is found first. */
void
fg_deal_put(struct fg_deal *deal)
{
	for (unsigned i = deal->n; i-- > 0;) {
		fg_reason(deal->why && deal->why[i] ? deal->why[i] : "its range has one PU");
		fgomp_put(deal->entity[i], deal->level);
	}
	deal->n = 0;
}

bool
fg_deal_burst(struct fg_deal *deal, unsigned i)
{
	struct fg_bubble *bubble = fgomp_entity_bubble(deal->entity[i]);
	unsigned n = fgomp_bubble_burst(bubble, deal->entity + deal->n);
	if (n == 0)
		return false;
	for (unsigned k = 0; deal->why && k < n; k++)
		deal->why[deal->n + k] = NULL;
	deal->n += n - 1;
	for (unsigned k = i; k < deal->n; k++) {
		deal->entity[k] = deal->entity[k + 1];
		if (deal->why)
			deal->why[k] = deal->why[k + 1];
	}
	return true;
}

/* The entity that is more than half of the weight of all, if there is one and a range of its own makes it faster. With
 * the whole level for its teams, each PU does its part of it, and one PU also does the heaviest of the others. With one
 * PU for them, that PU does all of it. */
static struct fg_entity *
most_of_all(const struct fg_deal *deal)
{
	struct fg_entity *found = deal->entity[0];
	double all = 0, most = 0, second = 0;
	for (unsigned i = 0; i < deal->n; i++) {
		double one = weight(deal, deal->entity[i]);
		all += one;
		second = one > most ? most : one > second ? one : second;
		if (one > most) {
			most = one;
			found = deal->entity[i];
		}
	}
	double shared = most / fg_deal_pus(deal, deal->level) + second;
	return most * 2 > all && most > shared * (1 + SLACK) ? found : NULL;
}

void
fg_deal_range(struct fg_deal *deal)
{
	struct fg_entity *one = deal->n == 1 ? deal->entity[0] : deal->one_each ? most_of_all(deal) : NULL;
	if (!one || deal->taken || deal->open || fgomp_entity_bubble(one) || fgomp_entity_range(one))
		return;
	fg_reason(deal->n == 1 ? "alone on this level" : "more than half of the work of this level");
	fgomp_entity_set_range(one, deal->level);
}

/* Another policy distributes them from there. */
static void
put_there(const struct fg_deal *deal, const unsigned *child, unsigned c)
{
	for (unsigned i = 0; i < deal->n; i++) {
		if (child[i] != c)
			continue;
		fg_reason(deal->why && deal->why[i] ? deal->why[i] : "its range has one PU");
		fgomp_put(deal->entity[i], fgomp_queue_child(deal->level, c));
	}
}

static void
child_go_on(const struct fg_deal *deal, const unsigned *child, unsigned c, void (*below)(struct fg_deal *deal))
{
	struct fg_runqueue *queue = fgomp_queue_child(deal->level, c);
	struct fg_deal part = *deal;
	part.level = queue;
	part.n = 0;
	if (!lies_below(queue, deal->taken))
		part.taken = NULL;
	unsigned rooms = 0;
	for (unsigned i = 0; i < deal->n; i++)
		if (child[i] == c) {
			part.n++;
			rooms += fgomp_entity_all(deal->entity[i]);
		}
	if (part.n == 0)
		return;
	if (fgomp_queue_hands_over(deal->self, queue)) {
		put_there(deal, child, c);
		return;
	}
	part.entity = fg_memory_get(rooms * sizeof *part.entity);
	part.why = reasons(rooms);
	unsigned n = 0;
	for (unsigned i = 0; i < deal->n; i++) {
		if (child[i] != c)
			continue;
		if (!part.entity) {
			fg_reason("no memory to deal it further");
			fgomp_put(deal->entity[i], queue);
			continue;
		}
		if (part.why)
			part.why[n] = deal->why ? deal->why[i] : NULL;
		part.entity[n++] = deal->entity[i];
	}
	if (part.entity)
		below(&part);
	fg_memory_free(part.why);
	fg_memory_free(part.entity);
}

void
fg_deal_down(struct fg_deal *deal, void (*below)(struct fg_deal *deal))
{
	unsigned *child = fg_memory_get(deal->n * sizeof *child);
	if (!child) {
		explain_all(deal, "no memory to deal it further");
		fg_deal_put(deal);
		return;
	}
	fg_deal(deal, child);
	for (unsigned c = 0; c < fgomp_queue_n_children(deal->level); c++)
		child_go_on(deal, child, c, below);
	fg_memory_free(child);
}

void
fg_deal_to_pus(struct fg_deal *deal)
{
	fg_deal_range(deal);
	if (fgomp_queue_n_children(deal->level) == 0)
		fg_deal_put(deal);
	else
		fg_deal_down(deal, fg_deal_to_pus);
}

void
fg_deal_bubble(struct fg_deal *deal, struct fg_bubble *bubble, void (*below)(struct fg_deal *deal))
{
	deal->entity = fg_memory_get(fgomp_entity_all(fgomp_bubble_entity(bubble)) * sizeof *deal->entity);
	deal->why = reasons(fgomp_entity_all(fgomp_bubble_entity(bubble)));
	fg_reason("to deal its members");
	deal->n = deal->entity ? fgomp_bubble_burst(bubble, deal->entity) : 0;
	if (deal->n) {
		below(deal);
	} else {
		fg_reason("no memory to burst it");
		fgomp_put(fgomp_bubble_entity(bubble), deal->level);
	}
	fg_memory_free(deal->why);
	fg_memory_free(deal->entity);
}

void
fg_deal_handed(struct fg_deal *deal, const struct fgomp_handed *handed, void (*below)(struct fg_deal *deal))
{
	unsigned rooms = 0;
	for (unsigned i = 0; i < handed->n; i++)
		rooms += fgomp_entity_all(handed->entities[i]);
	deal->level = handed->level;
	deal->taken = handed->leaf;
	deal->entity = fg_memory_get(rooms * sizeof *deal->entity);
	deal->why = reasons(rooms);
	deal->n = deal->entity ? handed->n : 0;
	for (unsigned i = 0; i < handed->n; i++)
		if (deal->entity)
			deal->entity[i] = handed->entities[i];
		else
			fgomp_put(handed->entities[i], handed->level);
	if (deal->n)
		below(deal);
	fg_memory_free(deal->why);
	fg_memory_free(deal->entity);
}
