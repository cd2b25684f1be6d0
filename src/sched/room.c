/* Room (floor: sched): see room.h. All that it reads are hints: a PU that was taken for free gets a thread too many,
 * which a thief or a redistribution takes away. */
#include "sched/room.h"

#include "forest/runqueue.h"
#include "sched/decision.h"

enum { BUSY, CHOSEN, FREE };

struct look {
	struct fg_room_owners *owners;
	unsigned char *open; /* [pu] */
	unsigned mine;	     /* as in owners */
};

static struct fg_runqueue *
top_of(const void *self, struct fg_runqueue *leaf)
{
	struct fg_runqueue *top = leaf;
	for (struct fg_runqueue *up; (up = fgomp_queue_above(self, top));)
		top = up;
	return top;
}

static unsigned
free_in(const struct look *look, struct fg_runqueue *level)
{
	unsigned first = fgomp_queue_first_pu(level), n = 0;
	for (unsigned pu = first; pu < first + fgomp_queue_n_pus(level); pu++)
		n += look->open[pu] == FREE;
	return n;
}

static bool
is_mine(const struct look *look, unsigned pu)
{
	return pu < FG_ROOM_PUS && fg_load_relaxed(&look->owners->of[pu]) == look->mine;
}

static unsigned
find_free(const struct look *look, struct fg_runqueue *top, const struct fg_runqueue *leaf)
{
	unsigned first = fgomp_queue_first_pu(top), n = 0;
	for (unsigned pu = first; pu < first + fgomp_queue_n_pus(top); pu++) {
		struct fg_runqueue *queue = fgomp_queue_of_pu(top, pu);
		bool left = is_mine(look, pu) && fgomp_queue_count(queue) == 0;
		bool is_free = queue != leaf && (left || fgomp_queue_idle_pus(queue)) && fgomp_queue_usable_pus(queue);
		look->open[pu] = is_free ? FREE : BUSY;
		n += is_free;
	}
	return n;
}

/* The member computes, or it will begin. One that waits while its PU is idle waits for its team. */
static bool
works(const struct fg_bubble *bubble, unsigned number, struct fg_runqueue *top)
{
	const struct fg_entity *thread = fgomp_bubble_thread(bubble, number);
	int pu;
	if (!thread)
		return !fgomp_bubble_member_over(bubble, number);
	return fgomp_thread_state(thread, &pu) == FGOMP_RUNNING &&
	       !fgomp_queue_idle_pus(fgomp_queue_of_pu(top, (unsigned)pu));
}

/* A bubble is in the tree before a policy is asked about it. */
static bool
was_dealt(struct fg_bubble *bubble)
{
	return fgomp_bubble_entities(bubble) + 1 < fgomp_bubble_size(bubble) ||
	       fgomp_entity_holder(fgomp_bubble_entity(bubble));
}

/* Of the members of the bubble around: those that may want PUs soon, the caller among them, because they have met no
 * region, or its bubble was not dealt yet; and these with those that have teams already. */
struct sharers {
	unsigned pending, all;
};

static struct sharers
sharers_of(struct fg_bubble *bubble, struct fg_runqueue *top)
{
	unsigned pending = 0, dealt = 0;
	const struct fg_bubble *around = fgomp_entity_parent(fgomp_bubble_entity(bubble));
	for (unsigned k = 0; around && k < fgomp_bubble_size(around); k++)
		pending += works(around, k, top);
	for (struct fg_bubble *one = around ? fgomp_tree_first(around) : NULL; one; one = fgomp_tree_next(one)) {
		if (one == bubble || !was_dealt(one))
			continue;
		dealt++;
		pending -= pending && works(one, 0, top);
	}
	pending = pending ? pending : 1;
	return (struct sharers){pending, pending + dealt};
}

/* How many PUs the team gets besides its own: one for each other member, or none. Where members have to share PUs,
 * thieves would move them while the next teams look for room, and the teams that come last would find none. */
static unsigned
share_of(const struct look *look, struct fg_bubble *bubble, struct fg_runqueue *top, unsigned n)
{
	struct sharers sharers = sharers_of(bubble, top);
	unsigned others = fgomp_entity_threads(fgomp_bubble_entity(bubble)), mine = 0;
	unsigned share = n > sharers.pending ? n / sharers.pending : n > 0;
	for (unsigned i = 0, pu = fgomp_queue_first_pu(top); i < fgomp_queue_n_pus(top); i++, pu++)
		mine += look->open[pu] == FREE && is_mine(look, pu);
	share = mine > share ? mine : share;
	return share < others || fgomp_queue_usable_pus(top) < (others + 1) * sharers.all ? 0 : others;
}

static void
choose_leaf(const struct look *look, struct fg_runqueue *leaf)
{
	unsigned pu = fgomp_queue_first_pu(leaf);
	look->open[pu] = CHOSEN;
	fgomp_queue_promise(leaf);
	if (pu < FG_ROOM_PUS)
		fg_store_relaxed(&look->owners->of[pu], look->mine);
}

/* Of the levels with enough free PUs the one with the fewest, else the one with the most. */
static struct fg_runqueue *
best_child(const struct look *look, struct fg_runqueue *level, const struct fg_runqueue *except, unsigned wanted)
{
	struct fg_runqueue *best = NULL;
	unsigned most = 0;
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++) {
		struct fg_runqueue *child = fgomp_queue_child(level, c);
		unsigned n = child == except ? 0 : free_in(look, child);
		if (n == 0)
			continue;
		bool better = most >= wanted ? n >= wanted && n < most : n > most;
		if (!best || better) {
			best = child;
			most = n;
		}
	}
	return best;
}

static void
choose(const struct look *look, struct fg_runqueue *level, const struct fg_runqueue *except, unsigned wanted)
{
	if (fgomp_queue_n_children(level) == 0) {
		choose_leaf(look, level);
		return;
	}
	for (struct fg_runqueue *child; wanted && (child = best_child(look, level, except, wanted));) {
		unsigned n = free_in(look, child), part = n < wanted ? n : wanted;
		choose(look, child, NULL, part);
		wanted -= part;
	}
}

/* Level by level upwards, so that the nearest come first. Returns the last level. */
static struct fg_runqueue *
choose_from(const struct look *look, const void *self, struct fg_runqueue *leaf, unsigned wanted)
{
	struct fg_runqueue *level = leaf;
	for (struct fg_runqueue *up; wanted && (up = fgomp_queue_above(self, level)); level = up) {
		unsigned n = free_in(look, up), part = n < wanted ? n : wanted;
		choose(look, up, level, part);
		wanted -= part;
	}
	return level;
}

static unsigned
depth_of(struct fg_bubble *bubble)
{
	unsigned depth = 0;
	for (; bubble; depth++)
		bubble = fgomp_entity_parent(fgomp_bubble_entity(bubble));
	return depth;
}

static unsigned char *
all_busy(struct fg_runqueue *top)
{
	unsigned end = fgomp_queue_first_pu(top) + fgomp_queue_n_pus(top);
	unsigned char *open = fgomp_memory_get(end);
	for (unsigned pu = 0; open && pu < end; pu++)
		open[pu] = BUSY;
	return open;
}

/* From now on look->open[pu] says whether the team may lie there. */
static struct fg_runqueue *
chosen(const struct look *look, struct fg_runqueue *leaf, struct fg_runqueue *level, unsigned end)
{
	for (unsigned pu = 0; pu < end; pu++)
		look->open[pu] = look->open[pu] == CHOSEN;
	look->open[fgomp_queue_first_pu(leaf)] = 1;
	return level;
}

/* The tree is locked. Returns the innermost level above the PUs; the leaf: there is none. */
static struct fg_runqueue *
find(const struct look *look, const void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fg_runqueue *top = top_of(self, leaf);
	unsigned end = fgomp_queue_first_pu(top) + fgomp_queue_n_pus(top), n = find_free(look, top, leaf);
	return chosen(look, leaf, choose_from(look, self, leaf, share_of(look, bubble, top, n)), end);
}

/* It needs no lock. Where most siblings that meet regions at once get none, they must not wait for each other here:
 * each waits longer than its members work. */
static bool
may_fit(struct fg_bubble *bubble, struct fg_runqueue *top)
{
	const struct fg_bubble *around = fgomp_entity_parent(fgomp_bubble_entity(bubble));
	unsigned threads = fgomp_entity_threads(fgomp_bubble_entity(bubble)) + 1;
	return threads * (around ? fgomp_bubble_size(around) : 1) <= fgomp_queue_usable_pus(top);
}

/* The PUs that the thread's last team had are free: a team of this size goes there again, and needs no lock. Otherwise
 * teams that begin at the same time would wait for each other. */
static struct fg_runqueue *
find_again(const struct look *look, const void *self, struct fg_runqueue *leaf, unsigned others)
{
	struct fg_runqueue *top = top_of(self, leaf);
	unsigned end = fgomp_queue_first_pu(top) + fgomp_queue_n_pus(top), mine = 0;
	for (unsigned pu = 0; pu < end; pu++)
		mine += look->open[pu] == FREE && is_mine(look, pu);
	if (mine < others)
		return leaf;
	for (unsigned pu = 0; pu < end; pu++)
		if (!is_mine(look, pu))
			look->open[pu] = BUSY;
	return chosen(look, leaf, choose_from(look, self, leaf, others), end);
}

/* Two teams that begin at the same time find different PUs: the tree is locked, or the PUs are their own. */
struct fg_room
fg_room_find(struct fg_room_owners *owners, const void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fg_runqueue *top = top_of(self, leaf);
	if (!fg_load_relaxed(&fg_runqueue_idlers) || !may_fit(bubble, top))
		return (struct fg_room){0};
	struct look look = {owners, all_busy(top), depth_of(bubble) << 16 | (fgomp_queue_first_pu(leaf) + 1)};
	struct fg_runqueue *level = leaf;
	unsigned others = fgomp_entity_threads(fgomp_bubble_entity(bubble));
	bool fits = look.open && find_free(&look, top, leaf) >= others;
	if (fits)
		level = find_again(&look, self, leaf, others);
	if (fits && level == leaf) {
		fgomp_tree_lock();
		level = find(&look, self, bubble, leaf);
		fgomp_tree_unlock();
	}
	if (level != leaf)
		return (struct fg_room){level, look.open};
	fgomp_memory_free(look.open);
	return (struct fg_room){0};
}
