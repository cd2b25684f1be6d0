/* Pages for allocators that state where memory must lie, or that it must stay in RAM (floor: team; used by allocator.c,
 * shelf.c and trait.c). Any thread may call, inside or outside and in no signal handler. Only the system is asked, and
 * nothing is kept. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* As in omp_alloctrait_value_t. */
enum fg_partition { FG_ENVIRONMENT = 15, FG_NEAREST, FG_BLOCKED, FG_INTERLEAVED };

struct fg_pages_order {
	size_t size;
	size_t align; /* of the returned address, a power of two */
	size_t lead;  /* bytes that the caller wants in front of the address */
	enum fg_partition partition;
	bool pinned;
};
/* Zeroed memory on pages of its own. NULL: there is none, or the kernel cannot pin it. */
void *fg_pages_get(const struct fg_pages_order *order);
/* Frees all pages from the one that holds `start` to the one that holds the last byte before `end`. */
void fg_pages_put(void *start, void *end);

/* True: there is a choice of nodes. */
bool fg_pages_placeable(void);
