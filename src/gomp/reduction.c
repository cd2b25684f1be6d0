/* ABI: task reductions (floor: gomp). Compiled code calls these, as team/inside.h says. team/share/reduction.h has the
 * arrays. */
#include "base/export.h"
#include "base/log.h"
#include "exec/roots/self.h"
#include "team/region/region.h"
#include "team/share/reduction.h"
#include "team/tasks/pool.h"

FG_EXPORT void
GOMP_taskgroup_reduction_register(uintptr_t *array)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	struct fg_task *task = self->thread.groups_lost ? NULL : fg_task_current(self);
	fg_reduction_register(task ? task->group : NULL, array, self->thread.size);
	fg_leave(self);
}

FG_EXPORT void
GOMP_taskgroup_reduction_unregister(uintptr_t *array)
{
	fg_reduction_unregister(array);
}

FG_EXPORT void
GOMP_task_reduction_remap(size_t count, size_t originals, void **items)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_reduction_remap(self, count, originals, items);
	fg_leave(self);
}

FG_EXPORT void
GOMP_workshare_task_reduction_unregister(bool cancelled)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_reduction_workshare_end(self, cancelled);
	fg_leave(self);
}

struct shared_group {
	struct fg_taskgroup group;
	uintptr_t *array;
	unsigned size;
};

/* All members start inside one taskgroup, which holds the reductions. The region's end waits for its tasks. */
static void
prepare(struct fg_team *team, void *arg)
{
	struct shared_group *shared = arg;
	struct fg_task_pool *pool = fg_task_team_pool(team->primary, team);
	if (!pool)
		fg_fatal("Out of memory allocating %zu bytes", fg_task_pool_bytes(team->size));
	fg_reduction_register(&shared->group, shared->array, team->size);
	for (unsigned i = 0; i < team->size; i++)
		fg_task_member_of(pool, i)->implicit.group = &shared->group;
	shared->size = team->size;
}

FG_EXPORT unsigned
GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags)
{
	struct shared_group shared = {.array = *(uintptr_t **)data};
	fg_region(fn, data, num_threads, flags, prepare, &shared);
	return shared.size;
}
