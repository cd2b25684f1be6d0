/* Migrate: pages that are there go to the nodes of a plan (floor: memory; called by haul.c and team/alloc). The caller
 * holds no lock, because the kernel copies the pages meanwhile. Threads that use them wait in the kernel and go on. */
#pragma once
#include "memory/plan.h"

/* The pages of the plan's range from `at` on are not done yet. All are numbers of pages. */
struct fg_migration {
	uintptr_t at, end;
	size_t moved, there, absent, refused; /* absent: not touched yet */
};
static inline struct fg_migration
fg_migration_of(const struct fg_plan *plan)
{
	return (struct fg_migration){.at = plan->first, .end = plan->first + plan->pages};
}

/* Does the next FG_MIGRATE_PAGES pages. False: the system moves none, or there is no memory. */
#define FG_MIGRATE_PAGES 512
bool fg_migrate_some(const struct fg_plan *plan, struct fg_migration *migration);
static inline bool
fg_migrate(const struct fg_plan *plan, struct fg_migration *migration)
{
	while (migration->at < migration->end)
		if (!fg_migrate_some(plan, migration))
			return false;
	return true;
}

/* The time of a call that moves one page, and of each further one. It is measured with pages of the function's own,
 * from one node to the other. False: none can be moved. */
struct fg_migrate_price {
	uint64_t call_ns, page_ns;
};
bool fg_migrate_price(unsigned from, unsigned to, struct fg_migrate_price *price);
