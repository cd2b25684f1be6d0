/* Pages (floor: sim): see pages.h. The table is a hash table with open addressing, and is at most half full. */
#include "sim/pages.h"

#include <stdlib.h>

#include "base/log.h"
#include "sim/sim.h"

static struct fg_page **pages;
static size_t room, used; /* room: a power of two */

void *
fg_sim_memory(size_t n, size_t size)
{
	void *memory = calloc(n, size);
	if (!memory)
		fg_fatal("Out of memory for the memory of the simulated machine");
	return memory;
}

static size_t
slot_of(uintptr_t number)
{
	size_t slot = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (room - 1);
	while (pages[slot] && pages[slot]->number != number)
		slot = (slot + 1) & (room - 1);
	return slot;
}

static void
grow(void)
{
	struct fg_page **old = pages;
	size_t old_room = room;
	room = room ? 2 * room : 4096;
	pages = fg_sim_memory(room, sizeof *pages);
	for (size_t i = 0; i < old_room; i++)
		if (old[i])
			pages[slot_of(old[i]->number)] = old[i];
	free(old);
}

/* Pages are allocated many at a time, so that they do not lie among the blocks that the program has from malloc. */
static struct fg_page *
new_page(void)
{
	enum { AT_A_TIME = 1024 };
	static struct fg_page *spare;
	static unsigned left;
	if (!left) {
		spare = fg_sim_memory(AT_A_TIME, sizeof *spare);
		left = AT_A_TIME;
	}
	left--;
	return spare++;
}

struct fg_page *
fg_page_touch(uintptr_t number, unsigned node)
{
	if (2 * used >= room)
		grow();
	struct fg_page **slot = &pages[slot_of(number)];
	if (!*slot) {
		used++;
		*slot = new_page();
		(*slot)->number = number;
		(*slot)->node = -1;
	}
	if ((*slot)->node < 0) {
		(*slot)->node = (int)fg_wish_node(number, node);
		fg_sim_count(FG_COUNT_FAULTS, 1);
	}
	return *slot;
}

struct fg_page *
fg_page_find(uintptr_t number)
{
	return used ? pages[slot_of(number)] : NULL;
}

int
fg_memory_home(uintptr_t number)
{
	const struct fg_page *page = fg_page_find(number);
	return page ? page->node : -1;
}

void
fg_memory_forget(uintptr_t first, uintptr_t last)
{
	for (uintptr_t number = first; number <= last && used; number++) {
		struct fg_page *page = pages[slot_of(number)];
		if (!page)
			continue;
		page->node = -1;
		for (unsigned i = 0; i < FG_PAGE_LINES; i++)
			page->lines[i] = (struct fg_page_line){.version = page->lines[i].version + 1u};
	}
}
