/* Window set: windows that were closed together, and what the system does to their pages (floor: memory; called by
 * windows.c, in the handler of a fault too). All numbers but `bytes` are those of pages. Nothing here waits or
 * locks. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"
#include "platform/protection.h"

enum { FG_WINDOW_OPEN, FG_WINDOW_CLOSED, FG_WINDOW_MOVING };

/* The lists have an entry for each page, because a thread that moves a window must neither allocate nor have a large
 * frame. It owns the entries of its window. */
struct fg_window_set {
	uintptr_t first, end, unit;
	uintptr_t n; /* windows */
	size_t bytes;
	void **page;
	int *to, *node;
	struct fg_atomic_u32 ready;
	struct fg_atomic_u32 state[];
};

/* All windows are CLOSED, and the set is not ready. NULL: there is no memory. */
struct fg_window_set *fg_window_set_make(uintptr_t first, uintptr_t end);
void fg_window_set_free(struct fg_window_set *set);

/* The number of the window that has a page of the set, and a window's first page. */
static inline uintptr_t
fg_window_of(const struct fg_window_set *set, uintptr_t page)
{
	return page / set->unit - set->first / set->unit;
}
static inline uintptr_t
fg_window_first(const struct fg_window_set *set, uintptr_t window)
{
	uintptr_t first = (set->first / set->unit + window) * set->unit;
	return window == 0 ? set->first : first < set->end ? first : set->end;
}

bool fg_window_protect(uintptr_t first, uintptr_t end, enum fg_protection how);
/* These pages are open, and perhaps others of the set. */
void fg_window_open_pages(const struct fg_window_set *set, uintptr_t first, uintptr_t end);
/* The pages of a window, which are open, go to the node where the caller runs. Some may stay: the node is full, the
 * system moves none, a child of fork shares them, nobody has touched them. */
void fg_window_move(const struct fg_window_set *set, uintptr_t window);
