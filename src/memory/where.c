/* Where pages lie (floor: memory): see where.h. */
#include "memory/where.h"

#include <string.h>
#include <unistd.h>

static const struct fg_where kernel = {.nodes = fg_numa_nodes,
				       .ask = fg_numa_where,
				       .allowed = fg_numa_allowed,
				       .interleave = fg_numa_interleave,
				       .prefer = fg_numa_prefer,
				       .nearest = fg_numa_nearest,
				       .here = fg_numa_here};
const struct fg_where *fg_where = &kernel;

/* The same result in each run. */
static uint64_t
scatter(uint64_t x)
{
	x = (x + 1) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

bool
fg_where_measure(uintptr_t start, uintptr_t end, size_t *on_node, unsigned n_nodes)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), first = start / size;
	uintptr_t pages = (end - 1) / size - first + 1;
	unsigned n = pages < FG_WHERE_SAMPLES ? (unsigned)pages : FG_WHERE_SAMPLES;
	void *page[FG_WHERE_SAMPLES];
	uintptr_t from[FG_WHERE_SAMPLES + 1];
	int node[FG_WHERE_SAMPLES];
	/* Sample i stands for the pages from[i] .. from[i + 1] - 1, and is one of them. */
	for (unsigned i = 0; i <= n; i++)
		from[i] = first + pages / n * i + pages % n * i / n;
	for (unsigned i = 0; i < n; i++)
		page[i] = (void *)((from[i] + scatter(i) % (from[i + 1] - from[i])) * size);
	memset(on_node, 0, n_nodes * sizeof *on_node);
	if (!fg_where->ask(n, page, node))
		return false;
	for (unsigned i = 0; i < n; i++) {
		uintptr_t low = i ? from[i] * size : start, high = i + 1 < n ? from[i + 1] * size : end;
		if (node[i] >= 0 && (unsigned)node[i] < n_nodes)
			on_node[node[i]] += high - low;
	}
	return true;
}
