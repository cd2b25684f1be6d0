/* Pool: how a pool and its members are made (floor: team); see pool.h.
 *
 * Renewal. At the end of a region the primary thread empties a small pool, member by member. In a large one that would
 * be a row of far lines. So the primary thread only counts the region, in pool->epoch. A member that meets the pool in
 * the next region finds another epoch than its own. Then it gives itself the first values, and trims its memory. A
 * member that does not meet the pool again keeps its memory until the pool is freed.
 *
 * Before that, other members may look at the member already. Its deque is empty: all tasks of the last region are
 * complete, and all members have left that region before they entered this one. The counts `created` and `completed`
 * run on over all regions, because their sums over the members are equal at each end.
 *
 * Why the memory may be freed then. Other threads find rings, blocks and families of the member only by tasks that lie
 * in its deque, or that it has made. Let such a thread be in this region. It has acquired all that happened in the last
 * region, so it reads no `bottom` and no `top` from before that end, and these two are equal. If it sees a task, it has
 * acquired the `bottom` (deque.h) that the member stored after it had freed the old memory.
 *
 * A docked team keeps its workers from region to region, as long as the layout holds. So its members keep their lists
 * of victims, and their open deques stay in pool->producers. Otherwise that list begins anew, before any member meets
 * the pool, and each member closes its deque. */
#include "team/tasks/pool.h"

#include <limits.h>
#include <string.h>

#include "exec/thread/facts.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker_state.h"
#include "exec/ground/above.h"
#include "exec/flat/help.h"
#include "exec/loop/park.h"
#include "exec/nested/rejoin.h"
#include "exec/roots/root.h"
#include "platform/memory.h"
#include "team/hooks.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/limit.h"
#include "team/tasks/scout.h"

__thread struct fg_task_pool *fg_task_own_pool;

static size_t
rounded(size_t size)
{
	return (size + 127) & ~(size_t)127;
}

static size_t
head_bytes(unsigned size)
{
	return rounded(sizeof(struct fg_task_pool) + size * sizeof(struct fg_atomic_ptr));
}

static size_t
member_bytes(void)
{
	return rounded(sizeof(struct fg_task_member) + fg_deque_first_bytes());
}

#define SMALL 8 /* a larger team has a scout's words for each group */

static unsigned
n_scouts(unsigned size)
{
	unsigned n = size > SMALL ? (size + fg_scout_pus(size) - 1) / fg_scout_pus(size) : 0;
	return n < UINT16_MAX ? n : UINT16_MAX;
}

size_t
fg_task_pool_bytes(unsigned size)
{
	return head_bytes(size) + n_scouts(size) * sizeof(struct fg_scout) + size * member_bytes();
}

static struct fg_task_member *
member_at(struct fg_task_pool *pool, unsigned num)
{
	return (struct fg_task_member *)((char *)(pool->scouts + pool->n_scouts) + num * member_bytes());
}

/* NULL: there is no memory. Each member is the first to touch its own part. */
static struct fg_task_pool *
pool_new(unsigned size)
{
	struct fg_task_pool *pool = fg_memory_aligned(128, fg_task_pool_bytes(size));
	if (!pool)
		return NULL;
	assert((uintptr_t)pool % 128 == 0 && head_bytes(size) % 128 == 0 && member_bytes() % 128 == 0);
	memset(pool, 0, head_bytes(size) + n_scouts(size) * sizeof(struct fg_scout));
	fg_spinlock_init(&pool->queue.lock, FG_RANK_TASKS);
	pool->size = size;
	pool->n_scouts = (uint16_t)n_scouts(size);
	pool->scouts = (struct fg_scout *)((char *)pool + head_bytes(size));
	return pool;
}

static void
member_first(struct fg_task_member *member)
{
	member->implicit = (struct fg_task){.depends = member->implicit.depends};
	fg_task_limit_first(member);
	member->thief = (struct fg_thief){0};
	member->in_vain = 0;
	fg_store_relaxed(&member->asleep, 0);
}

void
fg_task_member_reset(struct fg_task_member *member)
{
	member_first(member);
	member->n_victims = member->n_near = 0;
	member->scout = NULL;
	member->refused = 0;
	member->everywhere = member->called = false;
	member->listed = NULL;
	fg_deque_close(&member->deque);
}

#ifndef NDEBUG
/* A member that is woken may be counted out of the sleepers before it has counted itself in. */
bool
fg_task_pool_valid(const struct fg_task_pool *pool)
{
	assert(pool->size > 0 && (pool->team || pool->size == 1));
	assert(!pool->team || pool->size == pool->team->size);
	assert(!pool->team || pool->docked == (pool->team->mode == FG_TEAM_DOCKED));
	assert((int32_t)fg_load_relaxed(&pool->sleepers) <= (int32_t)pool->size);
	const struct fg_task_member *producer = fg_load_acquire(&pool->producers);
	assert(!producer || (producer->pool == pool && fg_load_acquire(&pool->member[producer->num]) == producer));
	return true;
}

bool
fg_task_member_valid(const struct fg_task_member *member)
{
	const struct fg_task_pool *pool = member->pool;
	assert(member->num < pool->size && fg_load_relaxed(&pool->member[member->num]) == member);
	assert(member->limit > 0 && member->n_victims < pool->size);
	assert((member->n_free_groups == 0) == !member->free_groups);
	assert(!member->implicit.around && !member->implicit.family && member->implicit.nested == 0);
	assert(fg_deque_valid(&member->deque) && fg_store_valid(&member->store));
	return true;
}
#endif

/* Returns the number of the last barrier that the caller has passed. A root before its first fork is in no crew yet,
 * but its worker has the number. */
static uint32_t
phase_of(struct fg_identity *self, const struct fg_team *team)
{
	const struct fg_worker *home = self->crew_of ? self->crew_of : self->worker;
	return team->mode == FG_TEAM_DOCKED ? (uint32_t)fg_worker_phase(home) : fg_load_relaxed(&team->phase);
}

static unsigned
mailed(const struct fg_task_pool *pool)
{
	unsigned n = 0;
	for (unsigned i = 0; i < pool->n_scouts; i++)
		n += fg_mailbox_holds(&pool->scouts[i].box);
	return n;
}

static bool
is_below(const struct fg_task_member *member, const struct fg_runqueue *level)
{
	struct fg_worker *worker = fg_load_relaxed(&member->worker);
	const struct fg_runqueue *leaf = worker ? fg_worker_leaf(worker) : NULL;
	return leaf && leaf->first_pu - level->first_pu < level->n_pus;
}

unsigned
fg_task_pool_waiting(const struct fg_task_pool *pool, const struct fg_runqueue *level)
{
	bool all = !level || !fg_runqueue_parent((struct fg_runqueue *)level);
	unsigned n = all ? fg_load_relaxed(&pool->queue.count) + mailed(pool) : 0;
	for (unsigned i = 0; i < pool->size; i++) {
		const struct fg_task_member *member = fg_load_acquire(&pool->member[i]);
		if (member && (all || is_below(member, level)))
			n += (unsigned)fg_deque_count(&member->deque);
	}
	return n;
}

bool
fg_task_pool_has_waiting(const struct fg_task_pool *pool)
{
	bool found = fg_load_relaxed(&pool->queue.count) != 0;
	for (unsigned i = 0; i < pool->size && !found; i++) {
		const struct fg_task_member *member = fg_load_acquire(&pool->member[i]);
		found = member && fg_deque_count(&member->deque) != 0;
	}
	return found || mailed(pool) != 0;
}

static unsigned
waiting(const struct fg_bubble_tasks *query, const struct fg_runqueue *level)
{
	return fg_task_pool_waiting((const struct fg_task_pool *)query, level);
}

void
fg_task_pool_open(struct fg_task_pool *pool)
{
	assert(fg_task_pool_valid(pool));
	pool->query.waiting = waiting;
	fg_store_release(&pool->team->births.bubble.tasks, &pool->query);
	if (pool->docked)
		fg_help_open();
	else {
		if (pool->size > 1)
			fg_rejoin_open(&pool->team->births);
		fg_unpark(&pool->team->phase, UINT_MAX); /* members at a barrier look for tasks from now on */
	}
	fg_exec_above.help.call(pool->team, fg_self()->worker); /* other members may have made tasks already */
}

/* The pool is that of a new region, which no member has met. */
static void
pool_renew(struct fg_task_pool *pool)
{
	uint64_t layout = pool->docked ? pool->team->primary->root->layout : 0;
	if (layout && layout == pool->layout)
		return;
	pool->layout = layout;
	fg_store_relaxed(&pool->producers, NULL);
}

/* Returns the team's pool. If there is none, makes it: *made. */
static struct fg_task_pool *
team_pool(struct fg_identity *self, struct fg_team *team, bool *made)
{
	void *pool = fg_load_acquire(&team->tasks);
	*made = false;
	if (pool)
		return pool;
	struct fg_task_pool *new = fg_exchange_acq_rel(&team->tasks_free, NULL);
	if (new && new->size != team->size) {
		fg_team_hooks.pool_free(new);
		new = NULL;
	}
	if (!new)
		new = pool_new(team->size);
	if (!new)
		return fg_load_acquire(&team->tasks); /* another thread may have had more luck */
	assert(new->size == team->size);
	new->team = team;
	new->docked = team->mode == FG_TEAM_DOCKED;
	if (fg_task_pool_is_large(new))
		pool_renew(new);
	assert(fg_task_pool_is_large(new) || !fg_load_relaxed(&new->producers));
	fg_store_relaxed(&new->quiescent, phase_of(self, team));
	if (!fg_cas_acq_rel(&team->tasks, &pool, new)) {
		fg_team_hooks.pool_free(fg_exchange_acq_rel(&team->tasks_free, new));
		return pool;
	}
	*made = true;
	return new;
}

struct fg_task_pool *
fg_task_team_pool(struct fg_identity *self, struct fg_team *team)
{
	fg_assert_inside(self);
	bool made;
	return team_pool(self, team, &made);
}

struct fg_task_pool *
fg_task_pool(struct fg_identity *self)
{
	if (self->thread.team) {
		bool made;
		struct fg_task_pool *pool = team_pool(self, self->thread.team, &made);
		if (made)
			fg_task_pool_open(pool);
		return pool;
	}
	if (!fg_task_own_pool)
		fg_task_own_pool = pool_new(1);
	return fg_task_own_pool;
}

struct fg_task_pool *
fg_task_pool_or_null(struct fg_identity *self)
{
	return self->thread.team ? fg_load_acquire(&self->thread.team->tasks) : fg_task_own_pool;
}

struct fg_task_pool *
fg_task_pool_swap(struct fg_task_pool *pool)
{
	struct fg_task_pool *old = fg_task_own_pool;
	fg_task_own_pool = pool;
	return old;
}

/* The member meets the pool for the first time in a region. The caller is the member, or it does not run yet. */
static void
member_renew(struct fg_task_member *member)
{
	const struct fg_task_pool *pool = member->pool;
	assert(fg_task_pool_is_large(pool) && fg_deque_count(&member->deque) == 0);
	if (member->implicit.depends)
		fg_depend_table_rest(&member->implicit, &member->store);
	fg_family_rest(&member->implicit.children, &member->store);
	fg_store_rest(&member->store);
	fg_deque_trim(&member->deque);
	if (pool->layout && member->layout == pool->layout)
		member_first(member);
	else
		fg_task_member_reset(member);
	member->epoch = pool->epoch;
	member->layout = pool->layout;
	assert(fg_task_member_valid(member));
}

struct fg_task_member *
fg_task_member_of(struct fg_task_pool *pool, unsigned num)
{
	assert(num < pool->size);
	struct fg_task_member *member = fg_load_relaxed(&pool->member[num]);
	if (member) {
		if (__builtin_expect(!fg_task_member_is_here(member), 0))
			member_renew(member);
		return member;
	}
	member = member_at(pool, num);
	memset(member, 0, sizeof *member);
	fg_deque_init(&member->deque);
	member->pool = pool;
	member->num = num;
	member->epoch = pool->epoch;
	member->layout = pool->layout;
	fg_task_member_reset(member);
	fg_store_release(&pool->member[num], member);
	return member;
}

/* The member comes into the list before its task can be seen. So the look of a member that goes to sleep finds the
 * deque wherever the task is there to be found (wait.c). */
static void
open_deque(struct fg_task_member *member)
{
	struct fg_task_pool *pool = member->pool;
	fg_deque_open(&member->deque, member + 1);
	member->next_producer = fg_load_relaxed(&pool->producers);
	while (!fg_cas_release(&pool->producers, (void **)&member->next_producer, member))
		assert(member->next_producer != member);
}

void
fg_task_keep_slow(struct fg_task_member *member, struct fg_deferred *task, struct fg_family *family)
{
	bool first = !fg_deque_is_open(&member->deque);
	if (first)
		open_deque(member);
	if (!first || !fg_deque_push(&member->deque, task, family))
		fg_task_queue_put(&member->pool->queue, task);
}

struct fg_task_member *
fg_task_member_slow(struct fg_identity *self)
{
	struct fg_task_pool *pool = fg_task_pool(self);
	if (!pool)
		return NULL;
	struct fg_task_member *member = fg_task_member_of(pool, self->thread.num);
	assert(!self->thread.tasks && fg_task_member_valid(member));
	if (fg_load_relaxed(&member->worker) != self->worker)
		fg_store_relaxed(&member->worker, self->worker);
	self->thread.tasks = member;
	return member;
}

struct fg_task *
fg_task_current_or_null(struct fg_identity *self)
{
	if (self->thread.task)
		return self->thread.task;
	if (self->thread.tasks)
		return &self->thread.tasks->implicit;
	struct fg_task_pool *pool = fg_task_pool_or_null(self);
	struct fg_task_member *member = pool ? fg_load_relaxed(&pool->member[self->thread.num]) : NULL;
	return member && fg_task_member_is_here(member) ? &member->implicit : NULL;
}

struct fg_task *
fg_task_current(struct fg_identity *self)
{
	if (self->thread.task)
		return self->thread.task;
	struct fg_task_member *member = fg_task_member(self);
	return member ? &member->implicit : NULL;
}

/* `completed` is read before `created`. No task that the first pass counts was created after the second pass began. So
 * if the sums are equal, all tasks that had been created were complete at the moment between the two passes. */
bool
fg_task_pool_quiescent(struct fg_task_pool *pool)
{
	uint64_t completed = fg_load_acquire(&pool->foreign_completed), created = 0;
	if (__builtin_expect(fg_task_pool_is_large(pool), 0))
		for (unsigned i = 0; i < pool->size; i++)
			fg_prefetch_read(&member_at(pool, i)->completed);
	for (unsigned i = 0; i < pool->size; i++) {
		struct fg_task_member *member = fg_load_acquire(&pool->member[i]);
		completed += member ? fg_load_acquire(&member->completed) : 0;
	}
	for (unsigned i = 0; i < pool->size; i++) {
		struct fg_task_member *member = fg_load_acquire(&pool->member[i]);
		created += member ? fg_load_relaxed(&member->created) : 0;
	}
	assert((int64_t)(created - completed) >= 0);
	return created == completed;
}
