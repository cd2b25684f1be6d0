/* Turns (floor: sim): see turns.h. Each node has four children, so a heap of 1024 is five levels deep. */
#include "sim/turns.h"

#include <stdlib.h>

#define CHILDREN 4

static bool
is_before(const struct fg_turn *a, const struct fg_turn *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->order != b->order ? a->order < b->order : a->number < b->number;
}

static void
set(struct fg_turns *turns, size_t i, struct fg_turn *turn)
{
	turns->turn[i] = turn;
	turn->at = (uint32_t)i + 1;
}

static void
rise(struct fg_turns *turns, size_t i, struct fg_turn *turn)
{
	for (size_t above; i && is_before(turn, turns->turn[above = (i - 1) / CHILDREN]); i = above)
		set(turns, i, turns->turn[above]);
	set(turns, i, turn);
}

static void
sink(struct fg_turns *turns, size_t i, struct fg_turn *turn)
{
	for (;;) {
		size_t least = CHILDREN * i + 1, end = least + CHILDREN;
		if (least >= turns->n)
			break;
		for (size_t child = least + 1; child < end && child < turns->n; child++)
			if (is_before(turns->turn[child], turns->turn[least]))
				least = child;
		if (!is_before(turns->turn[least], turn))
			break;
		set(turns, i, turns->turn[least]);
		i = least;
	}
	set(turns, i, turn);
}

bool
fg_turns_reserve(struct fg_turns *turns, size_t n)
{
	if (n <= turns->room)
		return true;
	struct fg_turn **more = realloc(turns->turn, 2 * n * sizeof *turns->turn);
	if (!more)
		return false;
	turns->turn = more;
	turns->room = 2 * n;
	return true;
}

bool
fg_turns_put(struct fg_turns *turns, struct fg_turn *turn)
{
	if (!turn->at && !fg_turns_reserve(turns, turns->n + 1))
		return false;
	size_t i = turn->at ? turn->at - 1 : turns->n++;
	rise(turns, i, turn);
	sink(turns, turn->at - 1, turn);
	return true;
}

struct fg_turn *
fg_turns_take(struct fg_turns *turns)
{
	struct fg_turn *least = turns->n ? turns->turn[0] : NULL;
	if (!least)
		return NULL;
	least->at = 0;
	struct fg_turn *last = turns->turn[--turns->n];
	if (turns->n)
		sink(turns, 0, last);
	return least;
}

uint64_t
fg_turns_next(const struct fg_turns *turns)
{
	return turns->n ? turns->turn[0]->time : UINT64_MAX;
}

void
fg_turns_clear(struct fg_turns *turns)
{
	turns->n = 0;
}
