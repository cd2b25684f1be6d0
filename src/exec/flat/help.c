/* Tasks of docked threads (floor: exec): see help.h. */
#include "exec/flat/help.h"

#include "exec/flat/groups.h"
#include "exec/flat/helpers_word.h"
#include "exec/ground/above.h"
#include "exec/loop/loop.h"
#include "exec/loop/crew.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/membarrier.h"

#define LOOK_TURNS 8

static struct fg_atomic_u64 *
word_of(const struct fg_worker *worker)
{
	return &worker->crew.fork->help_word;
}

/* A team with groups has so many words beside that of the dock. */
static unsigned
n_copies(const struct fg_root *root)
{
	return root->groups && root->groups->slots ? root->groups->n_inner : 0;
}

static struct fg_atomic_u64 *
copy_word(const struct fg_root *root, unsigned i)
{
	return &root->groups->forks[i].help_word;
}

/* The dock's word comes last: a thread that finds it open wakes workers, and these look at their own words. */
void
fg_help_open(void)
{
	const struct fg_worker *worker = fg_self()->crew_of;
	struct fg_root *root = worker->crew.root;
	uint64_t open = fg_helpers_word_open(worker->crew.region);
	assert(fg_help_none(root) && worker->crew.region > 0);
	unsigned copies = n_copies(root);
	for (unsigned i = 0; i < copies; i++)
		fg_prefetch_write(copy_word(root, i));
	for (unsigned i = 0; i < copies; i++)
		fg_store_release(copy_word(root, i), open);
	fg_store_release(&root->dock.fork.help_word, open);
}

bool
fg_help_late(const struct fg_worker *worker)
{
	const struct fg_crew *crew = &worker->crew;
	return crew->crossing && fg_exec_above.help.past(crew->fork->job, (uint32_t)crew->phase);
}

/* Each look costs the members that make tasks a cache miss. Before a sleep the worker always looks. */
static bool
task_waits(struct fg_worker *worker)
{
	if (fg_parts(worker)->help.turns && !fg_load_relaxed(&worker->asleep)) {
		fg_parts(worker)->help.turns--;
		return false;
	}
	bool waits = fg_exec_above.help.waiting(worker->crew.fork->job) && !fg_help_late(worker);
	fg_parts(worker)->help.turns = waits ? 0 : LOOK_TURNS;
	return waits;
}

bool
fg_help_called(struct fg_worker *worker)
{
	return fg_load_acquire(word_of(worker)) != 0 && task_waits(worker);
}

FG_READS_HINTS bool
fg_help_may_call_crew(const struct fg_worker *worker)
{
	struct fg_fork *fork = worker->crew.fork;
	return fork && fg_crew_idles(worker) &&
	       fg_helpers_word_admits(fg_load_acquire(&fork->help_word), worker->crew.region);
}

bool
fg_help_calls_crew(struct fg_worker *worker)
{
	return fg_help_may_call_crew(worker) && task_waits(worker);
}

/* The caller has changed the word before. A sleeper counts itself, makes the heavy fence and asks ready() again
 * (idle.c), so none misses the change. */
static void
wake_all(void)
{
	fg_fence_light();
	if (fg_load_relaxed(&fg_idle.sleepers) == 0)
		return;
	FG_EACH_WORKER (worker)
		if (fg_load_relaxed(&worker->helps))
			fg_wake_worker(worker);
}

static void
wait_ready(struct fg_identity *self, bool (*ready)(struct fg_worker *))
{
	fg_crew_look(self->worker, true);
	fg_worker_wait(self, ready);
	fg_crew_look(self->worker, false);
}

static bool
none_out(struct fg_worker *worker)
{
	return worker->crew.out == 0;
}

static bool
none_out_or_called(struct fg_worker *worker)
{
	return none_out(worker) || fg_help_called(worker);
}

static void
run_until(struct fg_identity *self, bool (*ready)(struct fg_worker *), bool (*ready_or_called)(struct fg_worker *))
{
	for (;;) {
		wait_ready(self, ready_or_called);
		if (ready(self->worker))
			return;
		fg_help_run(self);
	}
}

void
fg_help_pass_on(struct fg_worker *worker)
{
	uint64_t word = fg_load_acquire(word_of(worker));
	if (word != 0 && fg_helpers_word_admits(word, worker->crew.region))
		fg_exec_above.help.call(worker->crew.fork->job, worker);
}

void
fg_help_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *), bool (*ready_or_called)(struct fg_worker *))
{
	assert(self == fg_self() && fg_lock_order_none("waits with"));
	fg_crew_lead(self);
	fg_parts(self->worker)->help.woken = false;
	run_until(self, ready, ready_or_called);
	if (!none_out(self->worker))
		run_until(self, none_out, ready == ready_or_called ? none_out : none_out_or_called);
	fg_crew_lead_end(self);
	if (__builtin_expect(fg_parts(self->worker)->help.woken, 0))
		fg_help_pass_on(self->worker);
}

void
fg_help_run(struct fg_identity *self)
{
	assert(self == fg_self() && fg_load_stable(word_of(self->worker)) != 0);
	assert(fg_lock_order_none("runs tasks with"));
	unsigned turns = fg_exec_above.help.run(self);
	fg_parts(self->worker)->help.turns = turns;
	fg_parts(self->worker)->help.woken = false;
}

static bool
closed(struct fg_worker *worker)
{
	return fg_load_acquire(word_of(worker)) & FG_HELPERS_CLOSED;
}

static bool
closed_or_called(struct fg_worker *worker)
{
	return closed(worker) || task_waits(worker);
}

static bool
nobody_helps(struct fg_worker *worker)
{
	return (fg_load_acquire(&worker->crew.root->dock.fork.help_word) & FG_HELPERS_COUNT) == 0 && none_out(worker);
}

/* The numbers of closed words only fall, so each may be seen at its own moment. */
static bool
nobody_helps_in_groups(struct fg_worker *worker)
{
	const struct fg_root *root = worker->crew.root;
	unsigned copies = n_copies(root);
	for (unsigned i = 0; i < copies; i++)
		fg_prefetch_read(copy_word(root, i));
	for (unsigned i = 0; i < copies; i++)
		if (fg_load_acquire(copy_word(root, i)) & FG_HELPERS_COUNT)
			return false;
	return nobody_helps(worker);
}

void
fg_help_until_closed(struct fg_identity *self)
{
	struct fg_atomic_u64 *help_word = word_of(self->worker);
	uint64_t word = fg_load_relaxed(help_word);
	do {
		if (!fg_helpers_word_admits(word, self->worker->crew.region))
			return;
	} while (!fg_cas_acq_rel(help_word, &word, word + 1));
	const struct fg_worker *worker = self->worker;
	/* A thread that only waits for the next fork is no member, so it runs no tasks. */
	bool member = !worker->crew.home_waits || self != worker->waiter;
	fg_help_wait(self, closed, member ? closed_or_called : closed);
	struct fg_worker *primary = fg_root_worker(worker->crew.root);
	assert((fg_load_stable(help_word) & FG_HELPERS_COUNT) > 0);
	if ((fg_sub_acq_rel(help_word, 1) & FG_HELPERS_COUNT) != 1)
		return;
	fg_fence_light();
	if (fg_load_relaxed(&fg_idle.sleepers) != 0)
		fg_wake_worker(primary);
}

static void
close_copies(struct fg_root *root)
{
	for (unsigned i = 0, copies = n_copies(root); i < copies; i++)
		fg_or_acq_rel(copy_word(root, i), FG_HELPERS_CLOSED);
}

static void
end_copies(struct fg_root *root)
{
	for (unsigned i = 0, copies = n_copies(root); i < copies; i++) {
		assert((fg_load_stable(copy_word(root, i)) & 0xffff) == FG_HELPERS_CLOSED);
		fg_store_relaxed(copy_word(root, i), 0);
	}
}

void
fg_help_close(struct fg_identity *self)
{
	struct fg_root *root = self->root;
	struct fg_atomic_u64 *help_word = &root->dock.fork.help_word;
	assert(!(fg_load_stable(help_word) & FG_HELPERS_CLOSED) && fg_load_stable(&root->dock.owner) == root);
	fg_crew_lead(self);
	fg_exec_above.help.finish(self);
	close_copies(root);
	fg_or_acq_rel(help_word, FG_HELPERS_CLOSED);
	wake_all();
	wait_ready(self, n_copies(root) ? nobody_helps_in_groups : nobody_helps);
	fg_crew_lead_end(self);
	end_copies(root);
	assert((fg_load_stable(help_word) & (FG_HELPERS_COUNT | FG_HELPERS_CLOSED)) == FG_HELPERS_CLOSED);
	fg_store_relaxed(help_word, 0);
	assert(fg_help_none(root));
}

#ifndef NDEBUG
bool
fg_help_none(const struct fg_root *root)
{
	for (unsigned i = 0, copies = n_copies(root); i < copies; i++)
		assert(fg_load_stable(copy_word(root, i)) == 0);
	return fg_load_stable(&root->dock.fork.help_word) == 0;
}
#endif
