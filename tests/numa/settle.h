// Does memory come to its users? A program here calls settle: it sweeps over its arrays until their pages lie well, or
// until it is clear that they never will. Then comes one more phase, and that one is judged.
#pragma once
#include "nodes.h"

#include "count.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Pages move by the clock, so a fast machine needs more rounds.
enum { SETTLE_EACH = 4, SETTLE_ROUNDS = 20, SETTLE_SECONDS = 30, SETTLE_PAGES = 64 };

static unsigned settle_here, settle_elsewhere; // pages that settle_ask has found

// Each thread asks for the memory that it uses: some pages of it count, by whether they lie on the thread's node.
static inline void
settle_ask(const void *start, size_t bytes)
{
	void *page[SETTLE_PAGES];
	int on[SETTLE_PAGES];
	unsigned own, here = 0, elsewhere = 0;
	for (size_t i = 0; i < SETTLE_PAGES; i++)
		page[i] = (void *)(((uintptr_t)start + bytes / SETTLE_PAGES * i + bytes / SETTLE_PAGES / 2) &
				   ~(uintptr_t)4095);
	if (syscall(SYS_getcpu, NULL, &own, NULL) != 0 ||
	    syscall(SYS_move_pages, 0, (unsigned long)SETTLE_PAGES, page, NULL, on, 0) != 0)
		return;
	for (size_t i = 0; i < SETTLE_PAGES; i++) {
		here += on[i] == (int)own;
		elsewhere += on[i] >= 0 && on[i] != (int)own;
	}
	__atomic_fetch_add(&settle_here, here, __ATOMIC_RELAXED);
	__atomic_fetch_add(&settle_elsewhere, elsewhere, __ATOMIC_RELAXED);
}

// The part of the pages asked for since the last call that are elsewhere.
static inline double
settle_share(void)
{
	unsigned here = settle_here, elsewhere = settle_elsewhere;
	settle_here = settle_elsewhere = 0;
	return here + elsewhere ? (double)elsewhere / (here + elsewhere) : 0;
}

// What the calling thread gets of n iterations under schedule(static).
static inline void
settle_part(size_t n, size_t *first, size_t *count)
{
	size_t threads = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
	size_t each = n / threads, more = n % threads;
	*first = me * each + (me < more ? me : more);
	*count = each + (me < more);
}

// Does the library under test move memory?
static inline bool
settle_moves(void)
{
	const char *memory = getenv("FGOMP_MEMORY");
	return memory && strncmp(memory, "auto", 4) == 0;
}

static inline void
settle_steps(void (*step)(void), const char *phase)
{
	count_phase(phase);
	for (int i = 0; i < SETTLE_EACH; i++)
		step();
}

// `away` tells which part of the pages lies badly; `wanted` is well enough. The phases are "first", "meanwhile" and
// "last". Returns how many steps there were.
static inline size_t
settle(void (*step)(void), double (*away)(void), double wanted)
{
	size_t rounds = 0, most = settle_moves() ? SETTLE_ROUNDS : 2;
	double seconds = settle_moves() ? SETTLE_SECONDS : 0;
	long moved = pages_moved();
	double begun = check_now(), share;
	settle_steps(step, "first");
	count_phase("meanwhile");
	do {
		for (int i = 0; i < SETTLE_EACH; i++)
			step();
		share = away();
	} while ((++rounds < most || check_now() - begun < seconds) && share > wanted);
	settle_steps(step, "last");
	count_end();
	count_note("%.1f s, %zu steps, %ld pages moved, %.1f%% lie badly", check_now() - begun,
		   (rounds + 2) * SETTLE_EACH, pages_moved() - moved, 100 * share);
	return (rounds + 2) * SETTLE_EACH;
}
