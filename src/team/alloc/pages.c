/* Pages that lie where a trait wants them (floor: team; OpenMP 5.2, table 6.2). */
#include "team/alloc/pages.h"
#include "memory/plan.h"
#include "memory/where.h"
#include "platform/host.h"
#include "platform/map.h"
#include "platform/memory.h"
#include <stdint.h>

static uintptr_t
round_up(uintptr_t value, size_t unit)
{
	return (value + unit - 1) & ~(uintptr_t)(unit - 1);
}

bool
fg_pages_placeable(void)
{
	struct fg_nodes nodes;
	return fg_where_usual(&nodes) && fg_nodes_count(&nodes) > 1;
}

/* The bytes in front of `data` go with its first page, as far as they lie on it. */
static void
place(char *start, char *data, char *end, enum fg_partition partition)
{
	struct fg_nodes nodes;
	if (partition == FG_ENVIRONMENT || !fg_where_usual(&nodes) || fg_nodes_count(&nodes) < 2)
		return;
	if (partition == FG_NEAREST) {
		fg_where->nearest(start, (size_t)(end - start), &nodes);
		return;
	}
	struct fg_plan *plan =
		fg_plan_new(partition == FG_BLOCKED ? FG_PLAN_BLOCKS : FG_PLAN_ROUNDS, fg_nodes_count(&nodes));
	if (!plan)
		return;
	fg_plan_add_all(plan, &nodes);
	fg_plan_range(plan, data, (size_t)(end - data));
	fg_plan_wish(plan);
	fg_memory_free(plan);
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
