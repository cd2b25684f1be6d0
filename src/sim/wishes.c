/* Wishes (floor: sim): see wishes.h. They are a list. It is searched from the newest wish, and only at the first touch
 * of a page. */
#include "sim/wishes.h"

#include <stdlib.h>
#include <string.h>

struct wish {
	uintptr_t first, last; /* page numbers */
	unsigned n, *nodes;    /* the pages lie on these in turn */
};

static struct {
	struct wish *wishes;
	unsigned n, room;
} all;

void
fg_wish_add(const void *start, size_t size, unsigned n, const unsigned *nodes)
{
	unsigned *copy = malloc(n * sizeof *copy);
	if (copy && all.n == all.room) {
		unsigned more = all.room ? 2 * all.room : 16;
		struct wish *larger = realloc(all.wishes, more * sizeof *larger);
		if (larger) {
			all.wishes = larger;
			all.room = more;
		}
	}
	if (!copy || all.n == all.room) {
		free(copy);
		return;
	}
	memcpy(copy, nodes, n * sizeof *copy);
	uintptr_t first = (uintptr_t)start / FG_HOME_PAGE;
	all.wishes[all.n++] = (struct wish){first, first + (size - 1) / FG_HOME_PAGE, n, copy};
}

void
fg_wish_drop(uintptr_t first, uintptr_t last)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < all.n; i++) {
		if (all.wishes[i].first >= first && all.wishes[i].last <= last)
			free(all.wishes[i].nodes);
		else
			all.wishes[kept++] = all.wishes[i];
	}
	all.n = kept;
}

bool
fg_wish_is_for(uintptr_t first, uintptr_t last)
{
	for (unsigned i = 0; i < all.n; i++)
		if (first <= all.wishes[i].last && last >= all.wishes[i].first)
			return true;
	return false;
}

unsigned
fg_wish_node(uintptr_t page, unsigned node)
{
	for (unsigned i = all.n; i-- > 0;)
		if (page >= all.wishes[i].first && page <= all.wishes[i].last)
			return all.wishes[i].nodes[(page - all.wishes[i].first) % all.wishes[i].n];
	return node;
}
