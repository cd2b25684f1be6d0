/* The mover (floor: team): see mover.h.
 *
 * A lock guards the list, the move that is under way and `runs`. It is not held while pages move.
 *
 * Invariant, under the lock: pending == moves on the list + (1 if one is under way); and if the list is not empty,
 * `runs` is set. The thread clears `runs` only where it finds the list empty. The caller that adds a move and finds
 * `runs` clear sets it, and starts the thread. So each move is carried out: by a thread that has still to look at the
 * list, or by the one that starts. Where none can be started, the caller carries out the list itself.
 *
 * A waiter sleeps on `pending` while it is not 0. The thread stores it under the lock, and wakes afterwards: the futex
 * compares the word again, so no wake-up is lost. */
#include "team/alloc/mover.h"

#include "base/carrier.h"
#include "base/spinlock.h"
#include "exec/roots/self.h"
#include "exec/thread/identity.h"
#include "memory/migrate.h"
#include "platform/host.h"
#include "platform/kernel_mask.h"
#include "platform/memory.h"

struct move {
	struct move *next;
	struct fg_plan *plan;
	bool dropped;
};

static struct {
	struct fg_spinlock lock;
	struct move *first, *under_way;
	bool runs;
	struct fg_atomic_u32 pending;
} mover = {.lock = FG_SPINLOCK_INIT(FG_RANK_MOVES)};

void
fg_mover_after_fork(void)
{
	fg_spinlock_init(&mover.lock, FG_RANK_MOVES);
	mover.first = mover.under_way = NULL;
	mover.runs = false;
	fg_store_relaxed(&mover.pending, 0);
}

/* The thread of the mover has no identity. */
static bool
lock(void)
{
	struct fg_identity *self = fg_self();
	bool inside = self && fg_enter_again(self);
	fg_spinlock_lock(&mover.lock);
	return inside;
}

static void
unlock(bool inside)
{
	fg_spinlock_unlock(&mover.lock);
	if (fg_self())
		fg_leave_again(fg_self(), inside);
}

static void
carry_out(struct move *move)
{
	struct fg_migration migration = fg_migration_of(move->plan);
	while (migration.at < migration.end) {
		bool inside = lock();
		bool dropped = move->dropped;
		unlock(inside);
		if (dropped || !fg_migrate_some(move->plan, &migration))
			break;
	}
}

/* The move before, or NULL, is over. */
static struct move *
next(struct move *before)
{
	bool inside = lock();
	struct move *move = mover.first;
	if (move)
		mover.first = move->next;
	else
		mover.runs = false;
	mover.under_way = move;
	if (before)
		fg_store_release(&mover.pending, fg_load_relaxed(&mover.pending) - 1);
	unlock(inside);
	if (!before)
		return move;
	fg_carrier->wake(&mover.pending, ~0u >> 1);
	fg_memory_free(before->plan);
	fg_memory_free(before);
	return move;
}

static void
mover_main(void *unused)
{
	(void)unused;
	for (struct move *move = next(NULL); move; move = next(move))
		carry_out(move);
}

static bool
start(void)
{
	uint64_t mask = fg_mask_now();
	fg_mask_set(FG_MASK_ALL);
	int error = fg_carrier->start(mover_main, NULL, "fg-mover");
	fg_mask_set(mask);
	return error == 0;
}

static void
at_once(struct fg_plan *plan)
{
	struct fg_migration migration = fg_migration_of(plan);
	fg_migrate(plan, &migration);
	fg_memory_free(plan);
}

void
fg_mover_add(struct fg_plan *plan)
{
	struct move *move = fg_carrier->touch ? NULL : fg_memory_get(sizeof *move); /* touch: it is simulated */
	if (!move) {
		at_once(plan);
		return;
	}
	*move = (struct move){.plan = plan};
	bool inside = lock();
	struct move **last = &mover.first;
	while (*last)
		last = &(*last)->next;
	*last = move;
	bool ran = mover.runs;
	mover.runs = true;
	fg_store_relaxed(&mover.pending, fg_load_relaxed(&mover.pending) + 1);
	unlock(inside);
	if (!ran && !start())
		mover_main(NULL);
}

static bool
is_for(const struct move *move, uintptr_t first, uintptr_t last)
{
	return move && move->plan->first <= last && move->plan->first + move->plan->pages > first;
}

/* The caller may give the pages back afterwards. So it waits for the piece that is under way. */
void
fg_mover_forget(const void *start, size_t bytes)
{
	uintptr_t page = fg_host_page_size(), first = (uintptr_t)start / page,
		  last = ((uintptr_t)start + bytes - 1) / page;
	for (;;) {
		bool inside = lock();
		bool busy = is_for(mover.under_way, first, last);
		if (busy)
			mover.under_way->dropped = true;
		for (struct move *move = mover.first; move; move = move->next)
			if (is_for(move, first, last))
				move->dropped = true;
		uint32_t pending = fg_load_relaxed(&mover.pending);
		unlock(inside);
		if (!busy)
			return;
		fg_carrier->wait(&mover.pending, pending, 0);
	}
}

void
fg_mover_wait(void)
{
	uint32_t pending;
	while ((pending = fg_load_acquire(&mover.pending)))
		fg_carrier->wait(&mover.pending, pending, 0);
}
