/* Windows that wait for their next touch: threads touch them while others touch the same ones, close them anew, or open
 * them. No thread is killed, and each window moves once for each time that it was closed, by one thread.
 *
 * Sources: memory/window_set.c memory/windows.c
 * Constants: memory/windows.c PLACES=1
 */
#include "memory/windows.h"

#include "interleave/model.h"
#include "memory/where.h"
#include "memory/window_set.h"
#include "platform/host.h"
#include "platform/kernel_mask.h"
#include "platform/map.h"
#include "platform/memory.h"
#include "platform/protection.h"

enum { WINDOWS = 2, FIRST = 16 * FG_WINDOW_PAGES };

/* What the system does to the pages of each window. The plain words find two threads that move a window at a time, or
 * one that goes on before the move is over. */
static struct fg_atomic_u32 protection[WINDOWS];
static unsigned moves[WINDOWS];
static unsigned closings;

uint64_t
fg_mask_now(void)
{
	return 0;
}

void
fg_mask_set(uint64_t mask)
{
	(void)mask;
}

void *
fg_map(size_t bytes)
{
	return fg_memory_zeroed(bytes);
}

/* The broken variant lets threads open windows that are not closed yet. */
void *
fg_map_unreserved(size_t bytes)
{
	struct fg_window_set *set = fg_memory_zeroed(bytes);
	if (model_broken("not_ready"))
		fg_store_relaxed(&set->ready, 1);
	return set;
}

void
fg_unmap(void *start, size_t bytes)
{
	(void)bytes;
	fg_memory_free(start);
}

bool
fg_protect(uintptr_t start, size_t bytes, enum fg_protection how)
{
	uintptr_t first = start / fg_host_page_size() - FIRST, end = first + bytes / fg_host_page_size();
	for (uintptr_t page = first; page < end; page += FG_WINDOW_PAGES)
		fg_store_seq_cst(&protection[page / FG_WINDOW_PAGES], how);
	return true;
}

bool
fg_protection_is_open(uintptr_t start, size_t bytes)
{
	(void)start;
	return bytes > 0;
}

bool
fg_protection_lost(uintptr_t address, uintptr_t *start, uintptr_t *end)
{
	*start = *end = address;
	return false;
}

bool
fg_protection_meets_huge_pages(void)
{
	return false;
}

static unsigned
here(void)
{
	return 0;
}

static bool
move(unsigned n, void *const *pages, const int *to, int *node)
{
	uintptr_t window = ((uintptr_t)pages[0] / fg_host_page_size() - FIRST) / FG_WINDOW_PAGES;
	model_assert(n == FG_WINDOW_PAGES && fg_load_seq_cst(&protection[window]) == FG_OPEN);
	moves[window]++;
	node[0] = to[0];
	return true;
}

static const struct fg_where where = {.here = here, .move = move};
const struct fg_where *fg_where = &where;

static bool
handled(void)
{
	return true;
}

static uintptr_t
address(unsigned window)
{
	return (FIRST + window * FG_WINDOW_PAGES) * fg_host_page_size();
}

static void
close_from(unsigned first, unsigned end)
{
	struct fg_windows_wish wish = {address(first), address(end), .handled = handled};
	closings++;
	model_assert(fg_windows_close(&wish) == FG_WINDOWS_CLOSED);
}

static void
close_all(void)
{
	close_from(0, WINDOWS);
}

/* As the processor: the instruction is tried again after each fault. True: there was one. */
static bool
touch(unsigned window)
{
	bool faults = false;
	while (fg_load_seq_cst(&protection[window]) != FG_OPEN) {
		model_assert(fg_windows_fault((void *)address(window)));
		faults = true;
	}
	return faults;
}

/* Nobody closes these windows meanwhile. So a thread that has met a closed one goes on when the move is over. */
static void
touch_moved(unsigned window)
{
	if (touch(window))
		model_assert(moves[window] == 1);
}

static void
touch_up(void)
{
	touch_moved(0);
	touch_moved(1);
}

static void
touch_down(void)
{
	touch_moved(1);
	touch_moved(0);
}

static void
check_moved(void)
{
	model_assert(moves[0] == 1 && moves[1] == 1);
}

MODEL_SCENARIO(windows_two, .setup = close_all, .thread = {touch_up, touch_down}, .check = check_moved,
	       .broken = MODEL_BROKEN("drop wake", "weaken let_in:store_release", "drop open_pages:add_relaxed"));

static void
touch_both(void)
{
	touch(0);
	touch(1);
}

static void
close_anew(void)
{
	close_all();
}

/* Windows that are closed are moved by the next touch, and none more often than it was closed. */
static void
check_all(void)
{
	unsigned before[WINDOWS];
	for (unsigned i = 0; i < WINDOWS; i++) {
		before[i] = moves[i];
		bool closed = fg_load_seq_cst(&protection[i]) != FG_OPEN;
		touch(i);
		model_assert(moves[i] == before[i] + closed && moves[i] <= closings);
	}
}

MODEL_SCENARIO(windows_closed_anew, .setup = close_all, .thread = {touch_both, close_anew}, .check = check_all,
	       .broken = MODEL_BROKEN("fault not_ready", "drop is_served:add_relaxed", "weaken is_served:fence_seq_cst",
				      "weaken retire_locked:fence_seq_cst", "weaken leave:fence_seq_cst",
				      "drop retire_locked:store_release"));

static void
open_second(void)
{
	fg_windows_open(address(1), address(2));
	model_assert(fg_load_seq_cst(&protection[1]) == FG_OPEN && moves[1] <= 1);
}

static void
touch_second(void)
{
	touch(1);
}

MODEL_SCENARIO(windows_opened, .setup = close_all, .thread = {touch_second, open_second}, .check = check_all,
	       .broken = MODEL_BROKEN("drop wake", "drop open_pages:add_relaxed",
				      "weaken wait_until_open:load_acquire"));

static void
close_second(void)
{
	close_from(1, 2);
}

static void
open_first(void)
{
	fg_windows_open(address(0), address(1));
}

/* Two threads change windows while a third one touches them. */
MODEL_SCENARIO(windows_changed, .setup = close_all, .thread = {touch_both, close_second, open_first},
	       .check = check_all, .broken = MODEL_BROKEN("drop wake", "weaken lock:exchange_acquire"));
