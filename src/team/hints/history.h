/* Load history: the CPU times of earlier runs of a parallel region are the loads of its next run (floor: team; called
 * by region/region.c, region/member.h and loads.c).
 *
 * The histories form a tree, which mirrors how the program nests its regions. A history has a site for each member. A
 * region is known by three things: the address of its code, its size, and the site of the member that meets it. So if
 * members 3 and 5 meet the same code, each has a history of its own.
 *
 * Invariant: only the thread that runs as a site's member reads or changes the things below the site. One thread at
 * a time runs a member, and each sees all that the thread before it did. So nothing here is locked or atomic, except
 * the count of the memory in use. While a region is in flight its `loads` does not change, because policies read it.
 *
 * The caller is inside, without a lock and in no signal handler. Memory is the runtime's. */
#pragma once
#include "exec/thread/identity.h"
#include "forest/time.h"

struct fg_load_history;
struct fg_recall;
struct fg_team;

/* A site keeps the histories of the regions that one member, or one root, meets. Each site has a cache line of its own,
 * because members meet regions at the same time. */
struct fg_load_history_site {
	/* The history that was met last. The histories form a circular list, in the order in which they were first met.
	 * So the one after it in the list is most likely met next. */
	_Alignas(64) struct fg_load_history *last;
	uint32_t n, met; /* histories in the list; regions met here so far */
};

struct fg_load_history {
	struct fg_load_history *next;
	void (*fn)(void *);
	unsigned size;
	uint32_t met, last_met; /* how often it was met; the site's `met` at the last time */
	uint32_t measured;	/* how often it was measured */
	uint32_t skip, period;	/* runs to skip before the next measurement; `skip` starts again from `period` */
	struct {
		uint32_t seats;	  /* which choice (seats.h) */
		uint64_t ns;	  /* 0: none */
	} took[2];		  /* timed runs, if it is outermost */
	bool in_flight;		  /* the region runs: the history is not found again, nor dropped, until its end */
	struct fg_recall *recall; /* the areas of its last run (recall.h); NULL: none were known */
	float load;		  /* of the whole region, in nanoseconds */
	float nested;		  /* The part of `load` that belongs to the regions that its members met. */
	float *loads;		  /* Of the members, for the policies. Invariant: measured != 0 => loads[i] > 0. */
	float *mean, *last;	  /* measured loads: smoothed, and of the last run */
	struct fg_load_history_site site[]; /* of the members */
};

/* Limits: the histories of one site, and the bytes of all histories. A history is stale if none of the site's last
 * FG_LEARNT_STALE regions was its. */
enum { FG_LEARNT_REGIONS = 64, FG_LEARNT_STALE = 256, FG_LEARNT_BYTES = 8 << 20 };

/* Returns the history of the region as met at the site, and makes it if need be. If a limit is reached, the new history
 * replaces the oldest stale one of the site. NULL: there is none, or no memory. */
struct fg_load_history *fg_load_history_find(struct fg_load_history_site *site, void (*fn)(void *), unsigned size);
/* Asked each time the region is met. True: this run must be measured. */
bool fg_load_history_due(struct fg_load_history *learnt);
/* Notes the CPU time of a run, by member. */
void fg_load_history_note(struct fg_load_history *learnt, const struct fg_time *times);
void fg_load_history_forget(struct fg_load_history_site *site);

/* Calls around a region of more than one member, where some policy wants to know CPU times (fg_clock_on): before the
 * region's fork, after its join, and in each member as it begins. */
void fg_load_history_begin(struct fg_identity *self, struct fg_team *team);
void fg_load_history_end(struct fg_identity *self, struct fg_team *team);
void fg_load_history_member(struct fg_identity *self, struct fg_team *team, unsigned num);
