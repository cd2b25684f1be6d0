/* Homes (floor: sim): see homes.h. */
#include "sim/homes.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "memory/where.h"
#include "sim/marks.h"
#include "sim/memory.h"
#include "sim/pages.h"
#include "sim/sim.h"
#include "sim/wishes.h"

/* The tables belong to the one kernel thread that carries all PUs. */
static bool
is_mine(void)
{
	return fg_sim.on && fg_carrier_sim_is_first();
}

static unsigned
home_nodes(void)
{
	unsigned most = 0;
	for (unsigned i = 0; i < fg_sim.model.machine->n_numa_nodes; i++)
		most = fg_sim.node_number[i] > most ? fg_sim.node_number[i] : most;
	return most + 1;
}

static bool
home_ask(unsigned n, void *const *pages, int *node)
{
	if (!is_mine())
		return false;
	for (unsigned i = 0; i < n; i++) {
		int place = fg_memory_home((uintptr_t)pages[i] / FG_HOME_PAGE);
		node[i] = place < 0 ? -1 : (int)fg_sim.node_number[place];
	}
	return true;
}

static bool
home_allowed(struct fg_nodes *nodes)
{
	enum { BITS = 8 * sizeof *nodes->bits };
	memset(nodes, 0, sizeof *nodes);
	for (unsigned i = 0; i < fg_sim.model.machine->n_numa_nodes; i++)
		if (fg_sim.node_number[i] < FG_NODES_MAX)
			nodes->bits[fg_sim.node_number[i] / BITS] |= 1ul << fg_sim.node_number[i] % BITS;
	return true;
}

static unsigned
place_of(unsigned os_number)
{
	unsigned place = 0;
	while (place + 1 < fg_sim.model.machine->n_numa_nodes && fg_sim.node_number[place] != os_number)
		place++;
	return place;
}

static void
home_interleave(void *start, size_t size, const struct fg_nodes *nodes)
{
	unsigned place[FG_NODES_MAX], n = 0;
	for (unsigned node = fg_nodes_next(nodes, 0); node < FG_NODES_MAX; node = fg_nodes_next(nodes, node + 1))
		place[n++] = place_of(node);
	if (is_mine() && n)
		fg_wish_add(start, size, n, place);
}

static void
home_prefer(void *start, size_t size, unsigned node)
{
	if (is_mine())
		fg_wish_add(start, size, 1, (unsigned[]){place_of(node)});
}

static unsigned
here(void)
{
	fg_sim_locate();
	return fg_model_node(&fg_sim.model, fg_sim.pu);
}

static void
home_nearest(void *start, size_t size, const struct fg_nodes *nodes)
{
	(void)nodes; /* a page that finds no room there lies elsewhere (pages.c) */
	if (is_mine())
		fg_wish_add(start, size, 1, (unsigned[]){here()});
}

static unsigned
home_here(void)
{
	return is_mine() ? fg_sim.node_number[here()] : 0;
}

static void
home_gone(void *start, size_t size)
{
	uintptr_t first = (uintptr_t)start / FG_HOME_PAGE, last = first + (size - 1) / FG_HOME_PAGE;
	if (!is_mine())
		return;
	fg_wish_drop(first, last);
	fg_memory_forget(first, last);
}

static void
home_mark(void *start, size_t size, enum fg_where_mark mark)
{
	uintptr_t first = ((uintptr_t)start + FG_HOME_PAGE - 1) / FG_HOME_PAGE,
		  end = ((uintptr_t)start + size) / FG_HOME_PAGE;
	if (is_mine() && first < end)
		fg_mark_set(first, end - 1, mark);
}

static bool
home_move(unsigned n, void *const *pages, const int *to, int *node)
{
	if (!is_mine() || !fg_sim_locate())
		return false;
	uint64_t ns = (uint64_t)fg_sim.model.move_call;
	for (unsigned i = 0; i < n; i++) {
		uintptr_t page = (uintptr_t)pages[i] / FG_HOME_PAGE;
		bool moved = fg_memory_move(page, place_of((unsigned)to[i]));
		node[i] = moved ? to[i] : -1;
		ns += moved ? (uint64_t)fg_sim.model.move_page : 0;
	}
	fg_sim_system(ns);
	return true;
}

static bool
home_unbound(const void *page)
{
	uintptr_t number = (uintptr_t)page / FG_HOME_PAGE;
	return is_mine() && !fg_wish_is_for(number, number);
}

static size_t
home_room(unsigned node, bool with_cache)
{
	size_t pages = is_mine() ? fg_pages_room(place_of(node)) : SIZE_MAX;
	(void)with_cache; /* files take no room there */
	return pages == SIZE_MAX ? SIZE_MAX : pages * FG_HOME_PAGE;
}

/* By the time until a line is there that is read. */
static unsigned
home_distance(unsigned from, unsigned to)
{
	unsigned hops = fg_model_node_hops(&fg_sim.model, place_of(from), place_of(to));
	double local = fg_model_memory(&fg_sim.model, 0, false), there = fg_model_memory(&fg_sim.model, hops, false);
	return local > 0 ? (unsigned)(10 * there / local + 0.5) : 0;
}

static const struct fg_where homes = {.nodes = home_nodes,
				      .ask = home_ask,
				      .allowed = home_allowed,
				      .interleave = home_interleave,
				      .prefer = home_prefer,
				      .nearest = home_nearest,
				      .here = home_here,
				      .move = home_move,
				      .unbound = home_unbound,
				      .mark = home_mark,
				      .gone = home_gone,
				      .room = home_room,
				      .distance = home_distance};

void
fg_home_start(void)
{
	const struct fg_machine *machine = fg_sim.model.machine;
	fg_sim.node_number = calloc(machine->n_numa_nodes, sizeof *fg_sim.node_number);
	if (!fg_sim.node_number)
		fg_fatal("Out of memory for the nodes of the simulated machine");
	for (unsigned i = 0, n = 0; i < machine->n_levels; i++)
		if (fg_level_is(machine->levels[i], FG_NUMA_NODE))
			fg_sim.node_number[n++] = machine->levels[i]->numa_node;
	fg_where = &homes;
}
