/* Learnt: the times of this program's regions by the number of PUs that it has, and what it asks for by them (floor:
 * share; called by share.c, kept.c, the floor team and tests).
 *
 * Beside other programs the process has fewer PUs at one time than at another, and its teams keep their sizes. So the
 * times of a region tell how many PUs it makes use of. A look lets some of the next regions be timed. A program that is
 * alone has no looks, so it times nothing.
 *
 * Only outermost regions of a single thread are timed, one at a time, and by their code and their size. The thread that
 * has swapped `team` in has the run:
 *
 *     Invariant: the words of the run are written by the thread whose team is in `team`, or by none.
 *
 * Proof: `team` goes from NULL to a team by a swap of the thread that meets its region, and back to NULL by that thread
 * (release), after its last word. A region that is never left keeps `team`. Its thread may take that team again, and
 * goes on. If it never does, nothing is timed any more, and the program asks for all PUs.
 *
 * A look reads the words of the run while they may change. It then takes one region for another for 2 ms.
 *
 * With a file (kept.h) each region has a name, by which another run knows it. The thread that swaps ASKED in writes
 * the name and the points that the file knows, then KNOWN (release). So a thread that sees KNOWN (acquire) sees the
 * name, and nobody writes it again. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"

struct fg_curve;
struct fg_notebook_region;
struct fg_team;

extern struct fg_learnt {
	struct fg_atomic_u32 runs; /* so many regions may be timed until the next look */
	struct fg_atomic_ptr team; /* of the region that is timed now */
} fg_learnt __attribute__((visibility("hidden")));

/* A region begins, which may be timed. Two threads may take one run for two, or two for one. */
static inline bool
fg_learnt_wants(void)
{
	uint32_t runs = fg_load_relaxed(&fg_learnt.runs);
	if (runs)
		fg_store_relaxed(&fg_learnt.runs, runs - 1);
	return runs != 0;
}
/* A file may tell of the region, and has not been asked. Then the caller finds its name, and recalls. */
bool fg_learnt_is_new(const void *code, unsigned size);
/* The region has this name, and begins with what the file knows; NULL: nothing. The caller is outside. Once for each
 * region that was new. */
void fg_learnt_recall(const void *code, unsigned size, const char *name, const struct fg_notebook_region *known);
/* The team is about to run a region, of this code and with so many members. True: it is timed. */
bool fg_learnt_begin(uint64_t now, const struct fg_team *team, const void *code, unsigned size);
static inline bool
fg_learnt_times(const struct fg_team *team)
{
	return fg_load_relaxed(&fg_learnt.team) == team;
}
/* The team whose region is timed leaves it. */
void fg_learnt_end(uint64_t now);

/* Those of looks, one at a time. A look: the process has `pus` PUs at most, and `has` now. By its share it may use
 * `most`. Returns how many it asks for. */
unsigned fg_learnt_look(uint64_t now, bool in_region, unsigned pus, unsigned has, unsigned most);
/* How many of the PUs of its share it uses: no more than it asks for, and fewer in a trial. */
unsigned fg_learnt_bound(unsigned pus);
/* From now on it has so many PUs. `disturbed`: they are not its own. */
void fg_learnt_has(uint64_t now, unsigned pus, bool disturbed);
/* The next region that has a name, and of which enough was known, from *place on; it is 0 at first. False: there is
 * none. `name` has FG_NOTEBOOK_NAME bytes. */
bool fg_learnt_kept(unsigned *place, char *name, unsigned *size, struct fg_curve *curve);
/* The program is alone: it asks for nothing. */
void fg_learnt_alone(void);
/* What the server is told, as published: PUs. 0: it is not known. Any thread may ask. The two may be of two looks. */
unsigned fg_learnt_optimal(void);
unsigned fg_learnt_best(void);
void fg_learnt_after_fork(void);
