/* Rearranging (floor: sched): see rearrange.h.
 *
 * The threads that are there are items, and so are bubbles. Each PU should have its share of the threads: all threads /
 * all PUs, rounded up. Going down the machine, each child has room for its share. A bubble goes whole to a child with
 * room for it. If there is none, the policy says which bubble is burst. The members of a burst
 * bubble go to as few children as have room for them, first to those where most of them are already.
 *
 * Threads that cannot be sent are counted where they are: members of flat teams. One that waits for its team, while its
 * PU is idle, is not counted at all. */
#include "sched/rearrange.h"

#include "sched/decision.h"
#include "sched/live_tree.h"

#define NOWHERE (~0u)
#define PLENTY 16 /* with more members than this for each PU, thieves find enough, and a plan would take long */
#define MOVES 3	  /* threads that move for each PU that gets its first one, at most */

struct plan {
	const void *self;
	bool (*first)(const struct fg_live_item *a, const struct fg_live_item *b);
	struct fg_runqueue *top;
	unsigned n_pus;		     /* of the machine */
	unsigned *fixed;	     /* [pu]: threads there that cannot be sent */
	struct fg_live_item *target; /* threads, and the PUs where they should be */
	unsigned n;
	unsigned room; /* the members of all live bubbles: no more items can come */
};

/* ---- What is there ---- */

static unsigned
pu_of(const struct plan *plan, const struct fg_entity *thread)
{
	const struct fg_runqueue *level = fgomp_thread_level(thread);
	int last = fgomp_entity_last_pu(thread);
	if (level && (fgomp_queue_n_pus(level) == 1 || last < 0 ||
		      (unsigned)last - fgomp_queue_first_pu(level) >= fgomp_queue_n_pus(level)))
		return fgomp_queue_first_pu(level);
	return last >= 0 && (unsigned)last < plan->n_pus ? (unsigned)last : 0;
}

/* The bubble of the region that the thread has met as a member of `bubble`. */
static const struct fg_bubble *
met_by(const struct fg_bubble *bubble, const struct fg_entity *thread)
{
	const struct fg_bubble *in = fgomp_tree_first(bubble);
	while (in && fgomp_bubble_thread(in, 0) != thread)
		in = fgomp_tree_next(in);
	return in;
}

static unsigned
weight_of(const struct fg_bubble *bubble)
{
	unsigned weight = 0;
	for (unsigned k = 1; bubble && k < fgomp_bubble_size(bubble); k++)
		weight += fgomp_bubble_thread(bubble, k) != NULL;
	for (const struct fg_bubble *in = bubble ? fgomp_tree_first(bubble) : NULL; in; in = fgomp_tree_next(in))
		weight += weight_of(in);
	return weight;
}

/* The items in the bubble, in the order of its members; returns how many. Threads that cannot be sent are left out,
 * unless they have met a region: such an item is that region's bubble. Members may begin and end meanwhile. */
static unsigned
open_up(const struct plan *plan, const struct fg_bubble *bubble, struct fg_live_item *items)
{
	unsigned n = 0;
	for (unsigned k = 0; k < fgomp_bubble_size(bubble); k++) {
		struct fg_entity *thread = fgomp_bubble_thread(bubble, k);
		const struct fg_bubble *met = thread ? met_by(bubble, thread) : NULL;
		bool moves = thread && fgomp_thread_may_move(thread);
		if (met || moves)
			items[n++] =
				(struct fg_live_item){met, thread, bubble, weight_of(met) + moves, pu_of(plan, thread)};
	}
	return n;
}

/* ---- Which child ---- */

struct child {
	struct fg_runqueue *queue;
	unsigned first, end; /* PUs */
	unsigned room;	     /* threads that it may still get */
};

static unsigned
fixed_in(const struct plan *plan, unsigned first, unsigned end)
{
	unsigned n = 0;
	for (unsigned pu = first; pu < end; pu++)
		n += plan->fixed[pu];
	return n;
}

/* The shares are those of all threads at the level, these and the fixed ones. */
static void
children_begin(const struct plan *plan, struct fg_runqueue *level, struct child *child, unsigned threads)
{
	unsigned first = fgomp_queue_first_pu(level), pus = fgomp_queue_usable_pus(level);
	unsigned all = threads + fixed_in(plan, first, first + fgomp_queue_n_pus(level));
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++) {
		struct fg_runqueue *queue = fgomp_queue_child(level, c);
		unsigned at = fgomp_queue_first_pu(queue), end = at + fgomp_queue_n_pus(queue);
		unsigned usable = fgomp_queue_usable_pus(queue), fixed = fixed_in(plan, at, end);
		unsigned share = (all * usable + pus - 1) / (pus ? pus : 1);
		child[c] = (struct child){queue, at, end, share > fixed ? share - fixed : 0};
	}
}

static bool
is_in(const struct child *child, unsigned pu)
{
	return pu - child->first < child->end - child->first;
}

/* Of `wanted` threads, as many as have room: where it is now, else in the best fit. NOWHERE: none has any. */
static unsigned
child_for(const struct child *child, unsigned n, unsigned wanted, const unsigned *there)
{
	unsigned best = NOWHERE;
	for (unsigned c = 0; c < n; c++) {
		unsigned room = child[c].room < wanted ? child[c].room : wanted;
		unsigned most = best == NOWHERE ? 0 : child[best].room < wanted ? child[best].room : wanted;
		bool better = room > most || (room && room == most && there[c] > there[best]) ||
			      (room && room == most && there[c] == there[best] && child[c].room < child[best].room);
		if (better)
			best = c;
	}
	return best;
}

struct deal {
	struct plan *plan;
	struct fg_live_item *item;
	unsigned *to; /* [i]: child of item i, or NOWHERE */
	unsigned n;
	struct child *child;
	unsigned n_children;
	unsigned *there; /* [c]: how many of what is dealt now are there */
};

static unsigned
threads_of(const struct deal *deal)
{
	unsigned threads = 0;
	for (unsigned i = 0; i < deal->n; i++)
		threads += deal->item[i].weight;
	return threads;
}

static void
count_one(const struct deal *deal, unsigned pu)
{
	for (unsigned c = 0; c < deal->n_children; c++)
		deal->there[c] += is_in(&deal->child[c], pu);
}

static void
count_bubble(const struct deal *deal, const struct fg_bubble *bubble)
{
	for (unsigned k = 0; k < fgomp_bubble_size(bubble); k++) {
		const struct fg_entity *thread = fgomp_bubble_thread(bubble, k);
		if (thread)
			count_one(deal, pu_of(deal->plan, thread));
	}
	for (const struct fg_bubble *in = fgomp_tree_first(bubble); in; in = fgomp_tree_next(in))
		count_bubble(deal, in);
}

/* Where the bubble's threads are, or those of the thread's team. */
static void
count_there(const struct deal *deal, const struct fg_live_item *item)
{
	for (unsigned c = 0; c < deal->n_children; c++)
		deal->there[c] = 0;
	if (item->bubble) {
		count_bubble(deal, item->bubble);
		return;
	}
	for (unsigned i = 0; i < deal->n; i++)
		if (!deal->item[i].bubble && deal->item[i].team == item->team)
			count_one(deal, deal->item[i].pu);
}

/* The heaviest bubble that has no child yet; NOWHERE: none. */
static unsigned
heaviest(const struct deal *deal)
{
	unsigned most = NOWHERE;
	for (unsigned i = 0; i < deal->n; i++)
		if (deal->item[i].bubble && deal->to[i] == NOWHERE &&
		    (most == NOWHERE || deal->item[i].weight > deal->item[most].weight))
			most = i;
	return most;
}

/* false: one of the bubbles has no room as a whole. */
static bool
deal_bubbles(struct deal *deal)
{
	for (unsigned i; (i = heaviest(deal)) != NOWHERE;) {
		count_there(deal, &deal->item[i]);
		unsigned c = child_for(deal->child, deal->n_children, deal->item[i].weight, deal->there);
		if (c == NOWHERE || deal->child[c].room < deal->item[i].weight)
			return false;
		deal->to[i] = c;
		deal->child[c].room -= deal->item[i].weight;
	}
	return true;
}

/* Those that are there already stay. */
static unsigned
deal_part(struct deal *deal, const struct fg_bubble *team, unsigned c, unsigned part)
{
	for (int here = 1; here >= 0 && part; here--)
		for (unsigned i = 0; i < deal->n && part; i++) {
			const struct fg_live_item *one = &deal->item[i];
			if (deal->to[i] != NOWHERE || one->bubble || one->team != team ||
			    (here && !is_in(&deal->child[c], one->pu)))
				continue;
			deal->to[i] = c;
			deal->child[c].room--;
			part--;
		}
	return part;
}

static void
deal_family(struct deal *deal, unsigned first)
{
	const struct fg_bubble *team = deal->item[first].team;
	unsigned left = 0;
	for (unsigned i = 0; i < deal->n; i++)
		left += deal->to[i] == NOWHERE && !deal->item[i].bubble && deal->item[i].team == team;
	count_there(deal, &deal->item[first]);
	while (left) {
		unsigned c = child_for(deal->child, deal->n_children, left, deal->there);
		if (c == NOWHERE)
			return;
		unsigned part = deal->child[c].room < left ? deal->child[c].room : left;
		deal_part(deal, team, c, part);
		left -= part;
	}
}

static void distribute(struct plan *plan, struct fg_runqueue *level, const struct fg_live_item *item, unsigned n);

/* ---- Down the machine ---- */

/* The index of the bubble that is burst; NOWHERE: there is none. */
static unsigned
to_burst(const struct deal *deal)
{
	unsigned one = NOWHERE;
	for (unsigned i = 0; i < deal->n; i++)
		if (deal->item[i].bubble && (one == NOWHERE || deal->plan->first(&deal->item[i], &deal->item[one])))
			one = i;
	return one;
}

/* The items in the bubble take its place, so that neighbours stay neighbours. */
static void
burst(struct deal *deal, unsigned i)
{
	const struct fg_bubble *bubble = deal->item[i].bubble;
	struct fg_live_item *in = fgomp_memory_get((fgomp_bubble_size(bubble) + 1) * sizeof *in);
	unsigned n = in ? open_up(deal->plan, bubble, in) : 0;
	if (deal->n + n > deal->plan->room)
		n = 0;
	if (n == 0) {
		deal->item[i] = deal->item[--deal->n];
	} else {
		for (unsigned k = deal->n; k-- > i + 1;)
			deal->item[k + n - 1] = deal->item[k];
		for (unsigned k = 0; k < n; k++)
			deal->item[i + k] = in[k];
		deal->n += n - 1;
	}
	fgomp_memory_free(in);
}

static void
put(struct plan *plan, struct fg_runqueue *leaf, const struct fg_live_item *item, unsigned n)
{
	for (unsigned i = 0; i < n && plan->n < plan->room; i++) {
		plan->target[plan->n] = item[i];
		plan->target[plan->n++].pu = fgomp_queue_first_pu(leaf);
	}
}

static void
deal_down(struct deal *deal, struct fg_runqueue *level)
{
	struct plan *plan = deal->plan;
	for (;;) {
		children_begin(plan, level, deal->child, threads_of(deal));
		for (unsigned i = 0; i < deal->n; i++)
			deal->to[i] = NOWHERE;
		if (deal_bubbles(deal))
			break;
		unsigned one = to_burst(deal);
		burst(deal, one);
	}
	for (unsigned i = 0; i < deal->n; i++)
		if (deal->to[i] == NOWHERE)
			deal_family(deal, i);
	struct fg_live_item *part = fgomp_memory_get((deal->n + 1) * sizeof *part);
	for (unsigned c = 0; part && c < deal->n_children; c++) {
		unsigned n = 0;
		for (unsigned i = 0; i < deal->n; i++)
			if (deal->to[i] == c)
				part[n++] = deal->item[i];
		if (n)
			distribute(plan, deal->child[c].queue, part, n);
	}
	fgomp_memory_free(part);
}

static void
distribute(struct plan *plan, struct fg_runqueue *level, const struct fg_live_item *item, unsigned n)
{
	struct deal deal = {.plan = plan, .n = n, .n_children = fgomp_queue_n_children(level)};
	unsigned room = plan->room;
	deal.item = fgomp_memory_get(room * sizeof *deal.item);
	deal.to = fgomp_memory_get(room * sizeof *deal.to);
	deal.child = fgomp_memory_get((deal.n_children + 1) * sizeof *deal.child);
	deal.there = fgomp_memory_get((deal.n_children + 1) * sizeof *deal.there);
	if (deal.item && deal.to && deal.child && deal.there) {
		for (unsigned i = 0; i < n; i++)
			deal.item[i] = item[i];
		if (deal.n_children)
			deal_down(&deal, level);
		else
			while ((n = to_burst(&deal)) != NOWHERE)
				burst(&deal, n);
		if (!deal.n_children)
			put(plan, level, deal.item, deal.n);
	}
	fgomp_memory_free(deal.item);
	fgomp_memory_free(deal.to);
	fgomp_memory_free(deal.child);
	fgomp_memory_free(deal.there);
}

/* ---- What is gained ---- */

struct figures {
	unsigned fullest, empty; /* threads on the fullest PU; PUs without any */
};

static struct figures
figures_of(const struct plan *plan, bool now, unsigned *on)
{
	struct figures figures = {0};
	for (unsigned pu = 0; pu < plan->n_pus; pu++)
		on[pu] = plan->fixed[pu];
	for (unsigned i = 0; i < plan->n; i++)
		on[now ? pu_of(plan, plan->target[i].thread) : plan->target[i].pu]++;
	for (unsigned pu = 0; pu < plan->n_pus; pu++) {
		figures.fullest = on[pu] > figures.fullest ? on[pu] : figures.fullest;
		figures.empty += on[pu] == 0;
	}
	return figures;
}

static unsigned
moves_of(const struct plan *plan)
{
	unsigned moves = 0;
	for (unsigned i = 0; i < plan->n; i++)
		moves += pu_of(plan, plan->target[i].thread) != plan->target[i].pu;
	return moves;
}

/* Where some PUs have more threads than others, but each has one, thieves do as well. They also fill a few PUs better
 * than a plan that moves half of the machine's threads for it. */
static bool
is_worth_it(const struct plan *plan, unsigned *on)
{
	struct figures now = figures_of(plan, true, on), then = figures_of(plan, false, on);
	return then.empty < now.empty && then.fullest <= now.fullest &&
	       moves_of(plan) <= MOVES * (now.empty - then.empty);
}

static bool
send(const struct plan *plan)
{
	bool some = false;
	for (unsigned i = 0; i < plan->n; i++) {
		const struct fg_live_item *one = &plan->target[i];
		if (pu_of(plan, one->thread) != one->pu && fgomp_thread_may_move(one->thread))
			some |= fg_live_tree_send(one->thread, fgomp_queue_of_pu(plan->top, one->pu));
	}
	return some;
}

/* ---- All together ---- */

static unsigned
count_members(struct plan *plan, const struct fg_bubble *above)
{
	unsigned n = 0;
	for (const struct fg_bubble *one = fgomp_tree_first(above); one; one = fgomp_tree_next(one)) {
		for (unsigned k = above ? 1 : 0; plan->fixed && k < fgomp_bubble_size(one); k++) {
			const struct fg_entity *thread = fgomp_bubble_thread(one, k);
			if (!thread || fgomp_thread_may_move(thread))
				continue;
			unsigned pu = pu_of(plan, thread);
			plan->fixed[pu] +=
				met_by(one, thread) || !fgomp_queue_idle_pus(fgomp_queue_of_pu(plan->top, pu));
		}
		n += fgomp_bubble_size(one) + count_members(plan, one);
	}
	return n;
}

static bool
rearrange(struct plan *plan, unsigned *on)
{
	for (unsigned pu = 0; pu < plan->n_pus; pu++)
		plan->fixed[pu] = 0;
	plan->room = count_members(plan, NULL);
	if (plan->room > plan->n_pus * PLENTY)
		return false;
	struct fg_live_item *item = fgomp_memory_get((plan->room + 1) * sizeof *item);
	plan->target = fgomp_memory_get((plan->room + 1) * sizeof *plan->target);
	unsigned n = 0;
	for (const struct fg_bubble *one = fgomp_tree_first(NULL); item && one; one = fgomp_tree_next(one))
		n += open_up(plan, one, item + n);
	if (item && plan->target)
		distribute(plan, plan->top, item, n);
	fgomp_memory_free(item);
	if (plan->n == 0)
		return false;
	return is_worth_it(plan, on) && send(plan);
}

/* A policy that looks after a part of the machine leaves it to the one around it. */
bool
fg_rearrange(const void *self, struct fg_runqueue *level,
	     bool (*first)(const struct fg_live_item *a, const struct fg_live_item *b))
{
	struct fg_runqueue *top = level;
	for (struct fg_runqueue *up; (up = fgomp_queue_above(self, top));)
		top = up;
	if (fgomp_queue_parent(top))
		return false;
	struct plan plan = {.self = self, .first = first, .top = top, .n_pus = fgomp_queue_n_pus(top)};
	plan.fixed = fgomp_memory_get(plan.n_pus * sizeof *plan.fixed);
	unsigned *on = fgomp_memory_get(plan.n_pus * sizeof *on);
	fgomp_tree_lock();
	bool moved = plan.fixed && on && rearrange(&plan, on);
	fgomp_tree_unlock();
	fgomp_memory_free(plan.target);
	fgomp_memory_free(plan.fixed);
	fgomp_memory_free(on);
	return moved;
}
