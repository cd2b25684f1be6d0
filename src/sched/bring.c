/* Bringing whole teams (floor: sched); see bring.h. */
#include "sched/bring.h"

#include "forest/live.h"
#include "forest/move.h"
#include "sched/decision.h"
#include "sched/home.h"
#include "sched/live_tree.h"
#include "sched/subtree.h"
#include "sched/world.h"

struct arrival {
	struct fg_runqueue *domain;
	unsigned pu; /* of the thief */
};

static struct fg_entity *
first_of(struct fg_runqueue *level, const struct fg_bubble *team)
{
	struct fg_holder *holder = fgomp_queue_holder(level);
	struct fg_entity *found = NULL;
	for (struct fg_entity *entity = fgomp_holder_first(holder); entity && !found;
	     entity = fgomp_holder_next(holder, entity))
		if (fg_home_team(entity) == team)
			found = entity;
	for (unsigned c = 0; !found && c < fgomp_queue_n_children(level); c++)
		found = first_of(fgomp_queue_child(level, c), team);
	return found;
}

/* Takes all that works for the team, or for one below it. They are chained by `next`. */
static struct fg_entity *
take_all_of(struct fg_runqueue *level, const struct fg_bubble *team, struct fg_entity *taken)
{
	struct fg_holder *holder = fgomp_queue_holder(level);
	for (struct fg_entity *entity = fgomp_holder_first(holder), *next; entity; entity = next) {
		next = fgomp_holder_next(holder, entity);
		if (!fg_subtree_has(team, fg_home_team(entity)))
			continue;
		if (__builtin_expect(fg_recording.trace, 0))
			entity->from = fg_decision_where_locked(entity);
		fg_entity_take_locked(entity);
		entity->next = taken;
		taken = entity;
	}
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		taken = take_all_of(fgomp_queue_child(level, c), team, taken);
	return taken;
}

/* The i-th PU of the thief's domain, beginning with its own. */
static struct fg_runqueue *
pu_of(const struct arrival *at, unsigned i)
{
	const struct fg_runqueue *domain = at->domain;
	return fgomp_queue_of_pu(at->domain, domain->first_pu + (at->pu - domain->first_pu + i) % domain->n_pus);
}

/* A hint. A thread that the thief has put here may run already, or wait. */
static bool
is_here(const struct fg_entity *thread, const struct fg_runqueue *domain)
{
	int pu;
	struct fg_holder *holder = fg_load_relaxed(&thread->holder);
	struct fg_runqueue *queue = holder && !holder->bubble ? fg_holder_runqueue(holder) : fgomp_thread_level(thread);
	if (fgomp_thread_state(thread, &pu) == FGOMP_RUNNING)
		return (unsigned)pu - domain->first_pu < domain->n_pus;
	return queue && queue->first_pu - domain->first_pu < domain->n_pus;
}

/* The team's threads that run or wait come, too, and one whose waker saw the old home and has put it there since. So do
 * those of the teams below. `i`: so many came before. Returns how many have come then. */
static unsigned
send_others(const struct arrival *at, struct fg_bubble *team, unsigned i)
{
	for (unsigned k = 0; k < fgomp_bubble_size(team); k++) {
		struct fg_entity *thread = fgomp_bubble_thread(team, k);
		if (thread && fg_home_team(thread) == team && !is_here(thread, at->domain))
			fg_live_tree_try(thread, pu_of(at, i++));
	}
	for (struct fg_bubble *in = fgomp_tree_first(team); in; in = fgomp_tree_next(in))
		i = send_others(at, in, i);
	return i;
}

/* Returns how many there were. */
static unsigned
put_all(const struct arrival *at, struct fg_entity *taken)
{
	unsigned n = 0;
	fg_reason("a whole team, from where there are more");
	while (taken) {
		struct fg_entity *next = taken->next;
		struct fg_runqueue *queue = pu_of(at, n++);
		fg_decision_placed(taken, taken->from, fg_place_of(queue));
		if (taken->kind == FG_ENTITY_THREAD)
			fg_store_relaxed(&taken->level, queue); /* it comes back there */
		fg_runqueue_push(queue, taken);
		fg_world_tell(queue);
		taken = next;
	}
	return n;
}

bool
fg_bring_more(struct fg_runqueue *there, struct fg_runqueue *here)
{
	return fg_load_relaxed(&there->teams) >= fg_load_relaxed(&here->teams) + 2;
}

/* The thief looks again under the locks, and a member that lies there keeps the team alive. The teams around it and
 * below it are in the tree. */
bool
fg_bring(struct fg_bubble *team, struct fg_runqueue *there, struct fg_runqueue *here, unsigned pu)
{
	const struct arrival at = {here, pu};
	struct fg_entity *taken = NULL;
	fgomp_tree_lock();
	fgomp_queue_lock_all(there);
	bool comes = fg_bring_more(there, here) && first_of(there, team);
	struct fg_home home = comes ? fg_home_of(team) : (struct fg_home){0};
	struct fg_bubble *whole = team;
	if (home.n && !fg_home_has(home, pu)) {
		whole = fg_subtree_about(team, there, here);
		fg_home_change(team, (struct fg_home){here->first_pu, here->n_pus, home.lone, true});
		fg_subtree_change(whole, there, here);
		taken = take_all_of(there, whole, NULL);
	}
	fgomp_queue_unlock_all(there);
	if (taken)
		send_others(&at, whole, put_all(&at, taken));
	fgomp_tree_unlock();
	return taken;
}
