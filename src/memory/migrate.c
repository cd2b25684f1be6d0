/* Migrating pages (floor: memory): see migrate.h. */
#include "memory/migrate.h"

#include "base/carrier.h"
#include "memory/where.h"
#include "platform/host.h"
#include "platform/map.h"
#include "platform/memory.h"

struct list {
	unsigned n;
	void *page[FG_MIGRATE_PAGES];
	int node[FG_MIGRATE_PAGES], to[FG_MIGRATE_PAGES];
};

static bool
ask(struct list *list, uintptr_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		list->page[i] = (void *)((first + i) * fg_host_page_size());
	list->n = n;
	return fg_where->ask(n, list->page, list->node);
}

/* Keeps those that must move. */
static void
choose(const struct fg_plan *plan, struct list *list, struct fg_migration *migration)
{
	unsigned n = 0;
	for (unsigned i = 0; i < list->n; i++) {
		int to = (int)fg_plan_node(plan, migration->at + i);
		migration->absent += list->node[i] < 0;
		migration->there += list->node[i] == to;
		if (list->node[i] < 0 || list->node[i] == to)
			continue;
		list->page[n] = list->page[i];
		list->to[n++] = to;
	}
	list->n = n;
}

/* A huge page moves as a whole, with the first of its pages. The kernel then calls the others busy, and so it is asked
 * again. */
static bool
move(struct list *list, struct fg_migration *migration)
{
	bool busy = false;
	if (!list->n)
		return true;
	if (!fg_where->move || !fg_where->move(list->n, list->page, list->to, list->node))
		return false;
	for (unsigned i = 0; i < list->n; i++)
		busy |= list->node[i] < 0;
	if (busy && !fg_where->ask(list->n, list->page, list->node))
		return false;
	for (unsigned i = 0; i < list->n; i++)
		if (list->node[i] == list->to[i])
			migration->moved++;
		else
			migration->refused++;
	return true;
}

bool
fg_migrate_some(const struct fg_plan *plan, struct fg_migration *migration)
{
	struct list *list = fg_memory_get(sizeof *list);
	uintptr_t left = migration->end - migration->at;
	unsigned n = left < FG_MIGRATE_PAGES ? (unsigned)left : FG_MIGRATE_PAGES;
	bool done = list && ask(list, migration->at, n);
	if (done) {
		choose(plan, list, migration);
		done = move(list, migration);
		migration->at += n;
	}
	fg_memory_free(list);
	return done;
}

/* ---- The price ---- */

enum { TRIED = 64 };

/* On the simulated machine pages lie where it is told that they are touched. */
static void
touch(char *start, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += fg_host_page_size())
		*(volatile char *)(start + at) = 0;
	if (fg_carrier->touch)
		fg_carrier->touch(start, bytes, true);
}

/* Moves pages from one node to the other. 0: they did not. */
static uint64_t
time_of(char *start, unsigned n, unsigned from, unsigned to)
{
	struct fg_plan *plan = fg_plan_new(FG_PLAN_ROUNDS, 1);
	if (!plan)
		return 0;
	fg_plan_add(plan, from, 1);
	fg_plan_range(plan, start, n * fg_host_page_size());
	struct fg_migration there = fg_migration_of(plan), back = there;
	bool done = fg_migrate(plan, &there) && there.moved + there.there == n;
	plan->part[0].node = to;
	uint64_t begin = fg_carrier->now();
	done = done && fg_migrate(plan, &back) && back.moved == n;
	uint64_t ns = fg_carrier->now() - begin;
	fg_memory_free(plan);
	return done ? ns : 0;
}

bool
fg_migrate_price(unsigned from, unsigned to, struct fg_migrate_price *price)
{
	size_t bytes = TRIED * fg_host_page_size();
	char *start = fg_map(bytes);
	if (!start)
		return false;
	fg_map_small_pages(start, bytes);
	touch(start, bytes);
	uint64_t one = time_of(start, 1, from, to), all = time_of(start, TRIED, from, to);
	if (fg_where->gone)
		fg_where->gone(start, bytes);
	fg_unmap(start, bytes);
	price->page_ns = all > one ? (all - one) / (TRIED - 1) : 0;
	price->call_ns = one > price->page_ns ? one - price->page_ns : 0;
	return one && all;
}
