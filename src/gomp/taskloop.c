/* ABI: taskloops (floor: gomp). The iterations of a loop are split into tasks. Each task has a copy of the data block.
 * The first two words of the copy are the bounds of its part, in values of the loop variable. Compiled code calls
 * these, as team/inside.h says. The construct waits for its tasks by a taskgroup, unless nogroup was given. */
#include "base/export.h"
#include "exec/ground/options.h"
#include "exec/loop/look.h"
#include "exec/roots/self.h"
#include "gomp/task_flags.h"
#include "team/share/reduction.h"
#include "team/tasks/cancelled.h"
#include "team/tasks/create.h"
#include "team/tasks/included.h"
#include "team/tasks/mail.h"
#include "team/tasks/row.h"

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
};

static inline struct fg_task_order
order_of(const struct loop *loop, const uint64_t *range)
{
	return (struct fg_task_order){
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
}

/* The end of task i, which begins there. */
static inline uint64_t
end_of(const struct part *part, uint64_t i, uint64_t begin)
{
	uint64_t trips = part->split.each + (i < part->split.longer);
	return i + 1 == part->split.tasks ? part->end : begin + trips * part->loop->step;
}

static void
create_tasks(struct fg_identity *self, const struct part *part)
{
	uint64_t range[2] = {begin_of(part->loop, &part->split, part->from)};
	struct fg_task_order order = order_of(part->loop, range);
	for (uint64_t i = part->from; i < part->to; i++) {
		range[1] = end_of(part, i, range[0]);
		fg_task_create(self, &order, NULL);
		range[0] = range[1];
	}
}

#define TEAM_MOST 8   /* one thread makes all tasks for a team of so many */
#define TASKS_MOST 32 /* the same for so many tasks */
#define GROUPS_MOST 64
#define ROWS_LEAST 2 /* rows for each member, where there are so many tasks */

static void run_row(void *arg);

/* The last n tasks become a row of their own (row.h). False: there is no memory. */
static bool
split_off(struct fg_identity *self, struct part *part, struct fg_deferred *whole, uint64_t n, struct fg_mailbox *box)
{
	struct part last = *part;
	last.from = part->to - n;
	struct fg_task_order order = {
		.fn = run_row, .data = &last, .size = sizeof last, .align = _Alignof(struct part)};
	if (!fg_task_defer_row(self, whole, &order, box))
		return false;
	part->to = last.from;
	return true;
}

/* The next half goes to another member: one that finds none in the deque now, or one that comes while the caller runs
 * a task, however long that takes. So a member that has taken a row soon has rows for others. It keeps `few` tasks. */
static inline bool
splits(const struct fg_task_member *member, const struct part *part, uint64_t few)
{
	uint64_t half = (part->to - part->from) / 2;
	return half && (half > few || fg_task_row_is_wanted(member));
}

/* One thread would make all tasks of a loop one after the other, and all others would take them from its deque. So it
 * runs them, and gives half of them to each thief, which does so, too. */
static void
run_tasks(struct fg_identity *self, struct part *part, struct fg_deferred *whole)
{
	const struct fg_task_member *member = self->thread.tasks;
	uint64_t few = part->split.tasks / (ROWS_LEAST * self->thread.size);
	uint64_t range[2] = {begin_of(part->loop, &part->split, part->from)};
	struct fg_task_order order = order_of(part->loop, range);
	for (; part->from < part->to; part->from++) {
		while (splits(member, part, few) && split_off(self, part, whole, (part->to - part->from) / 2, NULL))
			;
		range[1] = end_of(part, part->from, range[0]);
		fg_task_include(self, fg_task_current(self), &order);
		range[0] = range[1];
		fg_worker_look(self);
	}
}

/* In a large team each group finds a row in its mailbox. */
static void
give_to_groups(struct fg_identity *self, struct part *part)
{
	struct fg_mailbox *box[GROUPS_MOST];
	unsigned groups = fg_task_mail_empty(self->thread.tasks, box, GROUPS_MOST);
	for (; groups > 0; groups--) {
		uint64_t n = (part->to - part->from) / (groups + 1);
		if (n && !split_off(self, part, NULL, n, box[groups - 1]))
			return;
	}
}

static void
run_row(void *arg)
{
	struct fg_identity *self = fg_self();
	struct part part = *(struct part *)arg;
	fg_enter(self);
	run_tasks(self, &part, fg_task_row(self));
	fg_leave(self);
}

/* True: threads may split the loop. A copy constructor of the program runs only on the thread that met the loop. Tasks
 * with a priority lie in one queue anyhow. With cancellation a row would not tell whose tasks are dropped. Without a
 * group of the loop nothing waits for the rows. A replayed trace has each task. */
static bool
may_split(const struct fg_identity *self, const struct loop *loop, const struct split *split)
{
	unsigned flags = FG_TASK_IF | FG_TASK_NOGROUP | FG_TASK_FINAL;
	const struct fg_task *task = self->thread.task;
	return self->thread.size > TEAM_MOST && split->tasks > TASKS_MOST && !loop->copy && !loop->priority &&
	       (loop->flags & flags) == FG_TASK_IF && !fg_env.cancellation && !fg_exec_options.defer_tasks &&
	       self->thread.tasks && !self->thread.groups_lost && (!task || task->nested < FG_NESTED_MAX);
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
	struct part all = {loop, end, split, 0, split.tasks};
	if (may_split(self, loop, &split)) {
		give_to_groups(self, &all);
		run_tasks(self, &all, NULL);
	} else
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
