/* Placement (floor: exec): see placement.h. */
#include "exec/flat/placement.h"

#include "exec/ground/options.h"
#include "exec/thread/identity.h"
#include "exec/thread/levels.h"
#include "forest/runqueue.h"
#include "platform/memory.h"
#include "sched/policy.h"

/* Copies the level and all levels below. Copies only a part of them if the memory runs out. */
static struct fg_runqueue *
copy(struct fg_runqueue *level, struct fg_runqueue *parent)
{
	struct fg_runqueue *queue = fg_memory_aligned(64, sizeof *queue);
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	struct fg_runqueue_list *list = below ? fg_memory_get(sizeof *list + below->n * sizeof *list->queue) : NULL;
	if (!queue || (below && !list)) {
		fg_memory_free(queue);
		fg_memory_free(list);
		return NULL;
	}
	fg_runqueue_init(queue, parent, level->first_pu, level->n_pus);
	queue->quiet = true;
	queue->kinds = level->kinds;
	queue->node = level->node;
	fg_own_store_relaxed(&queue->policy, fg_own_load_relaxed(&level->policy));
	queue->copy_of = level;
	fg_store_relaxed(&queue->below, list);
	if (list)
		list->n = 0;
	for (unsigned i = 0; below && i < below->n; i++, list->n++)
		if (!(list->queue[i] = copy(below->queue[i], queue)))
			break;
	return queue;
}

static bool
is_whole(struct fg_runqueue *level, struct fg_runqueue *of)
{
	const struct fg_runqueue_list *list = fg_runqueue_below(level), *below = fg_runqueue_below(of);
	bool whole = !below || list->n == below->n;
	for (unsigned i = 0; whole && below && i < below->n; i++)
		whole = is_whole(list->queue[i], below->queue[i]);
	return whole;
}

static void
drop(struct fg_runqueue *level)
{
	const struct fg_runqueue_list *list = fg_runqueue_below(level);
	assert(level->quiet && level->copy_of);
	for (unsigned i = 0; list && i < list->n; i++)
		drop(list->queue[i]);
	fg_memory_free((void *)list);
	fg_memory_free(level);
}

/* Returns the level of the machine that the copy stands for. */
static struct fg_runqueue *
original(const struct fg_runqueue *level)
{
	struct fg_runqueue *queue = fg_levels_leaf(level->first_pu);
	while (queue->n_pus < level->n_pus)
		queue = fg_runqueue_parent(queue);
	assert(queue->first_pu == level->first_pu && queue->n_pus == level->n_pus);
	return queue;
}

/* A member may have been put on a level above the PUs. It sits on the PU below that has the fewest members so far. */
static unsigned
emptiest(const struct fg_runqueue *level, const unsigned *sit)
{
	unsigned least = level->first_pu;
	for (unsigned pu = level->first_pu; pu < level->first_pu + level->n_pus; pu++)
		if (sit[pu] < sit[least])
			least = pu;
	return least;
}

static bool
read_back(struct fg_placement *plan, unsigned n_pus)
{
	unsigned *sit = fg_memory_zeroed(n_pus * sizeof *sit);
	if (!sit)
		return false;
	for (int inner = 0; inner <= 1; inner++)
		for (unsigned k = 0; k < plan->team.size; k++) {
			struct fg_member *member = &plan->team.members[k];
			struct fg_runqueue *level = fg_holder_runqueue(fg_load_relaxed(&member->entity.holder));
			assert(level->quiet && level->first_pu + level->n_pus <= n_pus && member->entity.number == k);
			if ((level->n_pus > 1) != inner)
				continue;
			plan->pu[k] = emptiest(level, sit);
			struct fg_runqueue *range = fg_load_relaxed(&member->entity.range);
			plan->range[k] = range ? original(range) : NULL;
			member->entity.last_pu = (uint16_t)plan->pu[k];
			sit[plan->pu[k]]++;
		}
	fg_memory_free(sit);
	return true;
}

bool
fg_placement_room(unsigned **pu, struct fg_runqueue ***range, unsigned n)
{
	unsigned *more = fg_memory_resize(*pu, n * sizeof *more);
	if (more)
		*pu = more;
	struct fg_runqueue **ranges = fg_memory_resize(*range, n * sizeof *ranges);
	if (ranges)
		*range = ranges;
	return more && ranges;
}

/* Policies lock the runqueues of the copy, so the caller is inside. */
static bool
place(struct fg_placement *plan, struct fg_runqueue *top)
{
	bool inside = fg_enter_again(fg_self());
	bool placed = fg_policy_place(&plan->team, top);
	fg_leave_again(fg_self(), inside);
	return placed;
}

bool
fg_placement_make(struct fg_placement *plan, struct fg_runqueue *part, unsigned size, const float *loads,
		  const void *areas, uint32_t number)
{
	assert(fg_lock_order_none("places a team with") && !fg_load_stable(&fg_self()->in_runtime));
	fg_levels_deepen();
	struct fg_runqueue *top = fg_placement_room(&plan->pu, &plan->range, size) ? copy(part, NULL) : NULL;
	plan->size = 0;
	if (!top)
		return false;
	fg_bubble_init(&plan->team, size);
	plan->team.born = 0;
	plan->team.number = number;
	plan->team.loads = loads;
	plan->team.areas = areas;
	plan->team.habits = plan->habits;
	if (is_whole(top, part) && place(plan, top) && read_back(plan, fg_exec_options.n_pus))
		plan->size = size;
	plan->team.areas = NULL;
	drop(top);
	return plan->size != 0;
}
