/* Share: the PUs of this process among those of the user's other programs (floor: share; called by dock_setup.c,
 * chores.c, grant.c, monitor.c, start.c and tests).
 *
 * The process joins the board at its first region of more than one member. From then on a look in a region stamps its
 * entry, and reads the entries of the others. A program that is alone makes no look for this, starts no thread for it,
 * and makes no system call. A program that becomes active adds 1 to `changes` of the board, and so does `forestgomp
 * limit`. Workers that wait read that word, and call the monitor where it has risen. While the process has fewer PUs
 * than alone, the monitor looks in each region.
 *
 * After a region the monitor looks on for a while. At the second such look the process takes its stamp back, so that
 * others have the PUs.
 *
 * The looks are those of grant.c, one at a time. They alone write the state here that is no atomic word. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "machine/cpuset.h"
#include "share/board.h"

enum fg_company {
	FG_COMPANY_NONE,
	FG_COMPANY_NEXT, /* there are others, or a limit: the monitor must look in the next region */
	FG_COMPANY_NOW,	 /* others are active, or may be: it must go on looking in this region */
};

/* All words but `on` change after the start. */
extern struct fg_sharing {
	bool on; /* FGOMP_SHARE is not off, and nothing speaks against it; written at the start only */
	struct fg_atomic_u32 asked;   /* 1: the process has tried to join */
	struct fg_atomic_ptr board;   /* NULL: it shares nothing */
	struct fg_atomic_u32 seen;    /* `changes` of the board at the last look */
	struct fg_atomic_u32 limit;   /* PUs that the process may use; 0: all */
	struct fg_atomic_u32 company; /* at the last look; enum fg_company */
	struct fg_atomic_u32 crowd;   /* so many active programs for each PU at the last look; 0: fewer than one */
} fg_sharing __attribute__((visibility("hidden")));

/* The library is loaded, and there is one thread. runtime_folder: $XDG_RUNTIME_DIR or NULL. */
void fg_share_start(const char *runtime_folder);
/* Joins the board, if the process has not tried yet. True: there are others, so the monitor must run. The caller is
 * about to open a region of more than one member. It is outside the runtime, and holds no lock. `bound` as below. */
bool fg_share_join(unsigned pus, bool bound, const struct fg_cpuset *cpus);
/* A look. One thread at a time calls it, at any place. cpus: the process's mask, with `pus` in it. Returns how many of
 * them the process may use, at least 1. */
struct fg_share_state {
	bool in_region;	    /* a region is in flight */
	bool bound;	    /* the process uses all that it has */
	unsigned busy, pus; /* PUs: it could keep them busy now; it has them by its mask and quota */
	unsigned outside;   /* thousandths of PUs that others use (outside.h) */
	int root;	    /* the PU where its root is, by the kernel's numbers; below 0: it is not known */
};
unsigned fg_share_look(uint64_t now, const struct fg_share_state *state, const struct fg_cpuset *cpus);
/* The program is in no region, and waits for long: others may have its PUs at once. Then the wait is over. Both count
 * as looks, so one thread at a time calls them. They do nothing where the program is not active on a board, or does not
 * rest. */
void fg_share_rest(uint64_t now);
void fg_share_return(uint64_t now);
/* As fg_share_rest, but nothing is waited for: the runtime shuts down. */
void fg_share_pause(uint64_t now);
/* A program has become active since the last look. Any thread may ask anywhere. */
static inline bool
fg_share_has_news(void)
{
	struct fg_board *board = fg_load_acquire(&fg_sharing.board);
	return board && fg_load_relaxed(&board->changes) != fg_load_relaxed(&fg_sharing.seen);
}
/* The monitor must look, if a region is in flight. */
static inline bool
fg_share_calls(void)
{
	return fg_share_has_news() || fg_load_relaxed(&fg_sharing.company) != FG_COMPANY_NONE;
}
static inline bool
fg_share_goes_on(void)
{
	return fg_load_relaxed(&fg_sharing.company) == FG_COMPANY_NOW;
}
/* The time for which the process had fewer PUs than it has alone, ns. */
uint64_t fg_share_time(void);
/* The process ends: its entry is free. */
void fg_share_end(void);
void fg_share_after_fork(void);
