/* The manager (floor: team): see manager.h. */
#include "team/alloc/manager.h"

#include <errno.h>
#include <stdint.h>

#include "base/log.h"
#include "base/spinlock.h"
#include "exec/body/stack_overflow.h"
#include "exec/roots/self.h"
#include "memory/migrate.h"
#include "memory/where.h"
#include "memory/windows.h"
#include "platform/host.h"
#include "platform/map.h"
#include "platform/memory.h"
#include "team/alloc/mover.h"
#include "team/alloc/pages.h"
#include "team/hints/areas.h"

/* ---- Bad input ---- */

static int
check_range(const struct fg_managed *range)
{
	uintptr_t end;
	if (!range->start || !range->bytes || __builtin_add_overflow((uintptr_t)range->start, range->bytes, &end))
		return fg_wish_bad(
			range->who,
			"%p, %zu bytes is no range of memory: a start that is not NULL, and 1 byte or more, are wanted",
			range->start, range->bytes);
	if (fg_numa_is_mapped(range->start, range->bytes))
		return 0;
	fg_wish_bad(range->who, "not all of the %zu bytes at %p are mapped", range->bytes, range->start);
	return EFAULT;
}

static int
no_room(const char *who, size_t bytes)
{
	fg_wish_bad(who, "the nodes have no room for %zu bytes", bytes);
	return ENOMEM;
}

/* ---- Areas ---- */

/* Where a node is full of files, or room is promised, a wish is not enough: the kernel would take other nodes first. So
 * all pages are touched, and those on other nodes are moved, for which the kernel drops pages of files. */
static bool
settle(const struct fg_plan *plan, char *start, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += fg_host_page_size())
		*(volatile char *)(start + at) = 0;
	struct fg_migration migration = fg_migration_of(plan);
	return fg_where->nodes() == 1 || (fg_migrate(plan, &migration) && !migration.refused);
}

static int
place(const struct fg_wish *wish, struct fg_plan *plan, char *start, size_t bytes)
{
	fg_plan_range(plan, start, bytes);
	fg_plan_wish(plan);
	bool strict = fg_wish_is_strict(wish);
	if (plan->n && (strict || plan->tight) && !settle(plan, start, bytes) && strict)
		return no_room(wish->who, bytes);
	return fg_areas_keep(start, bytes, FG_AREA_MAPPED) == FG_KEEPS ? 0 : ENOMEM;
}

/* The plan fits by the number of pages, wherever they will be. */
static int
map(const struct fg_wish *wish, size_t bytes, char **start)
{
	struct fg_nodes allowed;
	struct fg_plan *plan = NULL;
	size_t page = fg_host_page_size(), whole = (bytes + page - 1) & ~(page - 1);
	int error = fg_wish_plan(wish, &plan, &allowed);
	if (error)
		return error;
	fg_plan_range(plan, (void *)page, whole);
	if (!fg_plan_fit(plan, &allowed, NULL, fg_wish_is_strict(wish)) && fg_wish_is_strict(wish))
		error = no_room(wish->who, bytes);
	else if (!(*start = fg_pages_get(
			   &(struct fg_pages_order){.size = bytes, .align = page, .partition = FG_ENVIRONMENT})))
		error = ENOMEM;
	else if ((error = place(wish, plan, *start, bytes)))
		fg_pages_put(*start, *start + bytes);
	fg_memory_free(plan);
	return error;
}

void *
fg_manager_alloc(const struct fg_wish *wish, size_t bytes)
{
	fg_assert_outside(fg_self());
	char *start = NULL;
	int error;
	if (!bytes || bytes > PTRDIFF_MAX)
		error = fg_wish_bad(wish->who,
				    "memory of %zu bytes is wanted: at least 1 byte is accepted, and at most %zu",
				    bytes, (size_t)PTRDIFF_MAX);
	else
		error = map(wish, bytes, &start);
	errno = error ? error : errno;
	return error ? NULL : start;
}

/* Nothing waits for a next touch or write there any more. */
static void
settle_windows(const void *start, size_t bytes)
{
	if (fg_where->mark)
		fg_where->mark((void *)start, bytes, FG_MARK_NONE);
	else
		fg_windows_open((uintptr_t)start, (uintptr_t)start + bytes);
}

int
fg_manager_drop(const char *who, void *start, bool mapped)
{
	fg_assert_outside(fg_self());
	enum fg_area_kept kept = mapped ? FG_AREA_MAPPED : FG_AREA_REGISTERED;
	size_t bytes = start ? fg_areas_kept(start, kept, true) : 0;
	if (!bytes)
		return fg_wish_bad(who, "%p is not the start of memory that is %s", start,
				   mapped ? "from fgomp_pages_alloc" : "registered");
	fg_mover_forget(start, bytes);
	settle_windows(start, bytes);
	if (mapped)
		fg_pages_put(start, (char *)start + bytes);
	return 0;
}

int
fg_manager_register(const struct fg_managed *range)
{
	fg_assert_outside(fg_self());
	int error = check_range(range);
	if (error)
		return error;
	enum fg_area_keeping keeping = fg_areas_keep(range->start, range->bytes, FG_AREA_REGISTERED);
	if (keeping != FG_KEEPS_ANOTHER)
		return keeping == FG_KEEPS ? 0 : ENOMEM;
	fg_wish_bad(range->who, "the %zu bytes at %p overlap memory that is registered, or is from fgomp_pages_alloc",
		    range->bytes, range->start);
	return EEXIST;
}

int
fg_manager_split(const struct fg_managed *whole, unsigned n, void **parts)
{
	fg_assert_outside(fg_self());
	int error = parts ? fg_areas_split(whole->start, n, fg_host_page_size(), parts) : EINVAL;
	if (error == ENOENT)
		return fg_wish_bad(whole->who,
				   "%p is not the start of memory that is registered, or is from fgomp_pages_alloc",
				   whole->start);
	if (error == EINVAL)
		return fg_wish_bad(whole->who,
				   "%u parts are wanted: 1 to as many as it has pages, and an array for them", n);
	return error;
}

int
fg_manager_locate(const struct fg_managed *range, size_t *on_node, unsigned n)
{
	fg_assert_outside(fg_self());
	int error = check_range(range);
	if (error)
		return error;
	if (!n || !on_node)
		return fg_wish_bad(range->who, "an array for 1 node or more is wanted");
	uintptr_t start = (uintptr_t)range->start;
	return fg_where_measure(start, start + range->bytes, on_node, n) ? 0 : ENOSYS;
}

/* ---- Moving ---- */

static int
move_now(const struct fg_wish *wish, const struct fg_plan *plan)
{
	struct fg_migration migration = fg_migration_of(plan);
	if (fg_where->nodes() == 1)
		return 0;
	if (!fg_migrate(plan, &migration)) {
		fg_wish_bad(wish->who, "the system moves no pages (move_pages), or there is no memory to ask it");
		return ENOTSUP;
	}
	if (!migration.refused)
		return 0;
	fg_note("%s: %zu of %zu pages stayed where they were, because the kernel holds them or others share them",
		wish->who, migration.refused, plan->pages);
	return EBUSY;
}

/* The plan belongs to this function now. */
static int
move(const struct fg_wish *wish, const struct fg_managed *range, struct fg_plan *plan, enum fgomp_pages_when when)
{
	fg_plan_range(plan, range->start, range->bytes);
	if (fg_areas_is_within(range->start, range->bytes, FG_AREA_MAPPED))
		fg_plan_wish(plan);
	if (when == FGOMP_PAGES_IN_BACKGROUND) {
		fg_mover_add(plan);
		return 0;
	}
	int error = move_now(wish, plan);
	fg_memory_free(plan);
	return error;
}

/* Pages that lie on a node already need no room there. */
static bool
fit(struct fg_plan *plan, const struct fg_managed *range, const struct fg_nodes *allowed, bool strict)
{
	uintptr_t start = (uintptr_t)range->start;
	size_t *there = fg_memory_zeroed(FG_NODES_MAX * sizeof *there);
	bool known = there && fg_where_measure(start, start + range->bytes, there, FG_NODES_MAX);
	fg_plan_range(plan, range->start, range->bytes);
	bool fits = fg_plan_fit(plan, allowed, known ? there : NULL, strict);
	fg_memory_free(there);
	return fits;
}

static int
cannot_wait(const char *who, const char *why)
{
	fg_note("%s: %s, so no page waits for its next touch", who, why);
	return ENOTSUP;
}

/* Only memory that the program has handed over is closed, because system calls fail there. */
static int
check_next(const struct fg_wish *wish, const struct fg_managed *range)
{
	if (wish->how != FGOMP_PAGES_FIRST_TOUCH || wish->wish)
		return fg_wish_bad(
			wish->who,
			"the next touch tells the node, so the placement is 0 (first touch) and the wish NULL");
	if (!fg_areas_is_within(range->start, range->bytes, FG_AREA_MAPPED) &&
	    !fg_areas_is_within(range->start, range->bytes, FG_AREA_REGISTERED))
		return fg_wish_bad(wish->who,
				   "the %zu bytes at %p do not lie in memory that is registered, or is from "
				   "fgomp_pages_alloc",
				   range->bytes, range->start);
	return 0;
}

static bool
can_move(const struct fg_managed *range)
{
	int node;
	void *page = (void *)((uintptr_t)range->start & ~(fg_host_page_size() - 1));
	return fg_where->move && fg_where->ask(1, &page, &node);
}

static int
close_windows(const char *who, const struct fg_managed *range, bool writes)
{
	uintptr_t start = (uintptr_t)range->start;
	struct fg_windows_wish wish = {start, start + range->bytes, writes, fg_stack_overflow_handles};
	switch (fg_windows_close(&wish)) {
	case FG_WINDOWS_CLOSED:
		return 0;
	case FG_WINDOWS_NOT_HANDLED:
		return cannot_wait(who, "the program has a handler for SIGSEGV");
	case FG_WINDOWS_NOT_OPEN:
		return cannot_wait(who, "not all of it is private memory that may be read and written");
	default:
		fg_note("%s: no page waits for its next touch, because memory or mappings are at an end", who);
		return ENOMEM;
	}
}

static int
move_next(const struct fg_wish *wish, const struct fg_managed *range, bool writes)
{
	int error = check_next(wish, range);
	if (error || fg_where->nodes() == 1)
		return error;
	if (!can_move(range))
		return cannot_wait(wish->who, "the system moves no pages (move_pages)");
	fg_mover_forget(range->start, range->bytes);
	if (!fg_where->mark)
		return close_windows(wish->who, range, writes);
	fg_where->mark((void *)range->start, range->bytes, writes ? FG_MARK_NEXT_WRITE : FG_MARK_NEXT_TOUCH);
	return 0;
}

static int
check_when(const struct fg_wish *wish, enum fgomp_pages_when when)
{
	if ((unsigned)when > FGOMP_PAGES_ON_NEXT_WRITE)
		return fg_wish_bad(wish->who, "there is no time %d, they are 0 to %d", (int)when,
				   FGOMP_PAGES_ON_NEXT_WRITE);
	if (when < FGOMP_PAGES_ON_NEXT_TOUCH && wish->how == FGOMP_PAGES_FIRST_TOUCH)
		return fg_wish_bad(wish->who, "first touch is no place to move to");
	return 0;
}

int
fg_manager_move(const struct fg_wish *wish, const struct fg_managed *range, enum fgomp_pages_when when)
{
	fg_assert_outside(fg_self());
	struct fg_nodes allowed;
	struct fg_plan *plan = NULL;
	int error = check_range(range);
	if (error || (error = check_when(wish, when)))
		return error;
	if (when >= FGOMP_PAGES_ON_NEXT_TOUCH)
		return move_next(wish, range, when == FGOMP_PAGES_ON_NEXT_WRITE);
	if ((error = fg_wish_plan(wish, &plan, &allowed)))
		return error;
	settle_windows(range->start, range->bytes);
	bool strict = fg_wish_is_strict(wish);
	if (!fit(plan, range, &allowed, strict) && strict) {
		fg_memory_free(plan);
		return no_room(wish->who, range->bytes);
	}
	return move(wish, range, plan, when);
}

/* ---- What a node has, and what moving costs ---- */

size_t
fg_manager_room(unsigned node)
{
	struct fg_nodes allowed;
	fg_assert_outside(fg_self());
	bool may = !fg_where->allowed(&allowed) || fg_nodes_has(&allowed, node);
	return may && node < fg_where->nodes() ? fg_where_room(node, true) : 0;
}

static struct {
	struct fg_atomic_u32 known;
	struct fg_atomic_u64 call_ns, page_ns;
} price;

/* Two threads that ask first measure both, and either figure is good. */
unsigned long long
fg_manager_move_cost(size_t bytes, unsigned from, unsigned to)
{
	fg_assert_outside(fg_self());
	struct fg_migrate_price measured;
	size_t page = fg_host_page_size();
	unsigned n = fg_where->nodes();
	if (from >= n || to >= n)
		return ~0ull;
	if (from == to || !bytes)
		return 0;
	if (!fg_load_acquire(&price.known)) {
		if (!fg_migrate_price(from, to, &measured))
			return ~0ull;
		fg_store_relaxed(&price.call_ns, measured.call_ns);
		fg_store_relaxed(&price.page_ns, measured.page_ns);
		fg_store_release(&price.known, 1);
	}
	size_t pages = (bytes - 1) / page + 1, calls = (pages - 1) / FG_MIGRATE_PAGES + 1;
	return calls * fg_load_relaxed(&price.call_ns) + pages * fg_load_relaxed(&price.page_ns);
}
