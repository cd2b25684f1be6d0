/* Dealing (floor: sched); see deal.h. Parts for entities are found in parts.c. */
#include "sched/deal.h"

#include "platform/memory.h"
#include "sched/decision.h"

/* Room for the reasons of n entities. Without it the trace has no reasons. */
static const char **
reasons(unsigned n)
{
	return __builtin_expect(fg_recording.trace, 0) ? fg_memory_zeroed(n * sizeof(const char *)) : NULL;
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
		double one = fg_deal_weight(deal, deal->entity[i]);
		all += one;
		second = one > most ? most : one > second ? one : second;
		if (one > most) {
			most = one;
			found = deal->entity[i];
		}
	}
	double shared = most / fg_deal_pus(deal, deal->level) + second;
	return most * 2 > all && most > shared * (1 + FG_DEAL_SLACK) ? found : NULL;
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
	if (!fg_deal_lies_below(queue, deal->taken))
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
		for (unsigned i = 0; deal->why && i < deal->n; i++)
			deal->why[i] = "no memory to deal it further";
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
