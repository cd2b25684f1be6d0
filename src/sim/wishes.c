/* Wishes (floor: sim): see wishes.h. They are a list. It is searched from the newest wish, and only at the first touch
 * of a page. */
#include "sim/wishes.h"

#include <stdlib.h>
#include <string.h>

struct wish {
	uintptr_t first, last; /* page numbers */
	unsigned n, *nodes;    /* the pages lie on these in turn */
};

static struct wish *wishes;
static unsigned n_wishes, room;

void
fg_wish_add(const void *start, size_t size, unsigned n, const unsigned *nodes)
{
	unsigned *copy = malloc(n * sizeof *copy);
	if (copy && n_wishes == room) {
		unsigned more = room ? 2 * room : 16;
		struct wish *larger = realloc(wishes, more * sizeof *larger);
		if (larger) {
			wishes = larger;
			room = more;
		}
	}
	if (!copy || n_wishes == room) {
		free(copy);
		return;
	}
	memcpy(copy, nodes, n * sizeof *copy);
	uintptr_t first = (uintptr_t)start / FG_HOME_PAGE;
	wishes[n_wishes++] = (struct wish){first, first + (size - 1) / FG_HOME_PAGE, n, copy};
}

void
fg_wish_drop(uintptr_t first, uintptr_t last)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < n_wishes; i++) {
		if (wishes[i].first >= first && wishes[i].last <= last)
			free(wishes[i].nodes);
		else
			wishes[kept++] = wishes[i];
	}
	n_wishes = kept;
}

unsigned
fg_wish_node(uintptr_t page, unsigned node)
{
	for (unsigned i = n_wishes; i-- > 0;)
		if (page >= wishes[i].first && page <= wishes[i].last)
			return wishes[i].nodes[(page - wishes[i].first) % wishes[i].n];
	return node;
}
