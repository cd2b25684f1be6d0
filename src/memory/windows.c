/* Windows (floor: memory): see windows.h.
 *
 * A window is OPEN, CLOSED, or MOVING while one thread opens it and moves its pages. Windows that were closed together
 * are a set. Sets stand in places of a table that only grows, so the handler of faults finds them without a lock.
 *
 * Invariants. (1) If pages of a window are closed, its state is CLOSED or MOVING, or its set is not yet ready. (2) A
 * window leaves MOVING only by the thread that has brought it there. (3) `opens` has changed since pages were opened
 * whenever their window is OPEN, or their set is gone.
 * Sketch of the proof.
 * (1): the thread that closes pages has published their set before, with all windows CLOSED and `ready` 0. A thread
 * that faults waits for `ready`, so no window is opened before it is closed. Pages are opened by the thread that brings
 * the window to MOVING, before the window is OPEN. Only one thread closes at a time, and it has brought older windows
 * there to OPEN before.
 * (2): a compare-and-swap from CLOSED is the only way to MOVING, so one thread has it, and moves the pages once.
 * (3): `opens` is added to after the pages are open and before the release store of OPEN, or of 0 to the place. The
 * handler acquires what it finds in the place and the window, and loads `opens` afterwards.
 *
 * So a fault is one of three. A window there is CLOSED or MOVING: the thread moves it, or sleeps. None is, but `opens`
 * has changed since the thread last tried again for this reason: another thread may have opened the page since the
 * fault, so the thread tries again. Else the fault is the program's own, or was brought about by mremap, which takes
 * closed pages to where no window is.
 *
 * A set is freed by a thread with the lock, once all its windows are OPEN. It stores 0 to the place and then looks at
 * the place's `users`. The handler adds itself to the users and then looks at the place again. A full fence stands
 * between the two on both sides, so either the handler sees 0, or the other thread sees a user and waits.
 *
 * The lock is a word of its own, because sigaction is called in handlers of the program too. All signals are blocked
 * while it is held. So no handler finds it held by its own thread, and no tick takes the thread off its PU. The holder
 * touches no memory of the program. */
#include "memory/windows.h"

#include <errno.h>
#include <string.h>

#include "base/carrier.h"
#include "memory/window_set.h"
#include "platform/host.h"
#include "platform/kernel_mask.h"
#include "platform/map.h"
#include "platform/process.h"
#include "platform/protection.h"
#include "platform/signal_action.h"

#define PLACES 100

enum { OPEN = FG_WINDOW_OPEN, CLOSED = FG_WINDOW_CLOSED, MOVING = FG_WINDOW_MOVING };
enum { FREE, HELD, WANTED }; /* WANTED: and perhaps others sleep until it is free */

struct place {
	struct fg_atomic_u64 first, end; /* addresses; first is 0: the place is free */
	struct fg_atomic_u32 users;
	struct fg_window_set *set;
};
struct table {
	struct fg_atomic_ptr next;
	struct place places[PLACES];
};

static struct {
	struct table table;
	struct fg_atomic_u32 changing; /* the lock */
	struct fg_atomic_u32 used;     /* some window was closed at some time */
	struct fg_atomic_u64 closed;   /* windows; a hint */
	struct fg_atomic_u64 opens;
	long process;
} windows;
/* The low half, because modules that dlopen loads leave little room for thread-local data. */
static __thread uint32_t opens_met __attribute__((tls_model("initial-exec")));

#define EACH_PLACE(place)                                                                                              \
	for (struct table *table = &windows.table; table; table = fg_load_acquire(&table->next))                       \
		for (struct place *place = table->places; place < table->places + PLACES; place++)

static uint64_t
lock(void)
{
	uint64_t mask = fg_mask_now();
	fg_mask_set(FG_MASK_ALL);
	uint32_t none = FREE;
	if (!fg_cas_acquire(&windows.changing, &none, HELD))
		while (fg_exchange_acquire(&windows.changing, WANTED) != FREE)
			fg_carrier->wait(&windows.changing, WANTED, 0);
	return mask;
}

static void
unlock(uint64_t mask)
{
	if (fg_exchange_acq_rel(&windows.changing, FREE) == WANTED)
		fg_carrier->wake(&windows.changing, 1);
	fg_mask_set(mask);
}

/* ---- Windows ---- */

static void
open_pages(const struct fg_window_set *set, uintptr_t first, uintptr_t end)
{
	fg_window_open_pages(set, first, end);
	fg_add_relaxed(&windows.opens, 1);
}

static bool
claim(struct fg_window_set *set, uintptr_t window)
{
	uint32_t closed = CLOSED;
	if (!fg_cas_relaxed(&set->state[window], &closed, MOVING))
		return false;
	fg_add_relaxed(&windows.closed, (uint64_t)-1);
	return true;
}

static void
let_in(struct fg_window_set *set, uintptr_t window)
{
	fg_store_release(&set->state[window], OPEN);
	fg_carrier->wake(&set->state[window], ~0u >> 1);
}

/* True: the window was not open when the thread met it. */
static bool
serve(struct fg_window_set *set, uintptr_t window)
{
	bool met = false;
	while (!fg_load_acquire(&set->ready))
		fg_carrier->wait(&set->ready, 0, 0);
	for (;;) {
		uint32_t state = fg_load_acquire(&set->state[window]);
		if (state == OPEN)
			return met;
		if (claim(set, window)) {
			open_pages(set, fg_window_first(set, window), fg_window_first(set, window + 1));
			fg_window_move(set, window);
			let_in(set, window);
			return true;
		}
		if (state == MOVING)
			fg_carrier->wait(&set->state[window], MOVING, 0);
		met = true;
	}
}

static void
wait_until_open(struct fg_window_set *set, uintptr_t window)
{
	while (fg_load_acquire(&set->state[window]) == MOVING)
		fg_carrier->wait(&set->state[window], MOVING, 0);
}

/* Neighbours open together. */
static void
open_windows(struct fg_window_set *set, uintptr_t low, uintptr_t high)
{
	for (uintptr_t window = low; window < high; window++) {
		uintptr_t end = window;
		while (end < high && claim(set, end))
			end++;
		if (end > window)
			open_pages(set, fg_window_first(set, window), fg_window_first(set, end));
		for (uintptr_t i = window; i < end; i++)
			let_in(set, i);
		wait_until_open(set, window);
		window = end > window ? end - 1 : window;
	}
}

/* ---- Sets ---- */

static bool
is_open(const struct fg_window_set *set)
{
	for (uintptr_t window = 0; window < set->n; window++)
		if (fg_load_acquire(&set->state[window]) != OPEN)
			return false;
	return true;
}

/* ---- Places ---- */

static bool
holds(struct place *place, uintptr_t address)
{
	uint64_t first = fg_load_acquire(&place->first);
	return first && address >= first && address < fg_load_acquire(&place->end);
}

static void
leave(struct place *place)
{
	fg_sub_acq_rel(&place->users, 1);
	fg_fence_seq_cst();
	if (!fg_load_relaxed(&place->first))
		fg_carrier->wake(&place->users, 1);
}

static void
retire_locked(struct place *place)
{
	uint32_t users;
	fg_store_release(&place->first, 0);
	fg_fence_seq_cst();
	while ((users = fg_load_acquire(&place->users)))
		fg_carrier->wait(&place->users, users, 0);
	fg_window_set_free(place->set);
	place->set = NULL;
}

static void
open_locked(uintptr_t first, uintptr_t end)
{
	EACH_PLACE(place)
	{
		struct fg_window_set *set = place->set;
		if (!set)
			continue;
		if (set->first < end && first < set->end) {
			uintptr_t low = first > set->first ? first : set->first, high = end < set->end ? end : set->end;
			open_windows(set, fg_window_of(set, low), fg_window_of(set, high - 1) + 1);
		}
		if (is_open(set))
			retire_locked(place);
	}
}

static struct place *
free_place_locked(void)
{
	struct table *last = &windows.table;
	EACH_PLACE(place)
	{
		last = table;
		if (!place->set)
			return place;
	}
	struct table *made = fg_map(sizeof *made);
	if (!made)
		return NULL;
	fg_store_release(&last->next, made);
	return made->places;
}

/* ---- For the program ---- */

static void
publish_locked(struct place *place, struct fg_window_set *set)
{
	size_t page = fg_host_page_size();
	place->set = set;
	fg_store_release(&place->end, set->end * page);
	fg_store_release(&place->first, set->first * page);
	fg_add_relaxed(&windows.closed, set->n);
}

static enum fg_windows_result
may_close_locked(const struct fg_window_set *set, const struct fg_windows_wish *wish)
{
	size_t page = fg_host_page_size();
	if (!fg_protection_is_open(set->first * page, (set->end - set->first) * page))
		return FG_WINDOWS_NOT_OPEN;
	return wish->handled() ? FG_WINDOWS_CLOSED : FG_WINDOWS_NOT_HANDLED;
}

/* False: the process has too many mappings. The set is gone then. */
static bool
close_locked(struct place *place, struct fg_window_set *set, bool writes)
{
	uintptr_t first = set->first, end = set->end;
	publish_locked(place, set);
	bool done = fg_window_protect(first, end, writes ? FG_CLOSED_TO_WRITES : FG_CLOSED);
	fg_store_release(&set->ready, 1);
	fg_carrier->wake(&set->ready, ~0u >> 1);
	if (!done)
		open_locked(first, end);
	return done;
}

static void
begin_locked(void)
{
	if (fg_load_relaxed(&windows.used))
		return;
	windows.process = fg_process_id();
	fg_store_release(&windows.used, 1);
}

enum fg_windows_result
fg_windows_close(const struct fg_windows_wish *wish)
{
	size_t page = fg_host_page_size();
	uintptr_t first = (wish->start + page - 1) / page, end = wish->end / page;
	if (first >= end)
		return FG_WINDOWS_CLOSED;
	struct fg_window_set *set = fg_window_set_make(first, end);
	if (!set)
		return FG_WINDOWS_NO_MEMORY;
	uint64_t mask = lock();
	begin_locked();
	open_locked(first, end);
	enum fg_windows_result result = may_close_locked(set, wish);
	struct place *place = result == FG_WINDOWS_CLOSED ? free_place_locked() : NULL;
	if (!place)
		fg_window_set_free(set);
	if (result == FG_WINDOWS_CLOSED && !(place && close_locked(place, set, wish->writes)))
		result = FG_WINDOWS_NO_MEMORY;
	unlock(mask);
	return result;
}

void
fg_windows_open(uintptr_t start, uintptr_t end)
{
	size_t page = fg_host_page_size();
	if (!fg_load_acquire(&windows.used))
		return;
	uint64_t mask = lock();
	open_locked(start / page, end / page + (end % page != 0));
	unlock(mask);
}

int
fg_windows_sigaction(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction wanted, was;
	if (!action)
		return fg_signal_action(SIGSEGV, NULL, old);
	wanted = *action;
	uint64_t mask = lock();
	open_locked(0, UINTPTR_MAX);
	int result = fg_signal_action(SIGSEGV, &wanted, &was);
	int error = errno;
	unlock(mask);
	errno = error;
	if (old && result == 0)
		*old = was;
	return result;
}

/* ---- Faults ---- */

static bool
is_moved(uintptr_t address)
{
	uintptr_t start, end;
	if (!fg_load_relaxed(&windows.closed) || !fg_protection_lost(address, &start, &end))
		return false;
	return fg_protect(start, end - start, FG_OPEN);
}

/* A child that came by a bare system call has neither the threads that moved windows nor the holder of the lock. There
 * all windows of the set open, and stay as they are told to be. */
static bool
is_served(uintptr_t address)
{
	bool served = false, in_child = fg_process_id() != windows.process;
	EACH_PLACE(place)
	{
		if (!holds(place, address))
			continue;
		fg_add_relaxed(&place->users, 1);
		fg_fence_seq_cst();
		served = holds(place, address);
		if (served && in_child)
			open_pages(place->set, place->set->first, place->set->end);
		else if (served)
			served = serve(place->set, fg_window_of(place->set, address / fg_host_page_size()));
		leave(place);
		if (served)
			return true;
	}
	return false;
}

bool
fg_windows_fault(const void *at)
{
	uintptr_t address = (uintptr_t)at;
	if (!fg_load_acquire(&windows.used))
		return false;
	if (is_served(address))
		return true;
	uint32_t opens = (uint32_t)fg_load_relaxed(&windows.opens);
	bool changed = opens != opens_met;
	opens_met = opens;
	return changed || is_moved(address);
}

void
fg_windows_after_fork(void)
{
	if (!fg_load_relaxed(&windows.used))
		return;
	EACH_PLACE(place)
	{
		if (fg_load_relaxed(&place->first)) {
			open_pages(place->set, place->set->first, place->set->end);
			fg_window_set_free(place->set);
		}
		*place = (struct place){0};
	}
	fg_store_relaxed(&windows.changing, FREE);
	fg_store_relaxed(&windows.closed, 0);
	windows.process = fg_process_id();
}
