/* Room (floor: sched): see room.h. All that it reads are hints: a PU that was taken for free gets a thread too many,
 * which a thief or a redistribution takes away. */
#include "sched/room.h"

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

/* The threads of the bubble around that may want PUs soon, the caller among them: they have met no region, or its bubble
 * was not dealt yet. */
static unsigned
pending(struct fg_bubble *bubble, struct fg_runqueue *top)
{
	unsigned n = 0;
	const struct fg_bubble *around = fgomp_entity_parent(fgomp_bubble_entity(bubble));
	for (unsigned k = 0; around && k < fgomp_bubble_size(around); k++)
		n += works(around, k, top);
	for (struct fg_bubble *one = around ? fgomp_tree_first(around) : NULL; one; one = fgomp_tree_next(one))
		n -= n && one != bubble && was_dealt(one) && works(one, 0, top);
	return n ? n : 1;
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

/* The tree is locked. Returns the innermost level above the PUs; the leaf: there is none. */
static struct fg_runqueue *
find(const struct look *look, const void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fg_runqueue *top = top_of(self, leaf);
	unsigned end = fgomp_queue_first_pu(top) + fgomp_queue_n_pus(top), n = find_free(look, top, leaf);
	unsigned sharers = pending(bubble, top), share = n > sharers ? n / sharers : n > 0, mine = 0;
	unsigned others = fgomp_entity_threads(fgomp_bubble_entity(bubble));
	for (unsigned pu = fgomp_queue_first_pu(top); pu < end; pu++)
		mine += look->open[pu] == FREE && is_mine(look, pu);
	share = mine > share ? mine : share;
	struct fg_runqueue *level = choose_from(look, self, leaf, share < others ? share : others);
	for (unsigned pu = 0; pu < end; pu++)
		look->open[pu] = look->open[pu] == CHOSEN;
	look->open[fgomp_queue_first_pu(leaf)] = 1;
	return level;
}

/* Two teams that begin at the same time find different PUs, because the tree is locked. */
struct fg_room
fg_room_find(struct fg_room_owners *owners, const void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fg_runqueue *top = top_of(self, leaf);
	struct look look = {owners, all_busy(top), depth_of(bubble) << 16 | (fgomp_queue_first_pu(leaf) + 1)};
	struct fg_runqueue *level = leaf;
	if (look.open && find_free(&look, top, leaf)) {
		fgomp_tree_lock();
		level = find(&look, self, bubble, leaf);
		fgomp_tree_unlock();
	}
	if (level != leaf)
		return (struct fg_room){level, look.open};
	fgomp_memory_free(look.open);
	return (struct fg_room){0};
}
