/* Turns (floor: sim): see turns.h. Each node has four children, so a heap of 1024 is five levels deep. */
#include "sim/turns.h"

#include <stdlib.h>

#define CHILDREN 4

static struct {
	struct fg_turn **turns;
	size_t n, room;
} heap;

static bool
is_before(const struct fg_turn *a, const struct fg_turn *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->order != b->order ? a->order < b->order : a->number < b->number;
}

static void
set(size_t i, struct fg_turn *turn)
{
	heap.turns[i] = turn;
	turn->at = (uint32_t)i + 1;
}

static void
rise(size_t i, struct fg_turn *turn)
{
	for (size_t above; i && is_before(turn, heap.turns[above = (i - 1) / CHILDREN]); i = above)
		set(i, heap.turns[above]);
	set(i, turn);
}

static void
sink(size_t i, struct fg_turn *turn)
{
	for (;;) {
		size_t least = CHILDREN * i + 1, end = least + CHILDREN;
		if (least >= heap.n)
			break;
		for (size_t child = least + 1; child < end && child < heap.n; child++)
			if (is_before(heap.turns[child], heap.turns[least]))
				least = child;
		if (!is_before(heap.turns[least], turn))
			break;
		set(i, heap.turns[least]);
		i = least;
	}
	set(i, turn);
}

bool
fg_turns_reserve(size_t n)
{
	if (n <= heap.room)
		return true;
	struct fg_turn **more = realloc(heap.turns, 2 * n * sizeof *heap.turns);
	if (!more)
		return false;
	heap.turns = more;
	heap.room = 2 * n;
	return true;
}

bool
fg_turns_put(struct fg_turn *turn)
{
	if (!turn->at && !fg_turns_reserve(heap.n + 1))
		return false;
	size_t i = turn->at ? turn->at - 1 : heap.n++;
	rise(i, turn);
	sink(turn->at - 1, turn);
	return true;
}

struct fg_turn *
fg_turns_take(void)
{
	struct fg_turn *least = heap.n ? heap.turns[0] : NULL;
	if (!least)
		return NULL;
	least->at = 0;
	struct fg_turn *last = heap.turns[--heap.n];
	if (heap.n)
		sink(0, last);
	return least;
}

uint64_t
fg_turns_next(void)
{
	return heap.n ? heap.turns[0]->time : UINT64_MAX;
}

void
fg_turns_clear(void)
{
	heap.n = 0;
}
