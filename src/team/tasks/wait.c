/* Waiting for tasks: the waiter runs the tasks that it may run until its wait is over, and sleeps where there are none
 * (floor: team); see wait.h.
 *
 * The waiter runs tasks on its own stack, and may go on at another worker afterwards, so self->worker is read anew. All
 * callers are inside, and hold no lock.
 *
 * Tied tasks. A task that runs on top of a suspended task descends from it. At a barrier no task is suspended. So a
 * member's own deque offers the tasks that it may run on top: the code that ran there pushed them last. A task that an
 * event makes ready could come from anywhere, and would lie in the way. So it goes to the team's queue.
 *
 * Sleeping.
 *
 *     sleeper: asleep = ASLEEP; sleepers + 1; heavy fence; look at everything that it waits for;
 *              sleep while asleep == ASLEEP
 *     waker:   make the thing true; light fence; if sleepers != 0, take asleep from ASLEEP to another state;
 *              if that succeeds, wake the sleeper
 *
 * Either the sleeper's look sees the thing, or the waker sees the sleeper. Each sleep is ended at most once: pushes
 * that follow find the member awake. A member that was called for a task may find that its wait is over. Then it
 * leaves the task to another sleeper, and calls that one.
 *
 * Barriers. Once all members have reached a barrier, only tasks make tasks. The phase ends with a moment at which all
 * tasks that were created are complete. The member that finds this moment writes it to pool->quiescent before it goes
 * on. Otherwise a member that is slow to look would see the next phase's tasks, for which it must not wait. Nor may it
 * begin one, because that task could wait for this very member. So it gives back a task that it has taken.
 *
 * The member that completes the last task waits for this moment, or comes to. It wakes the others when it goes on.
 * Only a helper at the dock tells the others at once, because it waits for something else. If all members told at
 * once, two that wait for a third would wake each other for ever. */
#include "team/tasks/wait.h"

#include "base/carrier.h"
#include "exec/flat/help_look.h"
#include "exec/loop/look.h"
#include "exec/loop/loop.h"
#include "exec/loop/park.h"
#include "exec/loop/work.h"
#include "exec/thread/clock.h"
#include "exec/thread/events.h"
#include "team/tasks/thief.h"
#include "trace/format.h"

#define YIELDS 16 /* turns that the waiter gives to other threads of its worker before it sleeps */

struct wait {
	struct fg_task_member *member;
	struct fg_family *within;
	bool (*over)(void *arg);
	void *arg;
	bool at_barrier;
	uint32_t phase;
	bool quiescent; /* the wait is not over while the member has a task in hand */
};

static bool
must_sleep(void *arg)
{
	struct wait *wait = arg;
	return fg_load_relaxed(&wait->member->asleep) == FG_TASK_ASLEEP && !wait->over(wait->arg) &&
	       !fg_task_may_find(wait->member, wait->within);
}

/* True: the member was called for a task. */
static bool
sleep_once(struct wait *wait)
{
	struct fg_task_member *member = wait->member;
	assert(fg_load_relaxed(&member->asleep) != FG_TASK_ASLEEP);
	fg_store_relaxed(&member->within, wait->within);
	fg_store_release(&member->asleep, FG_TASK_ASLEEP);
	fg_add_relaxed(&member->pool->sleepers, 1);
	fg_fence_heavy();
	fg_park(member, must_sleep, wait);
	fg_task_rouse(member, FG_TASK_AWAKE);
	assert(fg_load_relaxed(&member->asleep) != FG_TASK_ASLEEP);
	return fg_load_acquire(&member->asleep) == FG_TASK_CALLED;
}

/* The helper has nothing to do here. Perhaps its task was the last, and others wait for that. */
static void
tell_if_quiet(struct fg_task_pool *pool)
{
	fg_fence_light();
	if (fg_load_relaxed(&pool->sleepers) && fg_task_pool_quiescent(pool))
		fg_task_wake_all(pool);
}

static bool
others_wait_here(struct fg_identity *self)
{
	return self->worker->carries && fg_worker_has_work(self->worker);
}

/* `next` is a task that the member has taken to run. Tasks with a priority go first. */
static struct fg_deferred *
or_prior(struct fg_task_member *member, struct fg_deferred *next)
{
	if (__builtin_expect(!next || !fg_load_relaxed(&member->pool->queue.count), 1))
		return next;
	fg_task_ready(member, next);
	return NULL;
}

static void
wait_running_tasks(struct fg_identity *self, struct wait *wait)
{
	struct fg_task_member *member = wait->member;
	struct fg_deferred *task = NULL;
	struct fg_spin spin = FG_SPIN_INIT;
	unsigned yields = 0;
	assert(member && wait->over && fg_lock_order_none("waits for tasks with"));
	bool ran = fg_clock_stop(self), called = false;
	fg_task_thief_soon(member);
	while ((task && wait->quiescent) || !wait->over(wait->arg)) {
		if (!task)
			task = fg_task_find_patiently(member, wait->within);
		if (task && wait->at_barrier && __builtin_expect(fg_task_pool_is_past(member->pool, wait->phase), 0)) {
			fg_task_ready(member, task);
			task = NULL;
			continue;
		}
		if (task) {
			task = or_prior(member, fg_task_run(self, member, task));
			fg_worker_look(self);
			spin = (struct fg_spin)FG_SPIN_INIT;
			yields = 0;
			called = false;
			continue;
		}
		if (fg_spin(&spin))
			continue;
		fg_task_thief_everywhere(member);
		if (others_wait_here(self) && yields++ < YIELDS)
			fg_yield();
		else
			called = sleep_once(wait);
	}
	assert(!task || !wait->quiescent);
	if (task)
		fg_task_ready(member, task);
	if (__builtin_expect(called, 0))
		fg_task_call_others(member->pool, self->worker);
	fg_clock_go(self, ran);
}

void
fg_task_wait(struct fg_identity *self, struct fg_task_member *member, struct fg_family *within, bool (*over)(void *arg),
	     void *arg)
{
	wait_running_tasks(self, &(struct wait){member, within, over, arg, false, 0, false});
}

void
fg_task_wait_at(struct fg_identity *self, uint32_t phase, bool (*over)(void *arg), void *arg)
{
	wait_running_tasks(self, &(struct wait){fg_task_member(self), NULL, over, arg, true, phase, false});
}

void
fg_task_run_some(struct fg_identity *self, struct fg_task_member *member, struct fg_task *task, uint32_t least)
{
	struct fg_deferred *next = NULL;
	assert(task->children && fg_family_valid(task->children));
	while (fg_family_count(task->children) >= least) {
		struct fg_deferred *other = next ? next : fg_task_find_near(member, fg_task_within(task));
		if (!other)
			return;
		next = or_prior(member, fg_task_run(self, member, other));
	}
	if (next)
		fg_task_ready(member, next);
}

#define PATIENCE_NS 10000000
#define IN_VAIN_MAX 8
#define NAP_NS 100000

/* Nothing has happened for a while. Perhaps the children wait for something that the caller will do. Each time the
 * bearable number of children doubles, and the patience is four times as long. But the caller must not wait at all for
 * an event. */
static bool
patience_over(struct fg_task_member *member, uint64_t *until)
{
	uint64_t now = fg_carrier->now();
	if (*until == 0)
		*until = now + ((uint64_t)PATIENCE_NS << 2 * member->in_vain);
	return now >= *until || fg_load_relaxed(&member->pool->events);
}

void
fg_task_slow_down(struct fg_identity *self, struct fg_task_member *member, struct fg_task *task, uint32_t most)
{
	struct fg_family *family = task->children, *within = fg_task_within(task);
	struct fg_spin spin = FG_SPIN_INIT;
	struct fg_atomic_u32 nap = {0};
	struct fg_deferred *next = NULL;
	uint32_t seen = fg_family_count(family), count;
	uint64_t until = 0;
	fg_task_thief_soon(member);
	while ((count = fg_family_count(family)) >= most - most / 8) {
		struct fg_deferred *other = next ? next : fg_task_find_patiently(member, within);
		if (other)
			next = or_prior(member, fg_task_run(self, member, other));
		if (other || count != seen) {
			seen = count;
			until = 0;
			member->in_vain = 0;
			spin = (struct fg_spin)FG_SPIN_INIT;
			continue;
		}
		if (patience_over(member, &until)) {
			member->in_vain += member->in_vain < IN_VAIN_MAX && !fg_load_relaxed(&member->pool->events);
			return;
		}
		if (fg_spin(&spin))
			continue;
		if (others_wait_here(self))
			fg_yield();
		else
			fg_carrier->wait(&nap, 0, NAP_NS);
	}
	if (next)
		fg_task_ready(member, next);
}

void
fg_task_nap(struct fg_identity *self, const struct fg_task *task, bool (*over)(void *arg), void *arg)
{
	struct fg_task_member *member = task ? self->thread.tasks : NULL;
	struct fg_atomic_u32 nap = {0};
	struct fg_spin spin = FG_SPIN_INIT;
	while (!over(arg)) {
		struct fg_deferred *other = member ? fg_task_find(member, fg_task_within(task)) : NULL;
		struct fg_deferred *next = other ? fg_task_run(self, member, other) : NULL;
		if (next)
			fg_task_ready(member, next);
		if (other || fg_spin(&spin))
			continue;
		if (others_wait_here(self))
			fg_yield();
		else
			fg_carrier->wait(&nap, 0, NAP_NS);
	}
}

static bool
children_over(void *family)
{
	return fg_family_over(family);
}

void
fg_task_wait_children(struct fg_identity *self)
{
	fg_assert_inside(self);
	struct fg_task *task = fg_task_current_or_null(self);
	if (!task || !task->children)
		return;
	fg_worker_trace(FG_EVENT_wait_tasks, self, FG_TRACE_CHILDREN, 0);
	if (!fg_family_over(task->children))
		fg_task_wait(self, fg_task_member(self), fg_task_within(task), children_over, task->children);
	assert(fg_family_valid(task->children) && fg_family_over(task->children));
	fg_worker_trace(FG_EVENT_go_tasks, self, FG_TRACE_CHILDREN, 0);
	fg_happens_after(task->children);
}

void
fg_task_yield(struct fg_identity *self)
{
	fg_assert_inside(self);
	struct fg_task *current = fg_task_current_or_null(self);
	struct fg_task_member *member = current && current->children ? fg_task_member(self) : NULL;
	struct fg_family *within = member ? fg_task_within(current) : NULL;
	struct fg_deferred *task = member ? fg_task_find(member, within) : NULL;
	struct fg_deferred *next = task ? fg_task_run(self, member, task) : NULL;
	if (next)
		fg_task_ready(member, next);
	if (!task)
		fg_yield();
}

unsigned
fg_task_help(struct fg_identity *self)
{
	struct fg_task_member *member = fg_task_member(self);
	struct fg_deferred *task, *next = NULL;
	fg_task_thief_soon(member); /* the caller has paused already */
	while ((task = next ? next : fg_task_find_patiently(member, NULL))) {
		if (__builtin_expect(fg_help_late_for(self->worker, self->thread.team), 0)) {
			fg_task_ready(member, task);
			break;
		}
		next = or_prior(member, fg_task_run(self, member, task));
		fg_worker_look(self);
	}
	tell_if_quiet(member->pool);
	return fg_task_thief_pause(member);
}

/* A wait until all tasks of the pool are complete. */
struct quiet {
	struct fg_task_pool *pool;
	const struct fg_task_member *member; /* the waiter; NULL: it does not wait yet */
	uint32_t phase;			     /* of the barrier */
	unsigned turn;
};

#define LARGE_TURNS 32

/* A member of a large team looks at all counts in some turns only, because that takes long. Another one may tell it.
 * Before a sleep it always looks. Then another thread of its worker may ask for it. */
static bool
not_now(struct quiet *quiet)
{
	if (__builtin_expect(!fg_task_pool_is_large(quiet->pool), 1))
		return false;
	if (quiet->member && fg_load_relaxed(&quiet->member->asleep) != FG_TASK_ASLEEP)
		return ++quiet->turn % LARGE_TURNS;
	quiet->turn = LARGE_TURNS - 1; /* if it need not sleep, it sees why in its next turn */
	return false;
}

static bool
all_complete(void *arg)
{
	struct quiet *quiet = arg;
	return !not_now(quiet) && fg_task_pool_quiescent(quiet->pool);
}

void
fg_task_finish(struct fg_identity *self)
{
	struct fg_task_pool *pool = fg_task_pool_or_null(self);
	if (!pool)
		return;
	if (!fg_task_pool_quiescent(pool)) {
		struct fg_task_member *member = fg_task_member(self);
		struct quiet quiet = {pool, member, 0, 0};
		wait_running_tasks(self, &(struct wait){member, NULL, all_complete, &quiet, false, 0, true});
	}
	assert(fg_task_pool_valid(pool));
	fg_happens_after(pool);
	fg_task_wake_all(pool); /* the last task may have been complete before the member that ran it came here */
}

static bool
barrier_over(void *arg)
{
	struct quiet *barrier = arg;
	if (fg_task_pool_is_past(barrier->pool, barrier->phase))
		return true;
	if (not_now(barrier) || !fg_task_pool_quiescent(barrier->pool))
		return false;
	struct fg_atomic_u32 *quiescent = &barrier->pool->quiescent;
	uint32_t seen = fg_load_relaxed(quiescent);
	while ((int32_t)(seen - barrier->phase) < 0 && !fg_cas_acq_rel(quiescent, &seen, barrier->phase))
		;
	return true;
}

void
fg_task_barrier(struct fg_identity *self, struct fg_task_pool *pool, uint32_t phase)
{
	struct quiet barrier = {pool, NULL, phase, self->thread.num};
	if (!barrier_over(&barrier)) {
		struct fg_task_member *member = fg_task_member(self);
		barrier.member = member;
		wait_running_tasks(self, &(struct wait){member, NULL, barrier_over, &barrier, true, phase, true});
	}
	assert(fg_task_pool_is_past(pool, phase));
	fg_happens_after(pool);
	fg_task_wake_all(pool);
}
