/* Workshare: setting up, leaving and reusing instances of worksharing constructs (floor: team): see workshare.h. */
#include "team/share/workshare.h"

#include "base/carrier.h"
#include "base/log.h"
#include "exec/loop/park.h"
#include "platform/memory.h"
#include "team/hooks.h"
#include "team/share/parts.h"
#include "team/sync/barrier.h"
#include <string.h>

static struct fg_workshare *
shares_allocate(unsigned count)
{
	struct fg_workshare *shares = fg_memory_aligned(_Alignof(struct fg_workshare), count * sizeof *shares);
	return shares ? memset(shares, 0, count * sizeof *shares) : NULL;
}

/* Instances for threads outside of all regions, where there is no memory. */
static struct {
	struct fg_workshare share[8];
	struct fg_atomic_u32 taken[8];
} lone;

static struct fg_workshare *
lone_take(void)
{
	for (unsigned i = 0; i < sizeof lone.share / sizeof *lone.share; i++)
		if (!fg_exchange_acquire(&lone.taken[i], 1))
			return &lone.share[i];
	fg_fatal("Out of memory allocating %zu bytes for a worksharing construct", sizeof *lone.share);
}

static void
lone_free(struct fg_workshare *share)
{
	size_t i = (size_t)(share - lone.share);
	if (share >= lone.share && i < sizeof lone.share / sizeof *lone.share)
		fg_store_release(&lone.taken[i], 0);
	else
		fg_memory_free(share);
}

/* Prepares an instance that no member is in, so that the first member can fill it in. */
static void
share_renew(struct fg_workshare *share, unsigned size)
{
	if (share->memory)
		fg_happens_after(share->memory);
	fg_memory_free(share->memory);
	share->memory = NULL;
	if (share->doacross)
		fg_team_hooks.doacross_free(share->doacross);
	share->doacross = NULL;
	share->ordered = NULL;
	share->reductions = NULL;
	share->size = size;
	share->counted = true;
	share->counted_by_part = false;
	fg_store_relaxed(&share->left, 0);
	fg_store_relaxed(&share->next, 0);
}

static void
share_clear(struct fg_workshare *share)
{
	share_renew(share, 0);
	fg_memory_free(share->ordered_free);
	share->ordered_free = NULL;
	fg_memory_free(share->parts);
	share->parts = NULL;
}

void
fg_workshares_free(struct fg_team *team)
{
	struct fg_workshare *ring = fg_load_relaxed(&team->shares);
	for (unsigned i = 0; ring && i < FG_TEAM_SHARES; i++)
		share_clear(&ring[i]);
	fg_memory_free(ring);
	fg_store_relaxed(&team->shares, NULL);
}

/* NULL: there is no memory. */
static struct fg_workshare *
ring_locked(struct fg_team *team)
{
	struct fg_workshare *ring = fg_load_relaxed(&team->shares);
	if (!ring) {
		ring = shares_allocate(FG_TEAM_SHARES);
		fg_store_release(&team->shares, ring);
	}
	return ring;
}

static bool
share_is_free(struct fg_workshare *share, const struct fg_thread *thread)
{
	uint64_t last = fg_load_relaxed(&share->number);
	return last <= thread->drained ||
	       (share->counted_by_part ? fg_parts_leavers(share->parts) : fg_load_acquire(&share->left)) == share->size;
}

static struct fg_workshare *
overflow_find_locked(struct fg_team *team, uint64_t number)
{
	struct fg_workshare *share = team->overflow;
	while (share && fg_load_relaxed(&share->number) != number)
		share = share->overflow_next;
	return share;
}

static void
overflow_add_locked(struct fg_team *team, struct fg_workshare *share)
{
	share->in_overflow = true;
	share->overflow_next = team->overflow;
	team->overflow = share;
}

/* NULL: there is no memory, and the reserve is in use. */
static struct fg_workshare *
overflow_new_locked(struct fg_team *team)
{
	struct fg_workshare *share = shares_allocate(1);
	if (!share && !fg_workshare_reserve(team)->in_overflow)
		share = fg_workshare_reserve(team);
	if (share)
		overflow_add_locked(team, share);
	return share;
}

static void
overflow_free(struct fg_team *team, struct fg_workshare *share)
{
	share_clear(share);
	if (share != fg_workshare_reserve(team))
		fg_memory_free(share);
}

struct fg_workshare *
fg_workshare_in_reserve(struct fg_team *team, uint64_t number)
{
	struct fg_workshare *share = fg_workshare_reserve(team);
	return fg_load_acquire(&share->number) == number ? share : NULL;
}

/* The instance with this number. If *first, the caller is the first and must fill it in; else the instance was
 * found. NULL: the caller must wait for the reserve. */
static struct fg_workshare *
find_locked(struct fg_team *team, const struct fg_thread *thread, uint64_t number, bool *first)
{
	struct fg_workshare *ring = ring_locked(team), *share = ring ? &ring[number % FG_TEAM_SHARES] : NULL, *other;
	*first = false;
	if (share && fg_load_relaxed(&share->number) == number)
		return share;
	if ((other = overflow_find_locked(team, number)))
		return other;
	if (!share || !share_is_free(share, thread))
		share = overflow_new_locked(team);
	*first = share != NULL;
	return share;
}

/* Mostly another member sets the instance up now, under the lock. Then it is there before the lock is free. So the
 * caller looks for it meanwhile, as on the fast path: else all members of a large team would take the lock one after
 * the other. */
static struct fg_workshare *
find_or_lock(struct fg_team *team, uint64_t number)
{
	enum { LOOKS = 200 };
	for (unsigned looks = 0; looks < LOOKS; looks++) {
		if (!fg_spinlock_is_taken(&team->shares_lock) && fg_spinlock_trylock(&team->shares_lock))
			return NULL;
		fg_carrier->pause();
		struct fg_workshare *ring = fg_load_acquire(&team->shares);
		if (ring && fg_load_acquire(&ring[number % FG_TEAM_SHARES].number) == number)
			return &ring[number % FG_TEAM_SHARES];
	}
	fg_spinlock_lock(&team->shares_lock);
	return NULL;
}

#define NAP_NS 100000

static void
nap(struct fg_spin *spin)
{
	struct fg_atomic_u32 word = {0};
	if (fg_spin(spin))
		return;
	fg_yield();
	fg_carrier->wait(&word, 0, NAP_NS);
}

struct fg_workshare *
fg_workshare_enter_slow(struct fg_identity *self, bool *first)
{
	struct fg_thread *thread = &self->thread;
	struct fg_team *team = thread->team;
	uint64_t number = thread->constructs;
	struct fg_workshare *share;
	if (!team) {
		*first = true;
		share = shares_allocate(1);
		thread->share = share ? share : lone_take();
		share_renew(thread->share, 1);
		return thread->share;
	}
	fg_enter(self);
	*first = false;
	thread->share = find_or_lock(team, number);
	if (thread->share) {
		fg_leave(self);
		return thread->share;
	}
	struct fg_spin spin = FG_SPIN_INIT;
	while (!(share = find_locked(team, thread, number, first))) {
		fg_spinlock_unlock(&team->shares_lock);
		nap(&spin);
		fg_spinlock_lock(&team->shares_lock);
	}
	thread->share = share;
	if (*first) {
		share_renew(share, team->size);
		team->shares_top = number;
		return share; /* still inside, with the lock: fg_workshare_publish ends both */
	}
	fg_spinlock_unlock(&team->shares_lock);
	fg_leave(self);
	return share;
}

void
fg_workshare_publish(struct fg_identity *self, struct fg_workshare *share)
{
	if (!self->thread.team)
		return;
	fg_store_release(&share->number, self->thread.constructs);
	fg_spinlock_unlock(&self->thread.team->shares_lock);
	fg_leave(self);
}

void
fg_workshare_memory(struct fg_workshare *share, bool first, void **size_or_memory)
{
	if (!size_or_memory)
		return;
	if (first) {
		size_t size = (uintptr_t)*size_or_memory;
		share->memory = fg_memory_zeroed(size ? size : 1);
		if (!share->memory)
			fg_fatal("Out of memory allocating %zu bytes for a worksharing construct", size);
		fg_happens_before(share->memory);
	} else
		fg_happens_after(share->memory);
	*size_or_memory = share->memory;
}

static void
overflow_remove(struct fg_identity *self, struct fg_workshare *share)
{
	struct fg_team *team = self->thread.team;
	fg_enter(self);
	fg_spinlock_lock(&team->shares_lock);
	struct fg_workshare **link = &team->overflow;
	while (*link != share)
		link = &(*link)->overflow_next;
	*link = share->overflow_next;
	fg_store_relaxed(&share->number, 0);
	share->in_overflow = false;
	overflow_free(team, share);
	fg_spinlock_unlock(&team->shares_lock);
	fg_leave(self);
}

/* counted: another member may need to know that this one has left. */
static void
share_leave(struct fg_identity *self, bool counted)
{
	struct fg_workshare *share = self->thread.share;
	self->thread.share = NULL;
	if (!share)
		return;
	if (share->memory)
		fg_happens_before(share->memory);
	if (!self->thread.team) {
		share_clear(share);
		lone_free(share);
	} else if (counted && share->counted_by_part && !share->in_overflow) {
		fg_parts_leave(self, share->parts);
	} else if (counted || share->in_overflow) {
		/* Read before the addition: after it another member may free or reuse the instance. */
		uint32_t size = share->size;
		bool in_overflow = share->in_overflow;
		if (fg_add_acq_rel(&share->left, 1) + 1 == size && in_overflow)
			overflow_remove(self, share);
	}
}

void
fg_workshare_leave(struct fg_identity *self)
{
	fg_assert_outside(self);
	share_leave(self, self->thread.share && self->thread.share->counted);
}

void
fg_workshare_leave_barrier(struct fg_identity *self)
{
	fg_assert_outside(self);
	share_leave(self, false);
	if (!self->thread.team)
		return;
	fg_enter(self);
	fg_team_barrier(self);
	fg_leave(self);
	self->thread.drained = self->thread.constructs;
}

bool
fg_workshare_leave_cancel(struct fg_identity *self)
{
	fg_assert_outside(self);
	share_leave(self, false);
	if (!self->thread.team)
		return false;
	fg_enter(self);
	bool cancelled = fg_team_barrier_cancellable(self);
	fg_leave(self);
	if (!cancelled)
		self->thread.drained = self->thread.constructs;
	return cancelled;
}

struct fg_workshare *
fg_workshare_combined(struct fg_team *team)
{
	fg_assert_inside(fg_self());
	struct fg_workshare *ring = ring_locked(team), *share = ring ? &ring[1] : fg_workshare_reserve(team);
	if (!ring)
		overflow_add_locked(team, share);
	share_renew(share, team->size);
	share->counted = false; /* the region holds no other construct, and no member runs yet: no lock is needed */
	fg_store_release(&share->number, 1);
	team->shares_top = 1;
	return share;
}

void
fg_workshare_reset_slow(struct fg_team *team)
{
	struct fg_workshare *ring = fg_load_relaxed(&team->shares);
	uint64_t used = team->shares_top < FG_TEAM_SHARES ? team->shares_top : FG_TEAM_SHARES;
	for (uint64_t number = 1; ring && number <= used; number++) {
		struct fg_workshare *share = &ring[number % FG_TEAM_SHARES];
		/* Otherwise it belongs to a combined region. It has nothing to free, and its second cache line lies in
		 * another PU's cache. */
		if (share->counted)
			share_renew(share, 0);
		fg_store_relaxed(&share->number, 0);
	}
	while (team->overflow) { /* members of a cancelled region need not have left */
		struct fg_workshare *share = team->overflow;
		team->overflow = share->overflow_next;
		fg_store_relaxed(&share->number, 0);
		share->in_overflow = false;
		overflow_free(team, share);
	}
	team->shares_top = 0;
}
