/* Workshare: one instance of a worksharing construct (loop, sections, scope) while members of a team are in it
 * (floor: team; used by the files of share, by region, and by gomp for the ends and the combined regions;
 * stuck/look.c reads it).
 *
 * Members meet the constructs of a region in the same order, and each counts them in thread.constructs. So a number
 * names an instance. Instance g lies in ring[g % FG_TEAM_SHARES]. It lies in the team's overflow list instead, if
 * its slot was still in use when the first member met it. Thus members may be any number of nowait constructs apart,
 * and never wait for each other as long as there is memory.
 *
 * Invariants, for an instance g that some member has met:
 *
 * (1) g lies in its slot (number == g), or in the overflow list, or every member has left it. It never lies in
 * both.
 *
 * (2) While members run, only a holder of shares_lock changes a slot's number, and only if every member has left
 * the old instance. Before the fork and after the join the primary thread changes it without the lock.
 *
 * A member knows in one of two ways that every member has left. Either left == size: nowait ends count there with
 * release, and the member reads with acquire. Loops of large teams count at their parts instead (parts.h). Or it has
 * passed a barrier after the old instance (thread.drained); an end with a barrier needs no count.
 *
 * Proof sketch. The fast path reads number == g with acquire. So it sees all that the first member wrote before
 * its release. By (2) the slot stays g until this very member leaves. If it reads anything else, it asks again under
 * shares_lock. By (1) either it finds the instance, or no member has met it and this member is the first. The slot
 * cannot hold an h > g while g is in neither place. The member that set h up has met g before, so g was there, and
 * this member has not left it.
 *
 * Combined regions (GOMP_parallel_loop_*): the caller's `prepare` sets up instance 1 before any member runs. Members
 * start with constructs == 0 and share == NULL. Their first call is a `next`, which then enters instance 1
 * (fg_workshare_current).
 *
 * Outside of any region an instance is allocated at its start and freed at its end.
 *
 * There may be no memory for the ring, or for an instance of the overflow list. Then the team's reserve is the one
 * instance of that list. A member that needs it while it is in use waits until all members have left it. They can all
 * leave it, because none of them waits for a member that is ahead.
 *
 * A member calls enter and the leave functions on its own stack, outside the runtime, in no signal handler and without
 * a lock. Each enters the runtime itself where it takes shares_lock. Memory is allocated from the runtime's own, even
 * under that lock. Enter may wait for the reserve. The leave functions with a barrier wait for the team. */
#pragma once
#include "team/inside.h"
#include "team/team.h"

struct fg_ordered;
struct fg_doacross;
struct fg_parts;

enum fg_share_kind {
	FG_SHARE_STATIC_BLOCK,	/* one block for each member */
	FG_SHARE_STATIC_CHUNKS, /* chunks round robin */
	FG_SHARE_DYNAMIC_UP,	/* the counter cannot overflow: fetch and add on the loop's value */
	FG_SHARE_DYNAMIC_DOWN,
	FG_SHARE_DYNAMIC_WIDE, /* it could: compare and swap on the iteration's number */
	FG_SHARE_GUIDED,
	FG_SHARE_DYNAMIC_PARTS, /* a counter for each group of workers (parts.h) */
	FG_SHARE_BATCHES,	/* dynamic or guided: batches for the groups (batches.h) */
};

struct fg_workshare {
	/* The first member writes it; then it is only read. Iterations are counted from 0. Iteration i has the value
	 * start + i * step modulo 2^64. That serves signed and unsigned loops, upwards and downwards. */
	_Alignas(64) struct fg_atomic_u64 number; /* number of the instance; 0: none */
	uint64_t trips;				  /* iterations or sections */
	uint64_t start, end, step;		  /* end == start if there are no trips */
	uint64_t chunk;
	uint32_t size;		    /* of the team */
	uint8_t kind;		    /* enum fg_share_kind */
	bool in_overflow;	    /* it lies in the overflow list */
	bool counted;		    /* A later instance may need the slot. So nowait ends count in `left`. */
	bool counted_by_part;	    /* ... or in that of a part (parts.h), if the instance lies in its slot */
	struct fg_ordered *ordered; /* NULL: no ordered loop, or no member to wait for */

	/* The first iteration not handed out yet: its number, or its value (see kind). */
	_Alignas(64) struct fg_atomic_u64 next;
	struct fg_atomic_u32 left;	    /* members that have left */
	struct fg_doacross *doacross;	    /* by the first member; NULL: not a doacross loop */
	void *memory;			    /* by the first member: zeroed memory of the construct */
	uintptr_t *reductions;		    /* by the first member, see reduction.h */
	struct fg_ordered *ordered_free;    /* kept for the next ordered loop in this slot */
	struct fg_workshare *overflow_next; /* under shares_lock */
	struct fg_parts *parts;		    /* kept for the next loop with parts in this slot */
};

/* The reserve lies after each team in memory. */
static inline struct fg_workshare *
fg_workshare_reserve(struct fg_team *team)
{
	return (struct fg_workshare *)(team + 1);
}
#define FG_TEAM_BYTES (sizeof(struct fg_team) + sizeof(struct fg_workshare))
_Static_assert(sizeof(struct fg_team) % _Alignof(struct fg_workshare) == 0, "the reserve is aligned");

/* The team is about to be freed: no member is in it, and the caller holds no lock. */
void fg_workshares_free(struct fg_team *team);
struct fg_workshare *fg_workshare_enter_slow(struct fg_identity *self, bool *first);

/* Enters the next construct. If *first, the caller fills the instance in, and then calls fg_workshare_publish. In a
 * team it is inside meanwhile, and holds shares_lock. So it must neither wait nor enter the runtime again. Before and
 * after it is outside. */
static inline struct fg_workshare *
fg_workshare_enter(struct fg_identity *self, bool *first)
{
	struct fg_thread *thread = &self->thread;
	uint64_t number = ++thread->constructs;
	thread->static_trip = 0;
	struct fg_workshare *ring = thread->team ? fg_load_acquire(&thread->team->shares) : NULL;
	if (ring) {
		struct fg_workshare *share = &ring[number % FG_TEAM_SHARES];
		if (fg_load_acquire(&share->number) == number) {
			*first = false;
			return thread->share = share;
		}
	}
	return fg_workshare_enter_slow(self, first);
}
void fg_workshare_publish(struct fg_identity *self, struct fg_workshare *share);

/* The team's reserve, if this instance lies there, else NULL. */
FG_ANYWHERE struct fg_workshare *fg_workshare_in_reserve(struct fg_team *team, uint64_t number);
/* The instance that the caller is in, or NULL. */
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

/* Zeroed memory of `*size_or_memory` bytes, which the members share until the construct ends. Its address replaces
 * the size. `size_or_memory` is NULL where the construct needs none. */
void fg_workshare_memory(struct fg_workshare *share, bool first, void **size_or_memory);

/* Leaves the current construct: without a barrier, or with the team's barrier. */
FG_OUTSIDE void fg_workshare_leave(struct fg_identity *self);
FG_OUTSIDE void fg_workshare_leave_barrier(struct fg_identity *self);
/* The same with a barrier that cancellation ends. True: the construct or the region was cancelled. */
FG_OUTSIDE bool fg_workshare_leave_cancel(struct fg_identity *self);

/* Called in `prepare` of a combined region. Returns instance 1 of the team, which the caller must fill in. */
FG_INSIDE struct fg_workshare *fg_workshare_combined(struct fg_team *team);

/* Called at a region's end, when no member is in a construct any more. Then the team may serve the next region. The
 * call costs two loads if no member met a construct. */
void fg_workshare_reset_slow(struct fg_team *team);
static inline void
fg_workshare_reset(struct fg_team *team)
{
	if (team->shares_top)
		fg_workshare_reset_slow(team);
	if (fg_load_relaxed(&team->singles))
		fg_store_relaxed(&team->singles, 0);
}
