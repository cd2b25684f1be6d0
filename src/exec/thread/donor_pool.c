/* The pools of free donors (floor: exec): see donor_pool.h.
 *
 * Only a worker's own threads touch its pool. The common pool takes the surplus of a worker. Threads that are
 * suspended on one worker and finish on another would drain the first and flood the second. */
#include "exec/thread/donor_pool.h"

#include "base/log.h"
#include "base/spinlock.h"

#define POOL_MAX 64

static struct fg_spinlock common_lock = FG_SPINLOCK_INIT(FG_RANK_POOL);
static struct fg_identity *common_pool;

struct fg_identity *
fg_donor_pool_common_take_all(void)
{
	fg_spinlock_lock(&common_lock);
	struct fg_identity *list = common_pool;
	common_pool = NULL;
	fg_spinlock_unlock(&common_lock);
	return list;
}

struct fg_identity *
fg_donor_pool_common_take(void)
{
	fg_spinlock_lock(&common_lock);
	struct fg_identity *identity = common_pool;
	if (identity)
		common_pool = identity->next;
	fg_spinlock_unlock(&common_lock);
	return identity;
}

struct fg_identity *
fg_donor_pool_get(struct fg_worker *worker)
{
	struct fg_identity *identity = worker->donors.first;
	if (!identity)
		fg_fatal("Thread creation failed: no free identity left");
	worker->donors.first = identity->next;
	worker->donors.count--;
	return identity;
}

void
fg_donor_pool_common_add(struct fg_identity *first)
{
	struct fg_identity *last = first;
	while (last->next)
		last = last->next;
	fg_spinlock_lock(&common_lock);
	last->next = common_pool;
	common_pool = first;
	fg_spinlock_unlock(&common_lock);
}

/* Moves half of a full pool to the common one: never its newest donor, which its worker may have left this moment. */
static void
spill(struct fg_worker *worker)
{
	struct fg_identity *keep = worker->donors.first;
	for (unsigned i = 1; i < POOL_MAX / 2; i++)
		keep = keep->next;
	struct fg_identity *first = keep->next;
	keep->next = NULL;
	worker->donors.count = POOL_MAX / 2;
	fg_donor_pool_common_add(first);
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
	identity->order.bubble = NULL;
	identity->next = worker->donors.first;
	worker->donors.first = identity;
	if (++worker->donors.count >= POOL_MAX)
		spill(worker);
}

bool
fg_donor_pool_restock(struct fg_worker *worker)
{
	struct fg_identity *identity = fg_donor_pool_common_take();
	if (!identity)
		return false;
	identity->worker = worker;
	fg_donor_pool_put(identity);
	return true;
}

unsigned
fg_donor_pool_stocked(unsigned most)
{
	unsigned there = 0;
	fg_spinlock_lock(&common_lock);
	for (const struct fg_identity *identity = common_pool; identity && there < most; identity = identity->next)
		there++;
	fg_spinlock_unlock(&common_lock);
	return there;
}

void
fg_donor_pool_after_fork(void)
{
	fg_spinlock_init(&common_lock, FG_RANK_POOL);
	common_pool = NULL;
}
