/* Load history: what each parallel region used of PUs the last times, as the loads of the next (floor: team; called by region/region.c).
 *
 * A tree that mirrors the program's: a region is known by the address of its code, its size, and where it was met: by which member of which
 * region that is known. So what member 3 meets is another region than what member 5 meets with the same code.
 *
 * Invariant: what lies below a seat is looked at and changed only by the thread that runs as the seat's member, and a member is run by one
 * thread at a time, handed on with all that went before. So nothing here is locked, or atomic, but the memory that is used in all.
 * Of a region in flight, `loads` does not change: policies read it. */
#pragma once
#include "exec/thread/identity.h"
#include "forest/time.h"

struct fg_load_history;
struct fg_team;

/* Where regions are met. A line each: members meet them at the same time. */
struct fg_load_history_seat {
	_Alignas(64) struct fg_load_history
		*last; /* in a ring, in the order in which they were first met: the next is most likely the one met next */
	uint32_t n, met; /* in the ring; regions met here so far */
};

struct fg_load_history {
	struct fg_load_history *next;
	void (*fn)(void *);
	unsigned size;
	uint32_t met, last_met;		    /* how often; when last, in the seat's count */
	uint32_t measured;		    /* how often that */
	uint32_t skip, period;		    /* so often not measured, now and after the next measurement */
	bool in_flight;			    /* it cannot be met, nor forgotten */
	float load;			    /* of the whole: nanoseconds */
	float nested;			    /* the part of it that the regions met by the members have */
	float *loads;			    /* of the members, for the policies: never 0 once `measured` is not */
	float *mean, *last;		    /* as measured: smoothed, and the last */
	struct fg_load_history_seat seat[]; /* of the members */
};

enum { FG_LEARNT_REGIONS = 64, FG_LEARNT_STALE = 256, FG_LEARNT_BYTES = 8 << 20 };

/* The region as met at the seat, new if need be. NULL: there is no room, and none that has not been met for FG_LEARNT_STALE others. */
struct fg_load_history *fg_load_history_find(struct fg_load_history_seat *seat, void (*fn)(void *), unsigned size);
/* It is due to be measured; each time it is met. */
bool fg_load_history_due(struct fg_load_history *learnt);
/* What a run has used, by member. */
void fg_load_history_note(struct fg_load_history *learnt, const struct fg_time *times);
void fg_load_history_forget(struct fg_load_history_seat *seat);

/* Around a region of more than one member, where some policy wants to know (fg_clock_on): before it is forked, after it is joined, and when the
 * caller begins as a member. */
void fg_load_history_begin(struct fg_identity *self, struct fg_team *team);
void fg_load_history_end(struct fg_identity *self, struct fg_team *team);
void fg_load_history_member(struct fg_identity *self, struct fg_team *team, unsigned num);
/* The loads by which the root's outermost teams of that size sit, where nothing is told; NULL: by none. */
const float *fg_load_history_seats(const struct fg_root *root, unsigned size);
