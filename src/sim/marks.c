/* Marks (floor: sim): see marks.h. */
#include "sim/marks.h"

#include "memory/windows.h"
#include "sim/memory.h"
#include "sim/pages.h"
#include "sim/sim.h"

void
fg_mark_set(uintptr_t first, uintptr_t last, enum fg_where_mark mark)
{
	for (uintptr_t number = first; number <= last; number++) {
		struct fg_page *page = fg_page_find(number);
		if (page && page->node >= 0)
			page->mark = mark;
	}
}

static bool
move_to(uintptr_t number, unsigned node)
{
	const struct fg_page *page = fg_page_find(number);
	return (unsigned)page->node != node && fg_pages_room(node) && fg_memory_move(number, node);
}

static void
move_window(uintptr_t first, enum fg_where_mark mark)
{
	unsigned node = fg_model_node(&fg_sim.model, fg_sim.pu);
	double ns = fg_sim.model.move_fault + fg_sim.model.move_call;
	for (uintptr_t number = first; number < first + FG_WINDOW_PAGES; number++) {
		struct fg_page *page = fg_page_find(number);
		if (!page || page->mark != mark)
			continue;
		page->mark = FG_MARK_NONE;
		ns += move_to(number, node) ? fg_sim.model.move_page : 0;
	}
	fg_sim_spend(FG_SPENT_SYSTEM, (uint64_t)ns);
	fg_sim_let_others();
}

void
fg_mark_meet(uintptr_t number, bool writes)
{
	const struct fg_page *page = fg_page_find(number);
	if (page && page->mark && (writes || page->mark == FG_MARK_NEXT_TOUCH))
		move_window(number / FG_WINDOW_PAGES * FG_WINDOW_PAGES, page->mark);
}
