/* Haul (floor: memory): see haul.h. */
#include "memory/haul.h"

#include "memory/migrate.h"
#include "memory/where.h"
#include "platform/host.h"
#include "platform/memory.h"

#define WRITES 2 /* FGOMP_WRITE */
#define NODE_BITS 64
#define FEW 16 /* a part of the area that is this small may lie elsewhere */

struct fg_atomic_u32 fg_hauls_left;

static uintptr_t
up(uintptr_t address)
{
	uintptr_t size = fg_host_page_size();
	return (address + size - 1) / size * size;
}

static uintptr_t
down(uintptr_t address)
{
	return address / fg_host_page_size() * fg_host_page_size();
}

void
fg_haul_forget_locked(struct fg_area *area)
{
	if (area->wanted)
		fg_sub_acq_rel(&fg_hauls_left, 1);
	area->wanted = 0;
}

static uint64_t
users_of(const struct fg_area *area)
{
	uint64_t nodes = 0;
	for (const struct fg_attachment *one = area->first; one; one = one->next)
		nodes |= one->nodes;
	return nodes;
}

/* Memory that was not touched yet is nowhere, and the touch decides. */
static bool
lies_well(const struct fg_area *area, uint64_t nodes)
{
	unsigned users = (unsigned)__builtin_popcountll(nodes);
	size_t all = 0, there = 0, most = 0;
	for (unsigned node = 0; node < fg_areas_nodes(); node++) {
		size_t bytes = area->on_node[node];
		bool used = node < NODE_BITS && nodes >> node & 1;
		all += bytes;
		there += used ? bytes : 0;
		most = bytes > most ? bytes : most;
	}
	return all - there <= all / FEW && (users == 1 || most <= all / users + all / FEW);
}

void
fg_haul_ask_locked(struct fg_attachment *attachment, uint64_t nodes)
{
	struct fg_area *area = attachment->area;
	attachment->nodes = nodes;
	uint64_t users = users_of(area);
	bool whole_pages = up(area->start) < down(area->end);
	if (!users || !whole_pages || !fg_where->move || area->stuck || lies_well(area, users)) {
		fg_haul_forget_locked(area);
		return;
	}
	if (area->wanted == users)
		return;
	if (!area->wanted)
		fg_add_acq_rel(&fg_hauls_left, 1);
	area->wanted = users;
	area->at = up(area->start);
}

static bool
is_of(const struct fg_attachment *attachment, unsigned member)
{
	return attachment->member == member || attachment->member == FG_ALL_MEMBERS;
}

/* Written data first: a remote write costs more than a remote read. */
static struct fg_area *
next_locked(const void *team, unsigned member)
{
	struct fg_area *found = NULL;
	for (const struct fg_attachment *one = fg_attached_next_locked(team, NULL); one;
	     one = fg_attached_next_locked(team, one)) {
		if (!is_of(one, member) || !one->area->wanted)
			continue;
		found = one->area;
		if (one->access & WRITES)
			break;
	}
	return found;
}

bool
fg_haul_take(const void *team, unsigned member, struct fg_haul *haul)
{
	fg_areas_lock();
	struct fg_area *area = next_locked(team, member);
	while (area && area->at >= down(area->end)) {
		fg_haul_forget_locked(area);
		area->asked = false;
		area = next_locked(team, member);
	}
	if (area) {
		uintptr_t low = area->at, end = down(area->end), most = FG_MIGRATE_PAGES * fg_host_page_size();
		area->at = end - low > most ? low + most : end;
		*haul = (struct fg_haul){low, area->at, area->wanted, area->start, area->end};
	}
	fg_areas_unlock();
	return area;
}

static void
give_up(const struct fg_haul *haul)
{
	fg_areas_lock();
	struct fg_area *area = fg_area_find_locked(haul->start, haul->end);
	if (area) {
		area->stuck = true;
		fg_haul_forget_locked(area);
	}
	fg_areas_unlock();
}

/* A huge page moves as a whole. So a large area goes round the nodes by as many pages as one has. NULL: there is no
 * memory. */
static struct fg_plan *
plan_of(const struct fg_haul *haul)
{
	struct fg_plan *plan = fg_plan_new(FG_PLAN_ROUNDS, (unsigned)__builtin_popcountll(haul->nodes));
	for (uint64_t nodes = haul->nodes; plan && nodes; nodes &= nodes - 1)
		fg_plan_add(plan, (unsigned)__builtin_ctzll(nodes), 1);
	if (!plan)
		return NULL;
	fg_plan_range(plan, (void *)haul->low, haul->high - haul->low);
	if ((haul->end - haul->start) / fg_host_page_size() / plan->n >= FG_MIGRATE_PAGES)
		plan->unit = FG_MIGRATE_PAGES;
	return plan;
}

unsigned
fg_haul_carry_out(const struct fg_haul *haul)
{
	if (fg_where->unbound && !fg_where->unbound((void *)haul->low))
		return 0;
	struct fg_plan *plan = plan_of(haul);
	if (!plan)
		return 0;
	struct fg_migration migration = fg_migration_of(plan);
	if (!fg_migrate(plan, &migration) || migration.refused > migration.moved)
		give_up(haul);
	fg_memory_free(plan);
	return (unsigned)migration.moved;
}
