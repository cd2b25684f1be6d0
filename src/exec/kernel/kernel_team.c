/* Kernel-thread teams (floor: exec): see kernel_team.h. A member runs natively on a kernel thread, whose worker
 * carries nothing else. So worker.carries is false also inside the region, and each wait of a member is a wait in the
 * kernel. Kernel threads are pooled. But a root keeps those of its outermost teams, by number, because threadprivate
 * data must last (root->kernel_members).
 *
 * births.bubble.unfinished counts the other members that still run, and the parent's reference:
 *
 *     unfinished = members but the parent that have not ended + 1
 *
 * The member that brings it to 1 wakes the parent. From then on the parent may go on, and use the team for another
 * region. So the wake is the member's last touch of the region, and it names only the parent's worker. A worker is
 * never freed.
 *
 * A pooled thread whose member has ended is idle and lies in a list. A thread that a root keeps never lies there. To
 * run tasks of that region (rejoin.h) a pooled thread takes itself out of the list. Otherwise a parent could take it
 * for another region, and would wait for it. */
#include "exec/kernel/kernel_team.h"

#include <limits.h>
#include <string.h>

#include "exec/body/kernel_thread.h"
#include "exec/ground/above.h"
#include "exec/loop/idle.h"
#include "exec/loop/park.h"
#include "exec/thread/root_state.h"
#include "exec/thread/levels.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/memory.h"

struct kernel_thread {
	struct fg_whole_worker whole;
	struct fg_identity home;
	struct fg_births *births; /* NULL: the thread must end */
	unsigned member;
	struct fg_atomic_u32 job; /* 1: run it */
	bool reserved;		  /* a root keeps it for a member; else it goes to `idle` after each member */
	bool pooled;		  /* the thread's own: it lies in `idle`, or was taken from there since */
	bool inherits; /* the member begins with the parent's floating-point flags, too; a reserved one does so once */
	struct kernel_thread *next;
};

static struct {
	struct fg_spinlock lock;
	struct kernel_thread *idle;
	struct kernel_thread *ended; /* never freed, but used again, because others read their workers */
} threads = {.lock = FG_SPINLOCK_INIT(FG_RANK_POOL)};

static void
idle_put(struct kernel_thread *thread)
{
	fg_spinlock_lock(&threads.lock);
	thread->next = threads.idle;
	threads.idle = thread;
	fg_spinlock_unlock(&threads.lock);
}

/* False: another caller has taken it. */
static bool
idle_remove(struct kernel_thread *thread)
{
	fg_spinlock_lock(&threads.lock);
	struct kernel_thread **link = &threads.idle;
	while (*link && *link != thread)
		link = &(*link)->next;
	bool found = *link != NULL;
	if (found)
		*link = thread->next;
	fg_spinlock_unlock(&threads.lock);
	return found;
}

static void
member_run(struct kernel_thread *thread)
{
	struct fg_births *births = thread->births;
	struct fg_worker *parent = births->parent->worker;
	assert(fg_self() == &thread->home && fg_load_stable(&thread->home.in_runtime) && !thread->whole.worker.carries);
	assert(thread->member > 0 && thread->member < births->bubble.size);
	if (thread->inherits)
		fg_float_set(births->environment);
	else
		fg_float_follow(&births->environment);
	thread->inherits = !thread->reserved;
	thread->pooled = !thread->reserved; /* a root may reserve it once it lies there */
	births->body(births->job, thread->member);
	fg_rejoin_note(&thread->home, births, thread->member);
	if (thread->pooled)
		idle_put(thread);
	assert(fg_load_stable(&births->bubble.unfinished) >= 2);
	if (fg_sub_acq_rel(&births->bubble.unfinished, 1) == 2)
		fg_wake_worker(parent);
}

static struct kernel_thread *
thread_with(struct fg_worker *worker)
{
	return (struct kernel_thread *)((char *)worker - offsetof(struct kernel_thread, whole.worker));
}

static bool
has_job(struct fg_worker *worker)
{
	return fg_load_acquire(&thread_with(worker)->job);
}

static void
run_tasks(struct kernel_thread *thread)
{
	struct fg_past *past = &fg_parts(&thread->whole.worker)->past;
	assert(fg_self() == &thread->home && fg_lock_order_none("runs tasks with"));
	struct fg_births *births = fg_load_relaxed(&past->births);
	if (thread->pooled && !idle_remove(thread))
		return;
	if (fg_rejoin_enter(births, fg_load_relaxed(&past->region)))
		fg_rejoin_run(&thread->home, births, past->member);
	if (thread->pooled)
		idle_put(thread);
}

static void
wait_job(struct kernel_thread *thread)
{
	struct fg_worker *worker = &thread->whole.worker;
	struct fg_spin spin = FG_SPIN_INIT;
	while (!has_job(worker)) {
		if (fg_rejoin_called(worker)) {
			run_tasks(thread);
			spin = (struct fg_spin)FG_SPIN_INIT;
		} else if (!fg_spin(&spin))
			fg_idle_sleep(worker, has_job);
	}
	fg_store_relaxed(&thread->job, 0);
}

static void
thread_main(void *worker)
{
	struct kernel_thread *thread = thread_with(worker);
	fg_kernel_thread_begin(worker);
	for (;;) {
		wait_job(thread);
		if (!thread->births)
			fg_kernel_thread_exit();
		member_run(thread);
	}
}

static struct kernel_thread *
take(struct kernel_thread **list)
{
	fg_spinlock_lock(&threads.lock);
	struct kernel_thread *thread = *list;
	if (thread)
		*list = thread->next;
	fg_spinlock_unlock(&threads.lock);
	return thread;
}

/* The C library makes the thread, under locks of its own. So the caller leaves the runtime meanwhile. */
static bool
start(struct fg_identity *self, struct kernel_thread *thread)
{
	bool inside = fg_step_out(self), started = fg_kernel_thread_start(thread_main, &thread->whole.worker);
	fg_step_in(self, inside);
	return started;
}

static struct kernel_thread *
thread_new(struct fg_identity *self)
{
	struct kernel_thread *thread = take(&threads.ended);
	if (!thread) {
		thread = fg_memory_aligned(128, (sizeof *thread + 127) & ~(size_t)127);
		if (!thread)
			return NULL;
		memset(thread, 0, sizeof *thread);
		fg_worker_init(&thread->whole.worker, &thread->home, 0, fg_levels_leaf(0));
	}
	thread->home = (struct fg_identity){.kind = FG_HOME,
					    .live = thread->home.live,
					    .in_runtime = {1},
					    .worker = &thread->whole.worker,
					    .pinned = &thread->whole.worker};
	if (start(self, thread))
		return thread;
	fg_spinlock_lock(&threads.lock);
	thread->next = threads.ended;
	threads.ended = thread;
	fg_spinlock_unlock(&threads.lock);
	return NULL;
}

/* NULL: there is no memory, or the system gives no more threads. */
static struct kernel_thread *
thread_take(struct fg_identity *self)
{
	struct kernel_thread *thread = take(&threads.idle);
	if (!thread)
		thread = thread_new(self);
	if (thread)
		thread->inherits = true;
	return thread;
}

static bool
members_room(struct fg_root *root, unsigned k)
{
	if (k < root->n_kernel_members)
		return true;
	size_t room = k < 32 ? 64 : 2 * (size_t)k;
	struct kernel_thread **members = fg_memory_resize(root->kernel_members, room * sizeof *members);
	if (!members)
		return false;
	memset(members + root->n_kernel_members, 0, (room - root->n_kernel_members) * sizeof *members);
	root->kernel_members = members;
	root->n_kernel_members = (unsigned)room;
	return true;
}

static struct kernel_thread *
thread_of(struct fg_identity *self, struct fg_root *root, unsigned k)
{
	if (!members_room(root, k))
		return NULL;
	if (!root->kernel_members[k] && (root->kernel_members[k] = thread_take(self)))
		root->kernel_members[k]->reserved = true;
	struct kernel_thread *thread = root->kernel_members[k];
	if (thread && thread->home.in_crew.environment != root->environment) {
		thread->home.in_crew.environment = root->environment;
		thread->inherits = true;
	}
	return thread;
}

/* Takes all threads before the first starts. A thread that ends at once would otherwise be taken for another member
 * too. */
struct kernel_thread *
fg_kernel_team_gather(struct fg_identity *self, unsigned *size, struct fg_root *root)
{
	struct kernel_thread *threads = NULL;
	if (root && root->kernel_births) /* a target region within a parallel one, which uses the root's threads */
		root = NULL;
	for (unsigned k = 1; k < *size; k++) {
		struct kernel_thread *thread = root ? thread_of(self, root, k) : thread_take(self);
		if (!thread) {
			*size = k;
			break;
		}
		thread->next = threads;
		threads = thread;
	}
	return threads;
}

void
fg_kernel_team_dismiss(struct kernel_thread *threads)
{
	while (threads) {
		struct kernel_thread *thread = threads;
		threads = thread->next;
		if (!thread->reserved)
			idle_put(thread);
	}
}

void
fg_kernel_team_fork(struct fg_identity *self, struct fg_births *births, unsigned size, struct fg_root *root,
		    struct kernel_thread *threads)
{
	assert(self == fg_self() && size > 1 && !self->worker->carries);
	births->parent = self;
	births->environment = fg_float_get();
	fg_bubble_init(&births->bubble, size);
	if (root && !root->kernel_births)
		root->kernel_births = births;
	fg_rejoin_begin(&births->rejoin);
	for (unsigned k = size - 1; k > 0; k--) {
		struct kernel_thread *thread = threads;
		threads = thread->next;
		assert(fg_load_stable(&thread->job) == 0 && !thread->whole.worker.carries);
		thread->births = births;
		thread->member = k;
		fg_store_release(&thread->job, 1);
		fg_wake_worker(&thread->whole.worker);
	}
}

/* All members but the parent have ended. The parent has noted in `past` that it waits here. */
static bool
finished(struct fg_worker *worker)
{
	struct fg_births *births = fg_load_relaxed(&fg_parts(worker)->past.births);
	return fg_load_acquire(&births->bubble.unfinished) == 1;
}

void
fg_kernel_team_join(struct fg_identity *self, struct fg_births *births)
{
	struct fg_worker *worker = self->worker;
	struct fg_spin spin = FG_SPIN_INIT;
	assert(self == fg_self() && births->parent == self && fg_load_stable(&births->bubble.unfinished) > 0);
	assert(fg_lock_order_none("joins with"));
	fg_rejoin_note(self, births, 0);
	while (!finished(worker)) {
		if (fg_rejoin_called(worker)) {
			fg_exec_above.help.run(self);
			fg_rejoin_note(self, births, 0);
			spin = (struct fg_spin)FG_SPIN_INIT;
		} else if (!fg_spin(&spin))
			fg_idle_sleep(worker, finished);
	}
	assert(self->worker == worker && fg_load_stable(&births->bubble.unfinished) == 1);
	fg_store_relaxed(&fg_parts(worker)->past.births, NULL);
	if (self->root && self->root->kernel_births == births)
		self->root->kernel_births = NULL;
}

void
fg_kernel_team_end_idle(struct fg_root *root)
{
	for (unsigned k = 1; root && k < root->n_kernel_members; k++) {
		if (root->kernel_members[k])
			idle_put(root->kernel_members[k]);
		root->kernel_members[k] = NULL;
	}
	struct kernel_thread *thread;
	while ((thread = take(&threads.idle))) {
		int tid = thread->home.tid;
		assert(fg_load_stable(&thread->job) == 0 && thread->whole.worker.home == &thread->home);
		thread->reserved = false;
		thread->births = NULL;
		fg_store_release(&thread->job, 1);
		fg_wake_worker(&thread->whole.worker);
		if (!fg_kernel_thread_gone(tid, FG_GONE_STEPS))
			continue;
		fg_exec_above.forget(&thread->home);
		fg_spinlock_lock(&threads.lock);
		thread->next = threads.ended;
		threads.ended = thread;
		fg_spinlock_unlock(&threads.lock);
	}
}

void
fg_kernel_team_after_fork(void)
{
	fg_spinlock_init(&threads.lock, FG_RANK_POOL);
	threads.idle = threads.ended = NULL;
}
