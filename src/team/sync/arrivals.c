/* Arrivals (floor: team): see arrivals.h.
 *
 * A member adds itself to its group's counter. The last of a group resets that, and adds the group to team->arrived.
 * The last group's member resets this, raises team->phase, then the phase of each group, and wakes the others.
 *
 *     group->arrived = members of the group that have arrived; 0 once all have
 *     team->arrived  = groups that are complete; 0 once all are
 *     group->phase   = team->phase, or the one before while a member that found all complete raises it
 *
 * The upper halves of the two counters have the members that stay in a region if it is cancelled here (cancel.c).
 *
 * The acquire-release additions to a group's counter form one chain, and so do those to the team's. The last member of
 * a group belongs to both. So the last member of all sees everything that any member did before it arrived. Its
 * release of a group's phase hands that on. No member of a group arrives again before that, so no reset is lost.
 *
 * Each wait ends: the last member of all raises all phases itself, without a wait. No member tells others on the way
 * down, so no group depends on a member that is preempted or sent elsewhere. A member that parks does so at
 * team->phase, as in a small team. The waker raises all phases before its call of fg_unpark. */
#include "team/sync/arrivals.h"

#include <limits.h>

#include "exec/loop/park.h"
#include "platform/memory.h"
#include "team/env/features.h"
#include "team/tasks/wait.h"

#define MEMBERS 8 /* of a group */
#define STAYS (UINT64_C(1) << 32)

struct wait {
	struct fg_team *team;
	struct fg_arrivals_group *group;
	uint32_t phase;
};

static bool
passed(void *arg)
{
	struct wait *wait = arg;
	return fg_load_acquire(&wait->group->phase) != wait->phase;
}

/* As in barrier.c. */
static bool
still(void *arg)
{
	struct wait *wait = arg;
	return !passed(arg) && !fg_load_acquire(&wait->team->tasks);
}

static unsigned
groups_of(const struct fg_team *team)
{
	return (team->size + MEMBERS - 1) / MEMBERS;
}

static bool
make_room(struct fg_team *team)
{
	unsigned n = groups_of(team);
	if (team->arrivals && team->arrivals->room >= n)
		return true;
	size_t bytes = sizeof(struct fg_arrivals) + n * sizeof(struct fg_arrivals_group);
	struct fg_arrivals *new = fg_memory_aligned(_Alignof(struct fg_arrivals), bytes);
	if (!new)
		return false;
	fg_memory_free(team->arrivals);
	team->arrivals = new;
	new->version = 0;
	new->room = n;
	return true;
}

void
fg_arrivals_prepare(struct fg_team *team)
{
	if (!make_room(team))
		return;
	struct fg_arrivals *arrivals = team->arrivals;
	team->features |= FG_FEATURE_GROUPS;
	if (arrivals->version == team->version)
		return;
	arrivals->version = team->version;
	arrivals->n = groups_of(team);
	for (unsigned i = 0; i < arrivals->n; i++) {
		fg_store_relaxed(&arrivals->group[i].arrived, 0);
		fg_store_relaxed(&arrivals->group[i].phase, fg_load_relaxed(&team->phase));
	}
}

/* Adds *sum to the counter. True: that was the last of so many arrivals. The counter is 0 again, and *sum is its value
 * from before. */
static bool
count(struct fg_atomic_u64 *counter, uint64_t *sum, unsigned all)
{
	uint64_t now = fg_add_acq_rel(counter, *sum) + *sum;
	assert((uint32_t)now <= all);
	if ((uint32_t)now != all)
		return false;
	fg_store_relaxed(counter, 0);
	*sum = now;
	return true;
}

/* True: the caller is the last of all members. */
static bool
arrive(struct fg_team *team, struct fg_arrivals_group *group, uint64_t *sum)
{
	unsigned before = (unsigned)(group - team->arrivals->group) * MEMBERS, members = team->size - before;
	if (members > MEMBERS)
		members = MEMBERS;
	if (!count(&group->arrived, sum, members))
		return false;
	*sum -= members - 1; /* one complete group, and those of its members that stay */
	return count(&team->arrived, sum, team->arrivals->n);
}

static struct fg_arrivals_group *
group_of(const struct fg_identity *self, const struct fg_team *team)
{
	return &team->arrivals->group[self->thread.num / MEMBERS];
}

void
fg_arrivals_wake(struct fg_team *team)
{
	fg_unpark(&team->phase, UINT_MAX);
	struct fg_task_pool *pool = fg_load_acquire(&team->tasks);
	if (pool)
		fg_task_wake_all(pool);
}

static void
raise_phase(struct fg_team *team, uint32_t phase)
{
	fg_store_relaxed(&team->phase, phase);
	for (unsigned i = 0; i < team->arrivals->n; i++)
		fg_store_release(&team->arrivals->group[i].phase, phase);
	fg_arrivals_wake(team);
}

const struct fg_atomic_u32 *
fg_arrivals_phase(const struct fg_identity *self, const struct fg_team *team)
{
	return team->features & FG_FEATURE_GROUPS ? &group_of(self, team)->phase : &team->phase;
}

bool
fg_arrivals_come(struct fg_identity *self, struct fg_team *team, bool stays)
{
	fg_assert_inside(self);
	bool groups = team->features & FG_FEATURE_GROUPS;
	uint32_t phase = fg_load_relaxed(&team->phase) + 1;
	uint64_t sum = 1 + stays * STAYS;
	if (!(groups ? arrive(team, group_of(self, team), &sum) : count(&team->arrived, &sum, team->size)))
		return false;
	if (sum >= STAYS)
		team->stayed = (unsigned)(sum / STAYS);
	if (groups) {
		raise_phase(team, phase);
	} else {
		fg_store_release(&team->phase, phase);
		fg_arrivals_wake(team);
	}
	return true;
}

uint32_t
fg_arrivals_barrier(struct fg_identity *self, struct fg_team *team)
{
	fg_assert_inside(self);
	struct fg_arrivals_group *group = group_of(self, team);
	struct wait wait = {team, group, fg_load_relaxed(&group->phase)};
	uint64_t sum = 1;
	if (arrive(team, group, &sum)) {
		raise_phase(team, wait.phase + 1);
		return wait.phase + 1;
	}
	struct fg_spin spin = FG_SPIN_INIT;
	while (still(&wait))
		if (!fg_spin(&spin))
			fg_park(&team->phase, still, &wait);
	if (!passed(&wait))
		fg_task_wait_at(self, wait.phase + 1, passed, &wait);
	return wait.phase + 1;
}
