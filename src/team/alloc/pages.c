/* Pages that lie where a trait wants them (floor: team; OpenMP 5.2, table 6.2). */
#include "team/alloc/pages.h"
#include "memory/where.h"
#include "platform/host.h"
#include "platform/map.h"
#include <stdint.h>

/* A huge page has one node. So memory that is dealt round the nodes gets no huge pages, unless each node gets
 * HUGE_PAGES_EACH. */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_PAGES_EACH 16

static uintptr_t
round_up(uintptr_t value, size_t unit)
{
	return (value + unit - 1) & ~(uintptr_t)(unit - 1);
}

bool
fg_pages_placeable(void)
{
	struct fg_nodes nodes;
	return fg_where->allowed(&nodes) && fg_nodes_count(&nodes) > 1;
}

/* Equal parts, one for each node, in their order. The bytes in front of `data` go with the first part. */
static void
place_blocks(char *start, char *data, char *end, const struct fg_nodes *nodes)
{
	size_t page = fg_host_page_size();
	char *first = (char *)((uintptr_t)data & ~(page - 1)), *from = start;
	size_t pages = (size_t)(end - first) / page, count = fg_nodes_count(nodes);
	unsigned node = fg_nodes_next(nodes, 0);
	for (size_t i = 1; i <= count; i++, node = fg_nodes_next(nodes, node + 1)) {
		/* Rounded up: where there are fewer pages than nodes, the first nodes have one page each. */
		size_t upto = pages / count * i + (pages % count < i ? pages % count : i);
		char *to = first + upto * page;
		if (to > from)
			fg_where->prefer(from, (size_t)(to - from), node);
		from = to;
	}
}

static void
place(char *start, char *data, char *end, enum fg_partition partition)
{
	struct fg_nodes nodes;
	size_t size = (size_t)(end - start);
	if (partition == FG_ENVIRONMENT || !fg_where->allowed(&nodes) || fg_nodes_count(&nodes) < 2)
		return;
	if (partition == FG_NEAREST) {
		fg_where->nearest(start, size, &nodes);
	} else if (partition == FG_BLOCKED) {
		place_blocks(start, data, end, &nodes);
	} else {
		if (size < fg_nodes_count(&nodes) * HUGE_PAGES_EACH * HUGE_PAGE)
			fg_map_small_pages(start, size);
		fg_where->interleave(start, size, &nodes);
	}
}

void *
fg_pages_get(const struct fg_pages_order *order)
{
	size_t page = fg_host_page_size(), align = order->align, length;
	/* The returned address lies `lead` bytes after the first page's start. */
	size_t lead = round_up(order->lead, align < page ? align : page);
	size_t spare = align > page ? align : 0;
	if (__builtin_add_overflow(order->size, lead + page - 1, &length))
		return NULL;
	length &= ~(page - 1);
	size_t mapped;
	char *start;
	if (__builtin_add_overflow(length, spare, &mapped) || !(start = fg_map(mapped)))
		return NULL;
	if (spare) {
		char *wanted = (char *)round_up((uintptr_t)start + lead, align) - lead;
		if (wanted > start)
			fg_unmap(start, (size_t)(wanted - start));
		if (start + mapped > wanted + length)
			fg_unmap(wanted + length, (size_t)(start + mapped - (wanted + length)));
		start = wanted;
	}
	place(start, start + lead, start + length, order->partition);
	if (order->pinned && !fg_map_pin(start, length)) {
		fg_unmap(start, length);
		return NULL;
	}
	return start + lead;
}

void
fg_pages_put(void *start, void *end)
{
	size_t page = fg_host_page_size();
	uintptr_t from = (uintptr_t)start & ~(uintptr_t)(page - 1);
	size_t size = round_up((uintptr_t)end, page) - from;
	if (fg_where->gone)
		fg_where->gone((void *)from, size);
	fg_unmap((void *)from, size);
}
