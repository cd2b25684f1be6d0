/* Workshare: one instance of a worksharing construct (loop, sections, scope) while members of a team are in it (floor: team;
 * used by loop, ordered, doacross, sections, and through them by the ABI).
 *
 * Members meet the constructs of a region in the same order, and each counts them: thread.constructs. So a number names an
 * instance. Instance g lies in ring[g % FG_TEAM_SHARES], or in the team's overflow list if its slot was still in use when the
 * first member met it. Members may thus be any number of nowait constructs apart and never wait for each other.
 *
 * Invariants, for an instance g that some member has met:
 *     (1) g lies in its slot (generation == g) or in the overflow list, or every member has left it; never in both
 *     (2) only a holder of shares_lock changes a slot's generation, and only if every member has left the old instance
 * A member knows (2) from left == size (nowait ends count there; release, read with acquire), or because it has passed a barrier
 * after the old instance itself (thread.drained: ends with a barrier need no counting).
 * Proof sketch. The fast path reads generation == g with acquire, so it sees what the first member wrote before its release; by
 * (2) the slot stays g until this very member leaves. If it reads anything else, it asks again under shares_lock: by (1) the
 * instance is found, or nobody has met it and this member is the first. The slot cannot hold an h > g while g is in neither place:
 * whoever set h up has met g before, so g was there, and this member has not left it.
 *
 * Combined regions (GOMP_parallel_loop_*): the caller's `prepare` sets up instance 1 before any member runs. Members start with
 * constructs == 0 and share == NULL, and their first call is a `next`, which then enters instance 1 (fg_workshare_current).
 *
 * Outside of any region an instance is allocated at its start and freed at its end.
 *
 * Without memory for the ring or for an instance of the overflow list the team's reserve serves as the one instance of that list that there is: who
 * needs it while it is used waits until all members have left it, which they do without those who are ahead.
 */
#pragma once
#include "team/inside.h"
#include "team/team.h"

struct fg_ordered;
struct fg_doacross;

enum fg_share_kind {
	FG_SHARE_STATIC_BLOCK,	/* one block for each member */
	FG_SHARE_STATIC_CHUNKS, /* chunks round robin */
	FG_SHARE_DYNAMIC_UP,	/* the counter cannot overflow: fetch and add on the loop's value */
	FG_SHARE_DYNAMIC_DOWN,
	FG_SHARE_DYNAMIC_WIDE, /* it could: compare and swap on the iteration's number */
	FG_SHARE_GUIDED,
};

struct fg_workshare {
	/* Written by the first member, then only read. Iterations are counted from 0: iteration i has the value start + i * step
	 * modulo 2^64, which serves signed and unsigned loops, upwards and downwards. */
	_Alignas(64) struct fg_atomic_u64 generation; /* number of the instance; 0: none */
	uint64_t trips;				      /* iterations or sections */
	uint64_t start, end, step;		      /* end == start if there are no trips */
	uint64_t chunk;
	uint32_t size;		    /* of the team */
	uint8_t kind;		    /* enum fg_share_kind */
	bool in_overflow;	    /* lies in the overflow list */
	bool counted;		    /* a later instance may need the slot: nowait ends count in `left` */
	struct fg_ordered *ordered; /* NULL: not an ordered loop, or nobody to wait for */

	_Alignas(64) struct fg_atomic_u64 next; /* first iteration not handed out yet: its number, or value (kind) */
	struct fg_atomic_u32 left;		/* members that have left */
	struct fg_doacross *doacross;		/* by the first member; NULL: not a doacross loop */
	void *memory;				/* by the first member: zeroed memory of the construct */
	uintptr_t *reductions;			/* by the first member, see reduction.h */
	struct fg_ordered *ordered_spare;	/* kept for the next ordered loop in this slot */
	struct fg_workshare *overflow_next;	/* under shares_lock */
};

/* Lies behind each team. */
static inline struct fg_workshare *
fg_workshare_reserve(struct fg_team *team)
{
	return (struct fg_workshare *)(team + 1);
}
#define FG_TEAM_BYTES (sizeof(struct fg_team) + sizeof(struct fg_workshare))
_Static_assert(sizeof(struct fg_team) % _Alignof(struct fg_workshare) == 0, "the reserve is aligned");

/* The team is to be freed. */
void fg_workshares_free(struct fg_team *team);
struct fg_workshare *fg_workshare_enter_slow(struct fg_identity *self, bool *first);

/* Enters the next construct. If *first, the caller fills the instance in and then calls fg_workshare_publish; what it may use
 * between the two must neither wait nor enter the runtime again. Called outside the runtime. */
static inline struct fg_workshare *
fg_workshare_enter(struct fg_identity *self, bool *first)
{
	struct fg_thread *thread = &self->thread;
	uint64_t number = ++thread->constructs;
	thread->static_trip = 0;
	struct fg_workshare *ring = thread->team ? fg_load_acquire(&thread->team->shares) : NULL;
	if (ring) {
		struct fg_workshare *share = &ring[number % FG_TEAM_SHARES];
		if (fg_load_acquire(&share->generation) == number) {
			*first = false;
			return thread->share = share;
		}
	}
	return fg_workshare_enter_slow(self, first);
}
void fg_workshare_publish(struct fg_identity *self, struct fg_workshare *share);

/* The team's reserve, if this instance lies there; NULL: it does not. */
FG_ANYWHERE struct fg_workshare *fg_workshare_in_reserve(struct fg_team *team, uint64_t number);
/* The instance the caller is in; NULL if there is none. */
static inline struct fg_workshare *
fg_workshare_current(struct fg_identity *self)
{
	struct fg_thread *thread = &self->thread;
	if (__builtin_expect(thread->share != NULL, 1))
		return thread->share;
	if (!thread->team || thread->constructs != 0)
		return NULL;
	thread->constructs = 1;
	thread->static_trip = 0;
	struct fg_workshare *ring = fg_load_acquire(&thread->team->shares);
	return thread->share = __builtin_expect(ring != NULL, 1) ? &ring[1] : fg_workshare_in_reserve(thread->team, 1);
}

/* Zeroed memory of `*size_or_memory` bytes that the members share until the construct ends; its address takes the place of
 * the size. NULL: none wanted. */
void fg_workshare_memory(struct fg_workshare *share, bool first, void **size_or_memory);

/* Leave the current construct: without a barrier, or with the team's barrier. Called outside the runtime. */
FG_OUTSIDE void fg_workshare_leave(struct fg_identity *self);
FG_OUTSIDE void fg_workshare_leave_barrier(struct fg_identity *self);
/* The same with a barrier that cancellation ends: true if the construct or the region was cancelled. */
FG_OUTSIDE bool fg_workshare_leave_cancel(struct fg_identity *self);

/* In `prepare` of a combined region: instance 1 of the team, to be filled in. */
FG_INSIDE struct fg_workshare *fg_workshare_combined(struct fg_team *team);

/* At a region's end, when no member is in a construct any more: the team may serve the next region. Costs two loads if no
 * construct was met. */
void fg_workshare_reset_slow(struct fg_team *team);
static inline void
fg_workshare_reset(struct fg_team *team)
{
	if (team->shares_top)
		fg_workshare_reset_slow(team);
	if (fg_load_relaxed(&team->singles))
		fg_store_relaxed(&team->singles, 0);
}
