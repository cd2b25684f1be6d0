/* The pools of free donors (floor: exec): see donor_pool.h.
 *
 * Only the owner of a worker touches its pool, or a thread that holds the owner.
 *
 *     a donor lies in a pool => it is saved, is not pinned, has no member to run, and lies in no other list
 *
 * Threads that are suspended on one worker and finish on another drain the first and flood the second. So a worker
 * keeps no more donors than it needs itself. The others lie in the common pool, and a worker takes from there before it
 * makes one.
 *
 * The room of a worker's pool follows its need. Where the pool fills up soon after it was empty, the worker gives and
 * takes the same donors again and again: the room doubles. Where it fills up slowly, the worker is flooded: the room is
 * halved, and some go to the common pool. So a worker whose members wait and go on all by themselves comes to the
 * common pool seldom. A worker that is about to sleep gives what it does not need. The spawner gives it in the place of
 * a thread of the program that is outside of regions.
 *
 * `least` is the smallest number of donors that the common pool has had since the spawner's last look. Nothing has used
 * so many in that time. */
#include "exec/donor/donor_pool.h"

#include <limits.h>

#include "base/log.h"
#include "base/spinlock.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"

#define ROOM_MIN 4
#define ROOM_MAX 32
#define SWITCHES 4 /* for each donor, between a pool that is empty and one that is full */

static struct {
	struct fg_spinlock lock;
	struct fg_identity *first;
	struct fg_atomic_u32 count; /* also read without the lock */
	unsigned least;
	bool watched; /* the spawner looks again, without being asked */
} common = {.lock = FG_SPINLOCK_INIT(FG_RANK_POOL)};

#ifndef NDEBUG
static bool
common_valid_locked(void)
{
	assert(fg_spinlock_held(&common.lock));
	assert((common.first == NULL) == (fg_load_stable(&common.count) == 0));
	assert(common.least <= fg_load_stable(&common.count));
	assert(!common.first || (common.first->kind == FG_DONOR && !common.first->pinned));
	return true;
}
#endif

static void
count_locked(unsigned left)
{
	fg_store_relaxed(&common.count, left);
	if (left < common.least)
		common.least = left;
	assert(common_valid_locked());
}

/* The end of the first `n` donors. */
static struct fg_identity **
behind_locked(unsigned n)
{
	struct fg_identity **end = &common.first;
	for (; n; n--)
		end = &(*end)->next;
	return end;
}

/* Takes at most `most` donors, the newest, as a list. Returns their number. */
static unsigned
take_locked(unsigned most, struct fg_identity **list)
{
	unsigned count = fg_load_relaxed(&common.count), n = most < count ? most : count;
	struct fg_identity **end = behind_locked(n), *rest = *end;
	*list = n ? common.first : NULL;
	*end = NULL;
	common.first = rest;
	count_locked(count - n);
	return n;
}

/* Takes the `n` oldest donors, as a list: their stacks are the coldest. */
static struct fg_identity *
take_oldest_locked(unsigned n)
{
	unsigned left = fg_load_relaxed(&common.count) - n;
	struct fg_identity **end = behind_locked(left), *list = *end;
	*end = NULL;
	count_locked(left);
	return list;
}

static unsigned
common_take(unsigned most, struct fg_identity **list)
{
	*list = NULL;
	if (fg_load_relaxed(&common.count) == 0)
		return 0;
	fg_spinlock_lock(&common.lock);
	unsigned n = take_locked(most, list);
	fg_spinlock_unlock(&common.lock);
	return n;
}

struct fg_identity *
fg_donor_pool_common_take_all(void)
{
	struct fg_identity *list;
	common_take(UINT_MAX, &list);
	return list;
}

struct fg_identity *
fg_donor_pool_common_unused(unsigned kept, bool *more)
{
	struct fg_identity *list = NULL;
	bool inside = fg_enter_again(fg_self());
	fg_spinlock_lock(&common.lock);
	if (common.least > kept)
		list = take_oldest_locked(common.least - kept);
	common.least = fg_load_relaxed(&common.count);
	*more = common.watched = common.least > FG_STOCK_MIN;
	fg_spinlock_unlock(&common.lock);
	fg_leave_again(fg_self(), inside);
	return list;
}

void
fg_donor_pool_common_add(struct fg_identity *first)
{
	assert(first);
	struct fg_identity *last = first;
	unsigned n = 1;
	for (; last->next; n++)
		last = last->next;
	fg_spinlock_lock(&common.lock);
	last->next = common.first;
	common.first = first;
	n += fg_load_relaxed(&common.count);
	fg_store_relaxed(&common.count, n);
	assert(common_valid_locked());
	bool asks = n > FG_STOCK_MIN && !common.watched;
	common.watched |= asks;
	fg_spinlock_unlock(&common.lock);
	if (asks)
		fg_spawner_ask();
}

struct fg_identity *
fg_donor_pool_get(struct fg_worker *worker)
{
	struct fg_identity *identity = worker->donors.first;
	if (!identity)
		fg_fatal("Thread creation failed: no free identity left");
	assert(fg_worker_is_own(worker) && worker->donors.count > 0 && identity->kind == FG_DONOR &&
	       !identity->assignment.bubble);
	worker->donors.first = identity->next;
	worker->donors.count--;
	return identity;
}

/* Gives all but `kept` to the common pool: never the newest donor, which its worker may have left this moment. */
static void
spill(struct fg_worker *worker, unsigned kept)
{
	assert(kept > 0 && kept < worker->donors.count);
	struct fg_identity *keep = worker->donors.first;
	for (unsigned i = 1; i < kept; i++)
		keep = keep->next;
	struct fg_identity *first = keep->next;
	keep->next = NULL;
	worker->donors.count = kept;
	fg_donor_pool_common_add(first);
}

/* The spawner looks at the pool of a thread of the program, because that may lie idle outside of regions. */
static void
watch(void)
{
	fg_spinlock_lock(&common.lock);
	bool asks = !common.watched;
	common.watched = true;
	fg_spinlock_unlock(&common.lock);
	if (asks)
		fg_spawner_ask();
}

static __attribute__((noinline)) void
full(struct fg_worker *worker)
{
	unsigned room = worker->donors.room;
	if (!room) {
		worker->donors.room = ROOM_MIN;
	} else if (room < ROOM_MAX &&
		   fg_load_relaxed(&worker->progress) - fg_parts(worker)->donors_ran_out < SWITCHES * room) {
		worker->donors.room = 2 * room;
		if (worker->home->root)
			watch();
	} else {
		worker->donors.room = room > ROOM_MIN ? room / 2 : room;
		spill(worker, worker->donors.room / 2);
	}
}

void
fg_donor_pool_rest(struct fg_worker *worker)
{
	if (worker->donors.count > FG_DONORS_AT_REST)
		spill(worker, FG_DONORS_AT_REST);
}

void
fg_donor_pool_return(struct fg_worker *worker)
{
	struct fg_identity *first = worker->donors.first;
	worker->donors.first = NULL;
	worker->donors.count = 0;
	if (first)
		fg_donor_pool_common_add(first);
}

void
fg_donor_pool_put(void *arg)
{
	struct fg_identity *identity = arg;
	struct fg_worker *worker = identity->worker;
	assert(fg_worker_is_own(worker) && identity != fg_self() && identity->kind == FG_DONOR && !identity->pinned);
	identity->assignment.bubble = NULL;
	identity->next = worker->donors.first;
	worker->donors.first = identity;
	if (++worker->donors.count >= worker->donors.room)
		full(worker);
}

unsigned
fg_donor_pool_count(const struct fg_worker *worker)
{
	assert((worker->donors.count == 0) == (worker->donors.first == NULL));
	return worker->donors.count;
}

bool
fg_donor_pool_restock(struct fg_worker *worker)
{
	assert(!worker->donors.first);
	fg_parts(worker)->donors_ran_out = fg_load_relaxed(&worker->progress);
	unsigned room = worker->donors.room, n = common_take(room > 4 ? room / 4 : 1, &worker->donors.first);
	worker->donors.count = n;
	assert((n == 0) == (worker->donors.first == NULL));
	return n;
}

unsigned
fg_donor_pool_stocked(void)
{
	return fg_load_relaxed(&common.count);
}

void
fg_donor_pool_after_fork(void)
{
	fg_spinlock_init(&common.lock, FG_RANK_POOL);
	common.first = NULL;
	fg_store_relaxed(&common.count, 0);
	common.least = 0;
	common.watched = false;
}
