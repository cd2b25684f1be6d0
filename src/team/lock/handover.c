/* Handover (floor: team): see handover.h. */
#include "team/lock/handover.h"

#include <string.h>

#include "base/carrier.h"
#include "exec/ground/options.h"
#include "exec/grant/ride.h"
#include "exec/loop/park.h"
#include "exec/loop/work.h"
#include "exec/thread/levels.h"
#include "exec/thread/worker.h"
#include "machine/level.h"
#include "platform/memory.h"

#define CACHES (1u << FG_L3 | 1u << FG_L2)
#define MOST_PUS 8	  /* smaller machines have one cache, or nearly */
#define MOST 16		  /* PUs of a cache that is a group */
#define BLOCK 8		  /* PUs of a group that has no such cache */
#define OUTSIDERS 16	  /* slots of threads without a PU: their worker carries nothing */
#define ROWS 16		  /* locks that are waited for at a time, more or less */
#define ROUNDS 4	  /* of the lock through a group */
#define GLANCE_TURNS 1024 /* some tens of microseconds */
#define LATE_TURNS 4096
#define BRIEF_TURNS 8	 /* as in lock.c */
#define WOKEN_TURNS 4096 /* a turn of 96 PUs */

struct slot {
	_Alignas(64) struct fg_atomic_u64 waits;
};

/* Of a row: what is known of a group. */
struct line {
	_Alignas(64) struct fg_atomic_u64 waiters; /* a bit for each PU */
	struct fg_atomic_u32 rounds;		   /* the owner counts them */
	struct fg_atomic_u32 place;		   /* to which the lock went last in the group */
	struct fg_atomic_u32 at;		   /* in the row's first line: the group to which the lock went last */
};

struct table {
	unsigned n_slots, n_groups;
	struct slot *slots;
	struct line *lines; /* ROWS of n_groups */
	struct group {
		uint16_t first, n; /* its slots */
	} *groups;
	uint16_t *group_of; /* of each slot */
};

static const struct table one_cache;

/* NULL: there are no slots yet. */
static struct fg_atomic_ptr made;

static struct table *
find_table(void)
{
	struct table *table = fg_load_acquire(&made);
	return table && table->n_groups ? table : NULL;
}

bool
fg_handover_used(void)
{
	return find_table();
}

static void
add_group(struct table *table, unsigned first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		table->group_of[first + i] = (uint16_t)table->n_groups;
	table->groups[table->n_groups++] = (struct group){(uint16_t)first, (uint16_t)n};
}

static void
find_groups(struct table *table, struct fg_runqueue *level)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	if (!below || level->n_pus <= BLOCK || (level->kinds & CACHES && level->n_pus <= MOST)) {
		add_group(table, level->first_pu, level->n_pus);
	} else if (below->n == level->n_pus) {
		for (unsigned i = 0; i < level->n_pus; i += BLOCK)
			add_group(table, level->first_pu + i, level->n_pus - i < BLOCK ? level->n_pus - i : BLOCK);
	} else {
		for (unsigned i = 0; i < below->n; i++)
			find_groups(table, below->queue[i]);
	}
}

static struct table *
make(void)
{
	unsigned n_pus = fg_exec_options.n_pus, n_slots = n_pus + OUTSIDERS;
	struct table *table = fg_memory_zeroed(sizeof *table);
	if (!table)
		return NULL;
	table->n_slots = n_slots;
	table->groups = fg_memory_zeroed(n_slots * sizeof *table->groups);
	table->group_of = fg_memory_zeroed(n_slots * sizeof *table->group_of);
	if (table->groups && table->group_of) {
		find_groups(table, fg_levels_top());
		add_group(table, n_pus, OUTSIDERS);
		size_t lines = sizeof *table->lines * ROWS * table->n_groups, slots = sizeof *table->slots * n_slots;
		table->slots = fg_memory_aligned(64, lines + slots);
		table->lines = (struct line *)(table->slots + n_slots);
		if (table->slots)
			memset(table->slots, 0, lines + slots);
	}
	return table;
}

static void
end(struct table *table)
{
	fg_memory_free(table->groups);
	fg_memory_free(table->group_of);
	fg_memory_free(table->slots);
	fg_memory_free(table);
}

bool
fg_handover_begin(void)
{
	if (fg_exec_options.n_pus <= MOST_PUS)
		return false;
	if (fg_load_acquire(&made) || !fg_levels_are_deep())
		return find_table();
	struct table *table = make();
	void *none = NULL;
	bool has_caches = table && table->n_groups > 2;
	if (table && (!table->slots || !fg_cas_acq_rel(&made, &none, has_caches ? (void *)table : (void *)&one_cache)))
		end(table);
	else if (!has_caches && table)
		end(table);
	return find_table();
}

static uint64_t
mix(const void *address)
{
	return (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static struct line *
row_of(const struct table *table, const struct fg_lock *lock)
{
	return table->lines + mix(lock) % ROWS * table->n_groups;
}

/* The slot of the caller's PU, or the first of the outsiders'. */
static unsigned
own_slot(const struct table *table)
{
	struct fg_worker *worker = fg_self()->worker;
	const struct fg_runqueue *leaf = worker->carries ? fg_worker_leaf(worker) : NULL;
	return leaf ? leaf->first_pu : table->n_slots - OUTSIDERS;
}

static uint64_t
given(const struct fg_lock *lock)
{
	return (uintptr_t)lock | 1; /* a lock lies at a multiple of 4 */
}

/* One look at the word. True: the caller has the lock. The word is 2 then, because others may wait. */
static bool
look(struct fg_lock *lock)
{
	uint32_t state = fg_load_relaxed(&lock->state);
	while (state != 2) {
		if (state != 1 && fg_cas_acquire(&lock->state, &state, 2))
			return true;
		if (state == 1 && fg_cas_relaxed(&lock->state, &state, 2))
			return false;
	}
	return false;
}

/* Takes a lock that was given to this slot. False: a waiter whose PU has not been taken away was sooner. */
static bool
take_given(struct fg_atomic_u64 *slot, const struct fg_lock *lock)
{
	uint64_t mine = given(lock);
	return fg_load_relaxed(slot) == mine && fg_cas_acquire(slot, &mine, 0);
}

/* The waiter that was given the lock, and has not noticed yet. It is in the group to which the lock went last, if no
 * other lock has the row. NULL: none is seen. */
static struct slot *
unnoticed(const struct table *table, const struct fg_lock *lock)
{
	const struct group *group = &table->groups[fg_load_relaxed(&row_of(table, lock)->at)];
	for (unsigned i = 0; i < group->n; i++)
		if (fg_load_relaxed(&table->slots[group->first + i].waits) == given(lock))
			return &table->slots[group->first + i];
	return NULL;
}

/* The kernel may run something else on the PU of that waiter. If the caller saw the same one LATE_TURNS ago, it takes
 * the lock over. (That waiter may have been given the lock twice. Then it loses its turn.) */
static bool
take_over(const struct table *table, const struct fg_lock *lock, struct slot **seen)
{
	struct slot *before = *seen;
	*seen = unnoticed(table, lock);
	return *seen && *seen == before && take_given(&before->waits, lock);
}

/* The slot that the caller has filled: its PU's, or an outsider's where another thread of its PU waits. NULL: there is
 * none. */
static struct slot *
fill(const struct table *table, const struct fg_lock *lock)
{
	unsigned outsiders = table->n_slots - OUTSIDERS, i = own_slot(table);
	for (; i < table->n_slots; i = i < outsiders ? outsiders : i + 1) {
		uint64_t none = 0;
		struct fg_atomic_u64 *slot = &table->slots[i].waits;
		if (fg_load_relaxed(slot) == 0 && fg_cas_relaxed(slot, &none, (uintptr_t)lock))
			return &table->slots[i];
	}
	return NULL;
}

/* The slot is filled. True: the lock was free, and the caller has it. */
static bool
announce(const struct table *table, const struct slot *slot, struct fg_lock *lock)
{
	unsigned i = (unsigned)(slot - table->slots), group = table->group_of[i];
	struct line *line = &row_of(table, lock)[group];
	uint64_t bit = UINT64_C(1) << (i - table->groups[group].first);
	fg_fence_seq_cst();
	if (!(fg_load_relaxed(&line->waiters) & bit)) {
		fg_or_acq_rel(&line->waiters, bit);
		fg_fence_seq_cst();
	}
	return look(lock);
}

/* The caller spins no more. True: it has the lock. */
static bool
leave(struct slot *slot, const struct fg_lock *lock)
{
	uint64_t waits = (uintptr_t)lock;
	return !fg_cas_relaxed(&slot->waits, &waits, 0) && take_given(&slot->waits, lock);
}

/* The caller has the lock, but not by its slot. */
static bool
empty(struct slot *slot, const struct fg_lock *lock)
{
	uint64_t waits = (uintptr_t)lock;
	fg_cas_relaxed(&slot->waits, &waits, 0);
	return true;
}

/* A turn of the wait. A whole turn of fg_spin may do much, so the slot is empty meanwhile. A rider parks, so that
 * others of its ride go on. False: the caller spins no more. *slot == NULL: the slot is empty. *taken: the caller has
 * the lock. */
static bool
spin(struct slot **slot, const struct fg_lock *lock, struct fg_spin *spin, bool brief, bool *taken)
{
	if (fg_spin_pauses(spin))
		return true;
	if (brief) {
		fg_carrier->pause();
		return true;
	}
	*taken = leave(*slot, lock);
	*slot = NULL;
	return !*taken && !fg_worker_rides(fg_self()->worker) && fg_spin(spin);
}

/* In these turns the caller only pauses. One that was woken waits for the lock to come to its PU, if the worker has
 * nothing else to do. */
static bool
is_brief(unsigned turns, bool woken)
{
	struct fg_worker *worker = fg_self()->worker;
	return turns < BRIEF_TURNS || (woken && turns < WOKEN_TURNS && !fg_ride_concerns(worker) &&
				       !(worker->carries && fg_worker_has_work(worker)));
}

bool
fg_handover_wait(struct fg_lock *lock, bool woken)
{
	const struct table *table = find_table();
	struct slot *slot = NULL, *seen = NULL;
	struct fg_spin turn = FG_SPIN_INIT;
	bool taken = false;
	for (unsigned turns = 0;; turns++) {
		bool glances = !slot || turns % GLANCE_TURNS == 0;
		if (!slot && !(slot = fill(table, lock)))
			return false;
		if (glances && announce(table, slot, lock))
			return empty(slot, lock);
		if (fg_load_relaxed(&slot->waits) != (uintptr_t)lock)
			return take_given(&slot->waits, lock);
		if (turns % LATE_TURNS == LATE_TURNS - 1 && take_over(table, lock, &seen))
			return empty(slot, lock);
		if (!spin(&slot, lock, &turn, is_brief(turns, woken), &taken))
			return taken;
	}
}

/* Nobody waits in the slot: so it seems. */
static void
clear(struct line *line, const struct slot *slot, uint64_t bit)
{
	fg_and_acq_rel(&line->waiters, ~bit);
	fg_fence_seq_cst();
	if (fg_load_relaxed(&slot->waits))
		fg_or_acq_rel(&line->waiters, bit);
}

/* The owner is about to give the lock there: afterwards the row may be the next owner's. */
static void
note(struct line *row, struct line *line, unsigned g, unsigned place)
{
	if (fg_load_relaxed(&row->at) != g)
		fg_store_relaxed(&row->at, g);
	fg_store_relaxed(&line->place, place);
}

/* Gives the lock to a waiter of the group, at its places from .. to - 1. */
static bool
give(const struct table *table, unsigned g, unsigned from, unsigned to, const struct fg_lock *lock)
{
	const struct group *group = &table->groups[g];
	struct line *row = row_of(table, lock), *line = &row[g];
	uint64_t below = to < 64 ? (UINT64_C(1) << to) - 1 : UINT64_MAX;
	uint64_t bits = from < 64 ? fg_load_relaxed(&line->waiters) & below & ~((UINT64_C(1) << from) - 1) : 0;
	for (; bits; bits &= bits - 1) {
		unsigned place = (unsigned)__builtin_ctzll(bits);
		struct slot *slot = &table->slots[group->first + place];
		uint64_t waits = fg_load_relaxed(&slot->waits);
		if (waits == (uintptr_t)lock) {
			note(row, line, g, place);
			if (fg_cas_acq_rel(&slot->waits, &waits, given(lock)))
				return true;
		}
		if (waits == 0)
			clear(line, slot, bits & -bits);
	}
	return false;
}

/* Gives the lock to a waiter of another group. */
static bool
give_away(const struct table *table, unsigned own, const struct fg_lock *lock)
{
	struct line *row = row_of(table, lock);
	for (unsigned g = own + 1 < table->n_groups ? own + 1 : 0; g != own; g = g + 1 < table->n_groups ? g + 1 : 0)
		if (fg_load_relaxed(&row[g].waiters) && give(table, g, 0, table->groups[g].n, lock))
			return true;
	return false;
}

enum fg_handover
fg_handover_pass(struct fg_lock *lock)
{
	const struct table *table = find_table();
	unsigned slot = own_slot(table), own = table->group_of[slot], n = table->groups[own].n;
	struct line *line = &row_of(table, lock)[own];
	/* An owner without a PU may have waited at any place of its group. */
	bool outsider = slot == table->n_slots - OUTSIDERS;
	unsigned next = outsider ? fg_load_relaxed(&line->place) + 1 : slot - table->groups[own].first + 1;
	if (give(table, own, next, n, lock))
		return FG_HANDED_NEAR;
	uint32_t rounds = fg_load_relaxed(&line->rounds) + 1;
	fg_store_relaxed(&line->rounds, rounds < ROUNDS ? rounds : 0);
	if (rounds < ROUNDS && give(table, own, 0, next, lock))
		return FG_HANDED_NEAR;
	if (give_away(table, own, lock) || (rounds >= ROUNDS && give(table, own, 0, next, lock)))
		return FG_HANDED_ON;
	return FG_HANDED_TO_NONE;
}

bool
fg_handover_waits(const struct fg_lock *lock)
{
	const struct table *table = find_table();
	const struct line *row = row_of(table, lock);
	for (unsigned g = 0; g < table->n_groups; g++)
		for (uint64_t bits = fg_load_relaxed(&row[g].waiters); bits; bits &= bits - 1) {
			unsigned i = table->groups[g].first + (unsigned)__builtin_ctzll(bits);
			if (fg_load_relaxed(&table->slots[i].waits) == (uintptr_t)lock)
				return true;
		}
	return false;
}

void
fg_handover_after_fork(void)
{
	struct table *table = find_table();
	if (!table)
		return;
	memset(table->slots, 0, sizeof *table->slots * table->n_slots);
	memset(table->lines, 0, sizeof *table->lines * ROWS * table->n_groups);
}
