/* Marks (floor: sim): see marks.h. */
#include "sim/marks.h"

#include "exec/thread/identity.h"
#include "memory/windows.h"
#include "sim/memory.h"
#include "sim/pages.h"
#include "sim/sim.h"

#define WINDOW_BYTES ((uintptr_t)FG_WINDOW_PAGES * FG_HOME_PAGE)

static size_t marked; /* pages; those that the program has given back since count, too */

static void
mark_page(struct fg_page *page, enum fg_where_mark mark)
{
	if (!page || page->node < 0)
		return;
	marked -= page->mark != FG_MARK_NONE;
	marked += mark != FG_MARK_NONE;
	page->mark = mark;
}

void
fg_mark_set(uintptr_t first, uintptr_t last, enum fg_where_mark mark)
{
	for (uintptr_t number = first; number <= last && (marked || mark != FG_MARK_NONE); number++)
		mark_page(fg_page_find(number), mark);
}

static bool
is_met(uintptr_t number, bool writes)
{
	const struct fg_page *page = fg_page_find(number);
	return page && (page->mark == FG_MARK_NEXT_TOUCH || (writes && page->mark == FG_MARK_NEXT_WRITE));
}

static bool
move_to(uintptr_t number, unsigned node)
{
	const struct fg_page *page = fg_page_find(number);
	return (unsigned)page->node != node && fg_pages_room(node) && fg_memory_move(number, node);
}

static void
move_window(uintptr_t first, bool writes)
{
	fg_sim_locate();
	unsigned node = fg_model_node(&fg_sim.model, fg_sim.pu);
	double ns = fg_sim.model.move_fault + fg_sim.model.move_call;
	for (uintptr_t number = first; number < first + FG_WINDOW_PAGES; number++)
		if (is_met(number, writes)) {
			mark_page(fg_page_find(number), FG_MARK_NONE);
			ns += move_to(number, node) ? fg_sim.model.move_page : 0;
		}
	fg_sim_system((uint64_t)ns);
}

static void
meet(uintptr_t first, uintptr_t last, bool writes)
{
	while (first <= last && !is_met(first, writes))
		first++;
	if (first <= last)
		move_window(first / FG_WINDOW_PAGES * FG_WINDOW_PAGES, writes);
}

void
fg_mark_touch(const void *start, size_t bytes, bool writes)
{
	uintptr_t at = (uintptr_t)start, end = at + bytes;
	if (!marked || fg_sim.busy || (!fg_self() && !fg_carrier_sim_is_first())) {
		fg_memory_touch(start, bytes, writes);
		return;
	}
	for (uintptr_t next; at < end; at = next) {
		next = (at / WINDOW_BYTES + 1) * WINDOW_BYTES;
		if (next > end)
			next = end;
		meet(at / FG_HOME_PAGE, (next - 1) / FG_HOME_PAGE, writes);
		fg_memory_touch((void *)at, next - at, writes);
	}
}
