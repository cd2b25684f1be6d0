/* Pages (floor: sim): see pages.h. The table is a hash table with open addressing, and is at most half full. */
#include "sim/pages.h"

#include <stdlib.h>

#include "base/log.h"
#include "sim/sim.h"

static struct {
	struct fg_page **pages;
	size_t room, used; /* room: a power of two */
	struct fg_page *spare;
	unsigned left;
	/* By the node's place among the machine's: its pages, and how many it has room for; 0: any number. */
	size_t *on_node, *room_on;
} all;

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
	size_t slot = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (all.room - 1);
	while (all.pages[slot] && all.pages[slot]->number != number)
		slot = (slot + 1) & (all.room - 1);
	return slot;
}

static void
grow(void)
{
	struct fg_page **old = all.pages;
	size_t old_room = all.room;
	all.room = all.room ? 2 * all.room : 4096;
	all.pages = fg_sim_memory(all.room, sizeof *all.pages);
	for (size_t i = 0; i < old_room; i++)
		if (old[i])
			all.pages[slot_of(old[i]->number)] = old[i];
	free(old);
}

/* Pages are allocated many at a time, so that they do not lie among the blocks that the program has from malloc. */
static struct fg_page *
new_page(void)
{
	enum { AT_A_TIME = 1024 };
	if (!all.left) {
		all.spare = fg_sim_memory(AT_A_TIME, sizeof *all.spare);
		all.left = AT_A_TIME;
	}
	all.left--;
	return all.spare++;
}

static void
count_room(void)
{
	const struct fg_machine *machine = fg_sim.model.machine;
	all.on_node = fg_sim_memory(machine->n_numa_nodes, sizeof *all.on_node);
	all.room_on = fg_sim_memory(machine->n_numa_nodes, sizeof *all.room_on);
	for (unsigned i = 0, n = 0; i < machine->n_levels; i++)
		if (fg_level_is(machine->levels[i], FG_NUMA_NODE))
			all.room_on[n++] = machine->levels[i]->memory_bytes / FG_HOME_PAGE;
}

size_t
fg_pages_room(unsigned node)
{
	if (!all.on_node)
		count_room();
	if (!all.room_on[node])
		return SIZE_MAX;
	return all.room_on[node] > all.on_node[node] ? all.room_on[node] - all.on_node[node] : 0;
}

/* The nearest node that is not full. If all are, the page lies on the one that was wanted. */
static unsigned
with_room(unsigned wanted)
{
	unsigned best = wanted, least = FG_MODEL_HOPS + 1;
	if (fg_pages_room(wanted))
		return wanted;
	for (unsigned node = 0; node < fg_sim.model.machine->n_numa_nodes; node++) {
		unsigned hops = fg_model_node_hops(&fg_sim.model, wanted, node);
		if (hops < least && fg_pages_room(node)) {
			least = hops;
			best = node;
		}
	}
	return best;
}

void
fg_page_settle(struct fg_page *page, int node)
{
	if (!all.on_node)
		count_room();
	if (page->node >= 0)
		all.on_node[page->node]--;
	page->node = node;
	if (node >= 0)
		all.on_node[node]++;
}

struct fg_page *
fg_page_touch(uintptr_t number, unsigned node)
{
	if (2 * all.used >= all.room)
		grow();
	struct fg_page **slot = &all.pages[slot_of(number)];
	if (!*slot) {
		all.used++;
		*slot = new_page();
		(*slot)->number = number;
		(*slot)->node = -1;
	}
	if ((*slot)->node < 0) {
		fg_page_settle(*slot, (int)with_room(fg_wish_node(number, node)));
		fg_sim_count(FG_COUNT_FAULTS, 1);
	}
	return *slot;
}

struct fg_page *
fg_page_find(uintptr_t number)
{
	return all.used ? all.pages[slot_of(number)] : NULL;
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
	for (uintptr_t number = first; number <= last && all.used; number++) {
		struct fg_page *page = all.pages[slot_of(number)];
		if (!page)
			continue;
		fg_page_settle(page, -1);
		page->mark = FG_MARK_NONE;
		for (unsigned i = 0; i < FG_PAGE_LINES; i++)
			page->lines[i] = (struct fg_page_line){.version = page->lines[i].version + 1u};
	}
}
