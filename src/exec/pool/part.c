/* Part (floor: exec): see part.h. */
#include "exec/pool/part.h"

#include "exec/ground/options.h"
#include "exec/pool/hiring.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_state.h"

static unsigned
free_pus(const struct fg_runqueue *level)
{
	unsigned n = 0;
	assert(fg_spinlock_held(&fg_hiring.lock));
	for (unsigned pu = level->first_pu; pu < level->first_pu + level->n_pus; pu++)
		n += !fg_hiring.used[pu];
	return n;
}

unsigned
fg_part_free_locked(void)
{
	return free_pus(fg_levels_top());
}

/* Finds the smallest level with so many free PUs. whole: all of its PUs must be free. */
static void
find_level(struct fg_runqueue *level, unsigned slots, bool whole, struct fg_runqueue **best)
{
	unsigned n = free_pus(level);
	if (n < slots)
		return;
	if ((!whole || n == level->n_pus) && (!*best || level->n_pus < (*best)->n_pus))
		*best = level;
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		find_level(below->queue[i], slots, whole, best);
}

/* The size of the smallest level that could have so many PUs. */
static unsigned
least(struct fg_runqueue *level, unsigned slots)
{
	unsigned n = level->n_pus;
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		if (below->queue[i]->n_pus >= slots) {
			unsigned there = least(below->queue[i], slots);
			n = there < n ? there : n;
		}
	return n;
}

/* The caller is outside, because the levels below the machine are read from files. A holder of a lock is inside. */
struct fg_runqueue *
fg_part_find(struct fg_root *root, unsigned slots)
{
	struct fg_runqueue *part = NULL;
	assert(fg_lock_order_none("finds a part with") && !fg_load_stable(&root->identity.in_runtime));
	bool inside = fg_enter_again(fg_self());
	fg_spinlock_lock(&fg_hiring.lock);
	bool alone = fg_hiring_layouts_locked(&root->dock) == 0;
	fg_spinlock_unlock(&fg_hiring.lock);
	fg_leave_again(fg_self(), inside);
	if (alone)
		return fg_levels_top();
	fg_levels_deepen();
	inside = fg_enter_again(fg_self());
	fg_spinlock_lock(&fg_hiring.lock);
	fg_hiring_mark_locked(&root->dock);
	find_level(fg_levels_top(), slots, true, &part);
	fg_spinlock_unlock(&fg_hiring.lock);
	fg_leave_again(fg_self(), inside);
	return part;
}

bool
fg_part_may_be_compact_locked(const struct fg_dock *dock)
{
	struct fg_runqueue *part = NULL;
	fg_hiring_mark_locked(dock);
	find_level(fg_levels_top(), dock->held, true, &part);
	return part && part->n_pus <= least(fg_levels_top(), dock->held);
}

bool
fg_part_is_free_locked(const struct fg_root *root, unsigned slots)
{
	for (unsigned i = 0; i < slots; i++)
		if (root->pus[i] == FG_PU_LATER || fg_hiring.used[root->pus[i]])
			return false;
	return true;
}

/* The plan's PUs are not free, or there is no plan. The root takes others, close to each other. */
void
fg_part_take_any_locked(struct fg_root *root, unsigned slots)
{
	struct fg_runqueue *level = NULL;
	unsigned n = 0;
	find_level(fg_levels_top(), slots, false, &level);
	for (unsigned pu = level ? level->first_pu : 0; level && n < slots; pu++)
		if (!fg_hiring.used[pu]) {
			root->range[n] = NULL;
			root->pus[n++] = pu;
		}
	assert(n == slots);
}

bool
fg_part_is_compact(const struct fg_root *root, unsigned slots)
{
	assert(slots > 0 && slots <= fg_exec_options.n_pus);
	unsigned low = root->pus[0], high = low;
	for (unsigned i = 1; i < slots; i++) {
		low = root->pus[i] < low ? root->pus[i] : low;
		high = root->pus[i] > high ? root->pus[i] : high;
	}
	struct fg_runqueue *level = fg_runqueue_common(fg_levels_leaf(low), fg_levels_leaf(high));
	return level->n_pus <= least(fg_levels_top(), slots);
}
