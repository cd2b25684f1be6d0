/* Plans (floor: memory): see plan.h. */
#include "memory/plan.h"

#include <string.h>

#include "memory/where.h"
#include "platform/host.h"
#include "platform/map.h"
#include "platform/memory.h"

/* A huge page has one node. So memory that goes round the nodes gets no huge pages, unless each node gets
 * HUGE_PAGES_EACH. */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_PAGES_EACH 16

struct fg_plan *
fg_plan_new(enum fg_plan_shape shape, unsigned room)
{
	struct fg_plan *plan = fg_memory_zeroed(sizeof *plan + room * sizeof *plan->part);
	if (plan)
		plan->shape = shape;
	return plan;
}

void
fg_plan_add(struct fg_plan *plan, unsigned node, unsigned weight)
{
	plan->part[plan->n++] = (struct fg_plan_part){.node = node, .weight = weight};
	plan->weights += weight;
}

void
fg_plan_add_all(struct fg_plan *plan, const struct fg_nodes *nodes)
{
	for (unsigned node = fg_nodes_next(nodes, 0); node < FG_NODES_MAX; node = fg_nodes_next(nodes, node + 1))
		fg_plan_add(plan, node, 1);
}

void
fg_plan_range(struct fg_plan *plan, const void *start, size_t bytes)
{
	uintptr_t page = fg_host_page_size();
	plan->first = (uintptr_t)start / page;
	plan->pages = ((uintptr_t)start + bytes - 1) / page - plan->first + 1;
	plan->unit = 1;
	if (plan->weights > plan->n)
		plan->unit += plan->pages / plan->weights / FG_PLAN_ROUNDS_MOST;
}

/* The first page after part i - 1, from the first page of the range. It is rounded up: where there are fewer pages than
 * parts, the first parts have one page each. */
static size_t
block_begin(const struct fg_plan *plan, unsigned i)
{
	size_t rest = plan->pages % plan->n;
	return plan->pages / plan->n * i + (rest < i ? rest : i);
}

/* The part of a page, and the number of the first page after it that may be of another part. */
static const struct fg_plan_part *
part_of(const struct fg_plan *plan, uintptr_t page, uintptr_t *after)
{
	unsigned i = 0;
	if (plan->shape == FG_PLAN_BLOCKS) {
		while (i + 1 < plan->n && plan->first + block_begin(plan, i + 1) <= page)
			i++;
		*after = plan->first + block_begin(plan, i + 1);
		return &plan->part[i];
	}
	size_t place = page % (plan->weights * plan->unit), end = plan->part[0].weight * plan->unit;
	while (place >= end)
		end += plan->part[++i].weight * plan->unit;
	*after = page - place + end;
	return &plan->part[i];
}

unsigned
fg_plan_node(const struct fg_plan *plan, uintptr_t page)
{
	uintptr_t after;
	return part_of(plan, page, &after)->node;
}

/* ---- Room ---- */

static size_t
bytes_of_part(const struct fg_plan *plan, unsigned i)
{
	size_t pages;
	if (plan->shape == FG_PLAN_BLOCKS)
		pages = block_begin(plan, i + 1) - block_begin(plan, i);
	else
		pages = plan->pages / plan->weights * plan->part[i].weight +
			(plan->pages % plan->weights ? plan->part[i].weight : 0);
	return (pages < plan->pages ? pages : plan->pages) * fg_host_page_size();
}

/* Parts before this one need room, too. */
static bool
has_room(struct fg_plan *plan, unsigned i, unsigned node, const size_t *there)
{
	size_t need = bytes_of_part(plan, i), wanted = 0;
	need -= !there ? 0 : there[node] < need ? there[node] : need;
	for (unsigned k = 0; k < i; k++)
		wanted += plan->part[k].node == node ? plan->part[k].need : 0;
	bool loose = fg_where_room(node, false) >= wanted + need;
	if (!loose && fg_where_room(node, true) < wanted + need)
		return false;
	plan->tight |= !loose;
	plan->part[i].need = need;
	return true;
}

static bool
fit_part(struct fg_plan *plan, unsigned i, const struct fg_nodes *nodes, const size_t *there)
{
	unsigned wanted = plan->part[i].node, best = FG_NODES_MAX, least = ~0u;
	for (unsigned node = fg_nodes_next(nodes, 0); node < FG_NODES_MAX; node = fg_nodes_next(nodes, node + 1)) {
		unsigned distance = fg_where_distance(wanted, node);
		if (node != wanted && distance < least && has_room(plan, i, node, there)) {
			least = distance;
			best = node;
		}
	}
	if (best == FG_NODES_MAX)
		return false;
	plan->part[i].node = best;
	return has_room(plan, i, best, there);
}

bool
fg_plan_fit(struct fg_plan *plan, const struct fg_nodes *nodes, const size_t *there, bool strict)
{
	for (unsigned i = 0; i < plan->n; i++)
		if (!has_room(plan, i, plan->part[i].node, there) && (strict || !fit_part(plan, i, nodes, there)))
			return false;
	return true;
}

/* ---- Wishes ---- */

/* The kernel can do it by itself. Its nodes are in order, and each is there once. */
static bool
is_plain(const struct fg_plan *plan, struct fg_nodes *nodes)
{
	memset(nodes, 0, sizeof *nodes);
	for (unsigned i = 0; i < plan->n; i++) {
		unsigned node = plan->part[i].node;
		if (plan->part[i].weight != 1 || (i && node <= plan->part[i - 1].node))
			return false;
		fg_nodes_add(nodes, node);
	}
	return plan->shape == FG_PLAN_ROUNDS && plan->unit == 1;
}

void
fg_plan_wish(const struct fg_plan *plan)
{
	uintptr_t page = fg_host_page_size(), end = plan->first + plan->pages, after;
	struct fg_nodes nodes;
	if (!plan->n)
		return;
	if (plan->n == 1) {
		fg_where->prefer((void *)(plan->first * page), plan->pages * page, plan->part[0].node);
		return;
	}
	if (plan->shape == FG_PLAN_ROUNDS && plan->pages * page < plan->n * HUGE_PAGES_EACH * HUGE_PAGE)
		fg_map_small_pages((void *)(plan->first * page), plan->pages * page);
	if (is_plain(plan, &nodes)) {
		fg_where->interleave((void *)(plan->first * page), plan->pages * page, &nodes);
		return;
	}
	for (uintptr_t at = plan->first; at < end; at = after) {
		unsigned node = part_of(plan, at, &after)->node;
		if (after > end)
			after = end;
		fg_where->prefer((void *)(at * page), (after - at) * page, node);
	}
}
