/* Task reductions (floor: team): see reduction.h. */
#include "team/share/reduction.h"
#include "base/log.h"
#include "platform/memory.h"
#include "team/sync/barrier.h"
#include "team/tasks/pool.h"
#include <stdlib.h>
#include <string.h>

static uintptr_t *
next_of(const uintptr_t *array)
{
	return (uintptr_t *)array[FG_REDUCTION_NEXT];
}

static void
allocate_blocks(uintptr_t *array, unsigned threads)
{
	size_t align = array[FG_REDUCTION_BASE], size = array[FG_REDUCTION_BYTES] * threads;
	void *memory = fg_memory_aligned(align < sizeof(void *) ? sizeof(void *) : align, size);
	if (!memory)
		fg_fatal("Out of memory allocating %zu bytes", size);
	memset(memory, 0, size);
	array[FG_REDUCTION_BASE] = (uintptr_t)memory;
	array[FG_REDUCTION_END] = (uintptr_t)memory + size;
}

/* The arrays can only be found through a group, so there must be one. */
static void
need_group(const struct fg_taskgroup *group)
{
	if (!group)
		fg_fatal("Out of memory allocating %zu bytes", sizeof *group);
}

/* Makes the blocks, or takes those of another member's array for the same construct. */
static void
register_arrays(struct fg_taskgroup *group, uintptr_t *array, const uintptr_t *same, unsigned threads)
{
	uintptr_t *last = array;
	for (;; last = next_of(last)) {
		if (same) {
			last[FG_REDUCTION_BASE] = same[FG_REDUCTION_BASE];
			last[FG_REDUCTION_END] = same[FG_REDUCTION_END];
			same = next_of(same);
		} else {
			allocate_blocks(last, threads);
		}
		last[FG_REDUCTION_HEAD] = last == array;
		if (!next_of(last))
			break;
	}
	last[FG_REDUCTION_NEXT] = (uintptr_t)group->reductions;
	group->reductions = array;
}

void
fg_reduction_register(struct fg_taskgroup *group, uintptr_t *array, unsigned threads)
{
	fg_assert_inside(fg_self());
	need_group(group);
	register_arrays(group, array, NULL, threads);
}

void
fg_reduction_unregister(uintptr_t *array)
{
	do {
		fg_memory_free((void *)array[FG_REDUCTION_BASE]);
		array = next_of(array);
	} while (array && !array[FG_REDUCTION_HEAD]);
}

/* The item of this array that `address` names: by its original address, or by any thread's copy. NULL: there is
 * none. */
static uintptr_t *
find_item(uintptr_t *array, uintptr_t address)
{
	uintptr_t *items = array + FG_REDUCTION_ITEMS;
	bool copy = address >= array[FG_REDUCTION_BASE] && address < array[FG_REDUCTION_END];
	uintptr_t offset = copy ? (address - array[FG_REDUCTION_BASE]) % array[FG_REDUCTION_BYTES] : 0;
	for (uintptr_t i = 0; i < array[FG_REDUCTION_COUNT]; i++)
		if (copy ? items[3 * i + 1] == offset : items[3 * i] == address)
			return &items[3 * i];
	return NULL;
}

void
fg_reduction_remap(struct fg_identity *self, size_t count, size_t originals, void **items)
{
	fg_assert_inside(self);
	struct fg_task *task = fg_task_current(self);
	for (size_t i = 0; i < count; i++) {
		uintptr_t *array = task && task->group ? task->group->reductions : NULL, *item = NULL;
		for (; array; array = next_of(array)) {
			item = find_item(array, (uintptr_t)items[i]);
			if (item)
				break;
		}
		if (!item)
			fg_fatal("couldn't find matching task_reduction or reduction with task modifier for %p",
				 items[i]);
		if (i < originals)
			items[count + i] = (void *)item[0];
		items[i] = (void *)(array[FG_REDUCTION_BASE] + self->thread.num * array[FG_REDUCTION_BYTES] + item[1]);
	}
}

void
fg_reduction_workshare_begin(struct fg_identity *self, struct fg_workshare *share, bool first, uintptr_t *reductions)
{
	struct fg_taskgroup *group = fg_taskgroup_start(self, true);
	need_group(group);
	if (!first)
		fg_happens_after(share->reductions);
	register_arrays(group, reductions, first ? NULL : share->reductions, self->thread.size);
	if (!first)
		return;
	fg_happens_before(reductions);
	share->reductions = reductions;
}

void
fg_reduction_workshare_end(struct fg_identity *self, bool cancelled)
{
	fg_assert_inside(self);
	uintptr_t *array = fg_task_current(self)->group->reductions;
	fg_taskgroup_end(self);
	if (self->thread.num == 0)
		fg_reduction_unregister(array);
	if (!cancelled)
		fg_team_barrier(self);
}
