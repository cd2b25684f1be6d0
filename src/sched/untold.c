/* Untold (floor: sched): see untold.h. */
#include "sched/untold.h"

#include "forest/bubble.h"
#include "sched/decision.h"
#include "sched/home.h"

static bool
may_leave(struct fg_entity *entity)
{
	const struct fg_bubble *team = fg_home_team(entity);
	return !team || !team->areas;
}

static bool
take(struct fg_runqueue *victim, struct fg_claim *claim)
{
	bool taken = false;
	if (fgomp_queue_count(victim) == 0)
		return false;
	fgomp_queue_lock(victim);
	struct fg_holder *holder = fgomp_queue_holder(victim);
	struct fg_entity *entity = fgomp_holder_first(holder);
	while (entity && !may_leave(entity))
		entity = fgomp_holder_next(holder, entity);
	if (entity)
		taken = fgomp_claim(entity, claim);
	fgomp_queue_unlock(victim);
	return taken;
}

static bool
take_below(struct fg_runqueue *level, const struct fg_runqueue *except, unsigned turn, struct fg_claim *claim)
{
	if (level == except)
		return false;
	if (take(level, claim))
		return true;
	for (unsigned i = 0, n = fgomp_queue_n_children(level); i < n; i++)
		if (take_below(fgomp_queue_child(level, (i + turn) % n), except, turn, claim))
			return true;
	return false;
}

bool
fg_untold_take(const void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	fg_reason("of a team without known data, nearest first");
	struct fg_runqueue *done = leaf;
	for (struct fg_runqueue *level = leaf; (level = fgomp_queue_above(self, level)); done = level)
		if (take_below(level, done, turn, claim))
			return true;
	return false;
}
