/* A library with a fake kernel's memory, for the tests of src/samples: each page has a node, pages move at a price, and
 * some refuse. (Included by one file of a test.) */
#pragma once
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/carrier.h"
#include "memory/where.h"
#include "samples/library.h"

enum { FAKE_PAGE = 4096, FAKE_HUGE_PAGES = 512, FAKE_HUGE = FAKE_HUGE_PAGES * FAKE_PAGE, FAKE_AREAS = 8, NOWHERE = -2 };

/* The pages of an area; all other pages are nowhere. */
static struct fake_area {
	uintptr_t start, pages;
	signed char *node;
	bool *refuses, *huge; /* huge: it moves with all its neighbours of the same 2 MiB */
	bool bound, mapped;
} fake_areas[FAKE_AREAS];

static struct {
	uint64_t now, call_ns, page_ns;
	unsigned nodes, asked, calls, roots_asked;
	bool says_nothing, moves_nothing;
	size_t room[8], cache[8]; /* what a node still has, and its clean pages of files */
} fake;

static struct fake_area *
fake_area_of(const void *page)
{
	for (struct fake_area *area = fake_areas; area < fake_areas + FAKE_AREAS; area++)
		if (((uintptr_t)page - area->start) / FAKE_PAGE < area->pages)
			return area;
	return NULL;
}

static bool
fake_ask(unsigned n, void *const *pages, int *node)
{
	fake.asked += n;
	for (unsigned i = 0; i < n; i++) {
		const struct fake_area *area = fake_area_of(pages[i]);
		node[i] = area ? area->node[((uintptr_t)pages[i] - area->start) / FAKE_PAGE] : NOWHERE;
	}
	return !fake.says_nothing;
}

static void
fake_move_one(struct fake_area *area, uintptr_t page, int to)
{
	uintptr_t first = page, n = 1;
	if (area->huge[page]) {
		first = (area->start / FAKE_PAGE + page) / FAKE_HUGE_PAGES * FAKE_HUGE_PAGES - area->start / FAKE_PAGE;
		n = FAKE_HUGE_PAGES;
	}
	for (uintptr_t i = first; i < first + n; i++) {
		assert(i < area->pages && area->huge[i] == area->huge[page] && area->node[i] == area->node[page]);
		fake.now += fake.page_ns;
	}
	memset(area->node + first, to, n);
}

static bool
fake_move(unsigned n, void *const *pages, const int *to, int *node)
{
	fake.calls++;
	fake.now += fake.call_ns;
	if (fake.moves_nothing)
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct fake_area *area = fake_area_of(pages[i]);
		uintptr_t page = area ? ((uintptr_t)pages[i] - area->start) / FAKE_PAGE : 0;
		if (!area || area->node[page] < 0 || area->refuses[page]) {
			node[i] = -16; /* the kernel's EBUSY */
			continue;
		}
		if (area->node[page] != to[i])
			fake_move_one(area, page, to[i]);
		node[i] = area->node[page];
	}
	return true;
}

/* Of a hole, the system tells nothing. */
static bool
fake_unbound(const void *page)
{
	const struct fake_area *area = fake_area_of(page);
	return area && !area->bound;
}

static unsigned
fake_nodes(void)
{
	return fake.nodes;
}

static size_t
fake_room(unsigned node, bool with_cache)
{
	return fake.room[node] + (with_cache ? fake.cache[node] : 0);
}

/* The nodes lie in a row. */
static unsigned
fake_distance(unsigned from, unsigned to)
{
	return 10 + 10 * (from > to ? from - to : to - from);
}

static uint64_t
fake_now(void)
{
	return fake.now;
}

static bool
fake_sandbox(enum fg_sandbox_call call)
{
	(void)call;
	return true;
}

static void
fake_ask_root(void)
{
	fake.roots_asked++;
}

static const struct fg_where fake_where = {.nodes = fake_nodes,
					   .ask = fake_ask,
					   .move = fake_move,
					   .unbound = fake_unbound,
					   .room = fake_room,
					   .distance = fake_distance};
static const struct fg_carrier fake_carrier = {.now = fake_now};
static struct fg_samples_library fake_library = {
	.carrier = &fake_carrier, .where = &fake_where, .sandbox_allows = fake_sandbox, .ask_root = fake_ask_root};

static void
fake_area_drop(struct fake_area *area)
{
	free(area->node);
	free(area->refuses);
	free(area->huge);
	if (area->mapped)
		munmap((void *)area->start, area->pages * FAKE_PAGE);
	*area = (struct fake_area){0};
}

/* Forgets all areas. */
static void
fake_begin(unsigned nodes)
{
	for (struct fake_area *area = fake_areas; area < fake_areas + FAKE_AREAS; area++)
		fake_area_drop(area);
	memset(&fake, 0, sizeof fake);
	fake.nodes = fake_library.nodes = nodes;
	for (unsigned i = 0; i < nodes; i++)
		fake.room[i] = SIZE_MAX / 2;
	fg_samples_host = &fake_library;
}

/* All its pages are on the node; below 0: nowhere. */
static struct fake_area *
fake_area_add(uintptr_t start, uintptr_t pages, int node)
{
	struct fake_area *area = fake_areas;
	while (area->pages)
		area++;
	*area = (struct fake_area){.start = start,
				   .pages = pages,
				   .node = malloc(pages),
				   .refuses = calloc(pages, 1),
				   .huge = calloc(pages, 1)};
	memset(area->node, node, pages);
	return area;
}

/* A mapping of the process for the area, which no neighbour joins. The system gives it no memory. */
__attribute__((unused)) static struct fake_area *
fake_mapping_add(uintptr_t pages, int node)
{
	size_t size = pages * FAKE_PAGE, between = 4 * FAKE_HUGE;
	char *whole = mmap(NULL, size + 2 * between, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert(whole != MAP_FAILED);
	uintptr_t start = ((uintptr_t)whole + between) & ~(uintptr_t)(FAKE_HUGE - 1);
	mprotect((void *)start, size, PROT_READ | PROT_WRITE);
	struct fake_area *area = fake_area_add(start, pages, node);
	area->mapped = true;
	return area;
}
