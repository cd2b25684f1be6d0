/* Where pages lie (floor: memory): see where.h. */
#include "memory/where.h"

#include <string.h>

#include "platform/host.h"
#include "platform/memory.h"

static const struct fg_where kernel = {.nodes = fg_numa_nodes,
				       .ask = fg_numa_where,
				       .allowed = fg_numa_allowed,
				       .interleave = fg_numa_interleave,
				       .prefer = fg_numa_prefer,
				       .nearest = fg_numa_nearest,
				       .here = fg_numa_here,
				       .with_pus = fg_numa_with_pus,
				       .move = fg_numa_move,
				       .unbound = fg_numa_unbound,
				       .room = fg_numa_room,
				       .distance = fg_numa_distance};
const struct fg_where *fg_where = &kernel;

/* The same result in each run. */
static uint64_t
scatter(uint64_t x)
{
	x = (x + 1) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* Sample i stands for the pages from(i) .. from(i + 1) - 1, and is one of them. */
struct samples {
	uintptr_t size; /* of a page */
	uintptr_t first, pages;
	unsigned n;
	void *page[FG_WHERE_SAMPLES];
	int node[FG_WHERE_SAMPLES];
};

static uintptr_t
from(const struct samples *samples, unsigned i)
{
	return samples->first + samples->pages / samples->n * i + samples->pages % samples->n * i / samples->n;
}

static bool
measure(struct samples *samples, uintptr_t start, uintptr_t end, size_t *on_node, unsigned n_nodes)
{
	unsigned n = samples->n;
	uintptr_t size = samples->size;
	for (unsigned i = 0; i < n; i++) {
		uintptr_t low = from(samples, i), high = from(samples, i + 1);
		samples->page[i] = (void *)((low + scatter(i) % (high - low)) * size);
	}
	if (!fg_where->ask(n, samples->page, samples->node))
		return false;
	for (unsigned i = 0; i < n; i++) {
		uintptr_t low = i ? from(samples, i) * size : start,
			  high = i + 1 < n ? from(samples, i + 1) * size : end;
		int node = samples->node[i];
		if (node >= 0 && (unsigned)node < n_nodes)
			on_node[node] += high - low;
	}
	return true;
}

bool
fg_where_measure(uintptr_t start, uintptr_t end, size_t *on_node, unsigned n_nodes)
{
	uintptr_t size = fg_host_page_size(), first = start / size;
	uintptr_t pages = (end - 1) / size - first + 1;
	struct samples *samples = fg_memory_get(sizeof *samples); /* the caller's stack may be small */
	memset(on_node, 0, n_nodes * sizeof *on_node);
	if (!samples)
		return false;
	samples->size = size;
	samples->first = first;
	samples->pages = pages;
	samples->n = pages < FG_WHERE_SAMPLES ? (unsigned)pages : FG_WHERE_SAMPLES;
	bool told = measure(samples, start, end, on_node, n_nodes);
	fg_memory_free(samples);
	return told;
}

bool
fg_where_usual(struct fg_nodes *nodes)
{
	struct fg_nodes with_pus, both;
	if (!fg_where->allowed(nodes))
		return false;
	if (!fg_where->with_pus || !fg_where->with_pus(&with_pus))
		return true;
	for (size_t i = 0; i < sizeof both.bits / sizeof *both.bits; i++)
		both.bits[i] = nodes->bits[i] & with_pus.bits[i];
	if (fg_nodes_count(&both))
		*nodes = both;
	return true;
}

size_t
fg_where_room(unsigned node, bool with_cache)
{
	return fg_where->room ? fg_where->room(node, with_cache) : SIZE_MAX;
}

unsigned
fg_where_distance(unsigned from, unsigned to)
{
	return fg_where->distance ? fg_where->distance(from, to) : 0;
}
