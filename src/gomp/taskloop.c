/* ABI: taskloops (floor: gomp). The iterations of a loop are split into tasks. Each task has a copy of the data block.
 * The first two words of the copy are the bounds of its part, in values of the loop variable. Compiled code calls
 * these, as team/inside.h says. The construct waits for its tasks by a taskgroup, unless nogroup was given. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "gomp/task_flags.h"
#include "team/share/reduction.h"
#include "team/tasks/cancelled.h"
#include "team/tasks/create.h"

/* All arithmetic is modulo 2^64. So signed and unsigned loops, upwards and downwards, differ only in the count of
 * trips. */
struct loop {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *, void *);
	size_t size, align;
	unsigned flags;
	uint64_t tasks_wanted; /* the grainsize, if FG_TASK_GRAINSIZE is set */
	uint64_t start, step, trips;
	unsigned priority;
};

/* The first `longer` tasks have each + 1 iterations, and the others have `each`. The last one has the rest. */
struct split {
	uint64_t tasks, each, longer;
};

static struct split
split_loop(const struct loop *loop, unsigned team_size)
{
	uint64_t wanted = loop->tasks_wanted, trips = loop->trips;
	if (loop->flags & FG_TASK_GRAINSIZE && loop->flags & FG_TASK_STRICT)
		return (struct split){(trips - 1) / wanted + 1, wanted, 0};
	if (loop->flags & FG_TASK_GRAINSIZE)
		wanted = trips / wanted ? trips / wanted : 1;
	else if (wanted == 0)
		wanted = team_size;
	if (wanted > trips)
		wanted = trips;
	return (struct split){wanted, trips / wanted, trips % wanted};
}

static uint64_t
begin_of(const struct loop *loop, const struct split *split, uint64_t task)
{
	uint64_t longer = task < split->longer ? task : split->longer;
	return loop->start + (task * split->each + longer) * loop->step;
}

/* Tasks from .. to-1 of a loop, which lies on the stack of the thread that met it. That thread waits for them. */
struct part {
	const struct loop *loop;
	uint64_t end; /* of the loop */
	struct split split;
	uint64_t from, to;
	uint64_t most; /* one thread makes so many tasks */
};

static void
create_tasks(struct fg_identity *self, const struct part *part)
{
	const struct loop *loop = part->loop;
	uint64_t range[2] = {begin_of(loop, &part->split, part->from)};
	struct fg_task_order order = {
		.fn = loop->fn,
		.data = loop->data,
		.copy = loop->copy,
		.size = loop->size,
		.align = loop->align,
		.range = range,
		.priority = loop->priority,
		.undeferred = !(loop->flags & FG_TASK_IF),
		.final = loop->flags & FG_TASK_FINAL,
	};
	for (uint64_t i = part->from; i < part->to; i++) {
		uint64_t trips = part->split.each + (i < part->split.longer);
		range[1] = i + 1 == part->split.tasks ? part->end : range[0] + trips * loop->step;
		fg_task_create(self, &order, NULL);
		range[0] = range[1];
	}
}

/* One thread would make all tasks of a loop one after the other, and all others would take them from its deque. So
 * the upper half of a long part becomes a task that makes the tasks of that half, and so on with the lower half. */
#define TEAM_MOST 8    /* one thread makes all tasks for a team of so many */
#define TASKS_EACH 16  /* one thread makes so many tasks of a part */
#define MAKERS_EACH 16 /* members of a large team for each one that makes tasks */

/* In a large team a thread that makes many tasks leaves them in mailboxes, in batches that are counted together. So a
 * few threads are enough, and more would leave each group of tasks to fewer members. */
static uint64_t
most_for_one(const struct fg_identity *self, uint64_t tasks)
{
	const struct fg_task_member *member = self->thread.tasks;
	if (!member || !fg_task_pool_is_large(member->pool))
		return TASKS_EACH;
	uint64_t most = tasks / (member->pool->size / MAKERS_EACH);
	return most > TASKS_EACH ? most : TASKS_EACH;
}

static void run_part(void *arg);

static void
create_by_halves(struct fg_identity *self, struct part part)
{
	while (part.to - part.from > part.most) {
		struct part upper = part;
		upper.from = part.to = part.from + (part.to - part.from) / 2;
		struct fg_task_order order = {
			.fn = run_part, .data = &upper, .size = sizeof upper, .align = _Alignof(struct part)};
		fg_task_create(self, &order, NULL);
	}
	create_tasks(self, &part);
}

/* The body of such a task. Its tasks are counted in a group of its own, so that not all members of the team count in
 * the loop's one group. */
static void
run_part(void *arg)
{
	struct fg_identity *self = fg_self();
	fg_enter(self);
	fg_taskgroup_start(self, true);
	create_by_halves(self, *(struct part *)arg);
	fg_taskgroup_end(self);
	fg_leave(self);
}

/* True: threads may make the tasks together. A copy constructor of the program runs only on the thread that met the
 * loop. Tasks with a priority lie in one queue anyhow. With cancellation the group of a part would be the one that a
 * task cancels. Without a group of the loop nothing waits for the parts. */
static bool
may_halve(const struct fg_identity *self, const struct loop *loop, const struct split *split)
{
	unsigned not = FG_TASK_NOGROUP | FG_TASK_FINAL;
	return self->thread.size > TEAM_MOST && split->tasks > 2 * TASKS_EACH && !loop->copy && !loop->priority &&
	       (loop->flags & (FG_TASK_IF | not)) == FG_TASK_IF && !fg_env.cancellation;
}

static void
run_taskloop(const struct loop *loop, uint64_t end)
{
	struct fg_identity *self = fg_self_or_root();
	bool group = !(loop->flags & FG_TASK_NOGROUP);
	uintptr_t *reductions = group && loop->flags & FG_TASK_REDUCTION ? ((uintptr_t **)loop->data)[2] : NULL;
	fg_enter(self);
	struct fg_task_pool *pool = fg_env.cancellation ? fg_task_pool(self) : NULL;
	if (loop->trips == 0 || (pool && fg_cancel_drops_tasks(pool, fg_task_current(self)->group))) {
		if (reductions)
			reductions[FG_REDUCTION_BASE] = 0; /* tells the program that no reduction is registered */
		fg_leave(self);
		return;
	}
	if (group) {
		struct fg_taskgroup *taskgroup = fg_taskgroup_start(self, false);
		if (reductions)
			fg_reduction_register(taskgroup, reductions, self->thread.size);
	}
	struct split split = split_loop(loop, self->thread.size);
	struct part all = {loop, end, split, 0, split.tasks, most_for_one(self, split.tasks)};
	if (may_halve(self, loop, &split))
		create_by_halves(self, all);
	else
		create_tasks(self, &all);
	if (group)
		fg_taskgroup_end(self);
	fg_leave(self);
}

/* The step must lead from start towards end. */
static uint64_t
count_trips(uint64_t start, uint64_t end, uint64_t step, bool up)
{
	return up ? (end - start - 1) / step + 1 : (start - end - 1) / -step + 1;
}

/* Defines the entry point for one type of bounds. `up` tells whether the loop goes up. */
#define TASKLOOP(name, WORD, COUNT, up)                                                                                \
	FG_EXPORT void name(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,       \
			    unsigned flags, COUNT num_tasks, int priority, WORD start, WORD end, WORD step)            \
	{                                                                                                              \
		struct loop loop = {                                                                                   \
			.fn = fn,                                                                                      \
			.data = data,                                                                                  \
			.copy = copy,                                                                                  \
			.size = size,                                                                                  \
			.align = align > 0 ? align : 1,                                                                \
			.flags = flags,                                                                                \
			.tasks_wanted = num_tasks,                                                                     \
			.start = start,                                                                                \
			.step = step,                                                                                  \
			.trips = ((up) ? start < end : start > end) ? count_trips(start, end, step, up) : 0,           \
			.priority = flags & FG_TASK_PRIORITY ? fg_task_priority(priority) : 0,                         \
		};                                                                                                     \
		run_taskloop(&loop, end);                                                                              \
	}
TASKLOOP(GOMP_taskloop, long, unsigned long, step > 0)
TASKLOOP(GOMP_taskloop_ull, unsigned long long, unsigned long, flags &FG_TASK_UP)
