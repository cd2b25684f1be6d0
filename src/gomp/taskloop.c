/* ABI: taskloops (floor: gomp). The iterations of a loop are split into tasks. Each task has a copy of the data block.
 * The first two words of the copy are the bounds of its part, in values of the loop variable. */
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

static void
create_tasks(struct fg_identity *self, const struct loop *loop, uint64_t end)
{
	struct split split = split_loop(loop, self->thread.size);
	uint64_t range[2] = {loop->start};
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
	for (uint64_t i = 0; i < split.tasks; i++) {
		uint64_t trips = split.each + (i < split.longer);
		range[1] = i + 1 == split.tasks ? end : range[0] + trips * loop->step;
		fg_task_create(self, &order, NULL);
		range[0] = range[1];
	}
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
	create_tasks(self, loop, end);
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
