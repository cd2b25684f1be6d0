/* Window sets (floor: memory): see window_set.h. */
#include "memory/window_set.h"

#include "memory/where.h"
#include "memory/windows.h"
#include "platform/host.h"
#include "platform/map.h"

/* Each window that opens by itself may cut a mapping in two, and the kernel allows 65,530 mappings. */
#define WINDOWS_MOST 16384

/* Whole huge pages, if there can be any, because to close a part of one splits it. */
static uintptr_t
unit_for(uintptr_t first, uintptr_t end)
{
	uintptr_t most = FG_WINDOW_PAGES_MOST, unit = FG_WINDOW_PAGES;
	bool whole = (first + most - 1) / most < end / most;
	if (whole && fg_protection_meets_huge_pages())
		return most;
	while (unit < most && (end - first) / unit >= WINDOWS_MOST)
		unit *= 2;
	return unit;
}

struct fg_window_set *
fg_window_set_make(uintptr_t first, uintptr_t end)
{
	uintptr_t unit = unit_for(first, end), n = (end - 1) / unit - first / unit + 1, pages = end - first;
	size_t head = (sizeof(struct fg_window_set) + n * sizeof(struct fg_atomic_u32) + 15) & ~(size_t)15,
	       bytes = head + pages * (sizeof(void *) + 2 * sizeof(int));
	struct fg_window_set *set = fg_map_unreserved(bytes);
	if (!set)
		return NULL;
	set->first = first;
	set->end = end;
	set->unit = unit;
	set->n = n;
	set->bytes = bytes;
	set->page = (void *)((char *)set + head);
	set->to = (int *)(set->page + pages);
	set->node = set->to + pages;
	for (uintptr_t window = 0; window < n; window++)
		fg_store_relaxed(&set->state[window], FG_WINDOW_CLOSED);
	return set;
}

void
fg_window_set_free(struct fg_window_set *set)
{
	fg_unmap(set, set->bytes);
}

bool
fg_window_protect(uintptr_t first, uintptr_t end, enum fg_protection how)
{
	size_t page = fg_host_page_size();
	return fg_protect(first * page, (end - first) * page, how);
}

/* Where the process has too many mappings, the whole set opens, because then its mappings become one. Where the program
 * has unmapped some pages, the others open one by one. */
void
fg_window_open_pages(const struct fg_window_set *set, uintptr_t first, uintptr_t end)
{
	if (fg_window_protect(first, end, FG_OPEN) || fg_window_protect(set->first, set->end, FG_OPEN))
		return;
	for (uintptr_t page = first; page < end; page++)
		fg_window_protect(page, page + 1, FG_OPEN);
}

/* Kernels before 6.18 do not find pages that are closed. */
void
fg_window_move(const struct fg_window_set *set, uintptr_t window)
{
	uintptr_t begin = fg_window_first(set, window) - set->first,
		  end = fg_window_first(set, window + 1) - set->first;
	size_t size = fg_host_page_size();
	int here = (int)fg_where->here();
	if (!fg_where->move)
		return;
	for (uintptr_t i = begin; i < end; i++) {
		set->page[i] = (void *)((set->first + i) * size);
		set->to[i] = here;
	}
	fg_where->move((unsigned)(end - begin), set->page + begin, set->to + begin, set->node + begin);
}
