/* Forks (floor: exec): see forks.h. */
#include "exec/flat/forks.h"

#include "exec/body/look.h"
#include "exec/flat/dock_line.h"
#include "exec/flat/groups.h"
#include "exec/flat/help_look.h"
#include "exec/flat/post.h"
#include "exec/flat/seating.h"
#include "exec/flat/summary.h"
#include "exec/loop/crew.h"
#include "exec/loop/loop.h"
#include "exec/thread/root_worker.h"
#include "platform/membarrier.h"

static bool
forked_or_left_out(struct fg_worker *worker)
{
	return fg_post_forked(worker) || fg_post_left_out(worker);
}

static bool
forked_or_called(struct fg_worker *worker)
{
	return forked_or_left_out(worker) || fg_help_is_wanted(worker);
}

/* The copy has a fork that the worker has not seen yet. */
static bool
copy_is_newer(const struct fg_worker *worker)
{
	return fg_load_acquire(&worker->crew.fork->epoch) >> 16 > worker->crew.region;
}

static bool
copy_is_ours(const struct fg_worker *worker)
{
	return fg_layout_same_workers(fg_load_relaxed(&worker->crew.fork->layout), worker->crew.layout);
}

/* Meanwhile the worker stores summaries of the last region's end. */
static bool
copied(struct fg_worker *worker)
{
	fg_summary_gather(worker);
	if (copy_is_newer(worker))
		return copy_is_ours(worker) || fg_post_forked(worker);
	return (fg_post_is_elsewhere(worker) || fg_summary_looks_farther(worker)) && fg_post_forked(worker);
}

static bool
copied_or_called(struct fg_worker *worker)
{
	return copied(worker) || fg_post_left_out(worker) || fg_help_is_wanted(worker);
}

/* The line of the fork that the worker takes part in; NULL: there is none yet. */
static const struct fg_fork *
next_fork(struct fg_worker *worker)
{
	if (worker->crew.grouped && copy_is_newer(worker) && copy_is_ours(worker))
		return worker->crew.fork;
	return fg_post_forked(worker) ? &worker->flat.dock->fork : NULL;
}

/* The worker takes the seat that it was given, because no layout has placed it. */
static void
sit_aside(struct fg_worker *worker)
{
	fg_worker_sit(worker);
	worker->crew.layout = 0;
	fg_seat_keep(worker);
}

static const struct fg_fork *
wait_next(struct fg_identity *self, bool helps)
{
	for (;;) {
		if (helps && self->worker->crew.grouped)
			fg_worker_wait(self, copied_or_called);
		else
			fg_worker_wait(self, helps ? forked_or_called : forked_or_left_out);
		const struct fg_fork *fork = next_fork(self->worker);
		if (fork)
			return fork;
		if (fg_post_left_out(self->worker))
			sit_aside(self->worker);
		else if (helps)
			fg_help_until_closed(self);
	}
}

const struct fg_fork *
fg_forks_wait(struct fg_identity *self, bool helps)
{
	if (!helps)
		return wait_next(self, false);
	fg_crew_look(self->worker, true);
	const struct fg_fork *fork = wait_next(self, true);
	fg_crew_look(self->worker, false);
	return fork;
}

/* The worker wakes the others of the groups of which it is the first. Where a part is a smaller group, it wakes the
 * first of that group. The largest group comes first, because its workers have others to wake. */
static void
wake_led(const struct fg_worker *worker, const struct fg_groups *groups, unsigned number)
{
	const struct fg_group *group = &groups->groups[number];
	if (group->lowest != worker->slot)
		return;
	if (group->around != number)
		wake_led(worker, groups, group->around);
	for (unsigned i = 0; i < group->n; i++) {
		struct fg_group_part part = groups->parts[group->first + i];
		unsigned slot = part.is_group ? groups->groups[part.which].lowest : part.which;
		if (slot != worker->slot)
			fg_wake_worker(fg_slot(worker->crew.team, slot));
	}
}

static void
wake_below(const struct fg_worker *worker)
{
	const struct fg_groups *groups = worker->crew.root->groups;
	if (__builtin_expect(fg_load_relaxed(&fg_idle.sleepers) != 0, 0))
		wake_led(worker, groups, groups->group_of[worker->slot]);
}

/* The last come first, because the tree reaches them last. */
static void
wake_all(const struct fg_root *root)
{
	for (unsigned i = root->slots; i-- > 1;)
		fg_prefetch_read(&((struct fg_worker *)fg_slot(root->dock.slot, i))->asleep);
	for (unsigned i = root->slots; i-- > 1;)
		fg_wake_worker(fg_slot(root->dock.slot, i));
}

const struct fg_fork *
fg_forks_wait_copy(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	fg_summary_begin_gather(worker);
	const struct fg_fork *fork = fg_wait_briefly(worker, copied) ? next_fork(worker) : fg_forks_wait(self, true);
	if (fork == worker->crew.fork)
		wake_below(worker);
	return fork;
}

static void
fill(struct fg_fork *copy, const struct fg_fork *fork)
{
	copy->body = fork->body;
	copy->job = fork->job;
	copy->fn = fork->fn;
	copy->data = fork->data;
	copy->modes = fork->modes;
	copy->seating = fork->seating;
	fg_store_relaxed(&copy->layout, fg_load_relaxed(&fork->layout));
}

void
fg_forks_tell_copies(struct fg_root *root, uint64_t epoch)
{
	struct fg_groups *groups = root->groups;
	struct fg_fork *fork = &root->dock.fork;
	const struct fg_worker *worker = fg_root_worker(root);
	for (unsigned i = root->copies; i-- > 0;)
		fg_prefetch_write(&groups->forks[i]);
	for (unsigned i = root->copies; i-- > 0;)
		fill(&groups->forks[i], fork);
	fg_store_release(&fork->epoch, epoch);
	for (unsigned i = root->copies; i-- > 0;)
		fg_store_release(&groups->forks[i].epoch, epoch);
	root->copies = groups->slots ? groups->n_inner : 0;
	fg_fence_light();
	if (__builtin_expect(fg_load_relaxed(&fg_idle.sleepers) == 0, 1))
		return;
	if (worker->crew.grouped)
		wake_below(worker);
	wake_all(root);
}

struct fg_fork *
fg_forks_line(const struct fg_worker *worker, struct fg_root *root)
{
	return worker->crew.grouped ? &root->groups->forks[root->groups->inner[worker->slot]] : &root->dock.fork;
}
