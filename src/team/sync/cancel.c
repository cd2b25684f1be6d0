/* Cancellation (floor: team): see cancel.h.
 *
 * The barriers of a team have numbers: those of the phases that they end (exec/flat/cut.h, arrivals.h). All members
 * meet the same ones, in order. A member that cancels the region stores a number in team->cancelled. It is that of the
 * barrier which the member has not met yet, and never meets, because it leaves the region. So it *cuts* this barrier,
 * n. The word is stored once in a region.
 *
 *   (1) No member is past n, because n needs all members, and one of them leaves instead.
 *   (2) Each member arrives at n exactly once: at a barrier, or as it ends its part of the region (fg_cancel_end). It
 *       does the latter in each region, because it may not know that another member cancels. Its own flag, thread.cut,
 *       says whether it has arrived at a barrier that was cut.
 *
 * By (2) all counters are right after each region. A member that waits at n goes on when it sees the word, or when all
 * have arrived. In the second case it sees the word, too. The member that cancelled stored the word before it arrived
 * at n, and a barrier orders what came before. So by (1) all members that arrive at n agree that it was cut. A member
 * that waits at the barrier before n does not care for the word, because it names another number. No arrival is taken
 * back, so nothing needs a lock.
 *
 * Plain barriers, which the compiler makes for copyprivate and in functions that a region calls, cannot leave the
 * region. A member that comes to n at one of those *stays*. It waits until all have arrived at n. Then it knows how
 * many stay, because each arrival tells. From then on those that stay have barriers of their own, until they leave, too
 * (stay.h). Libgomp waits there for ever.
 *
 * A worksharing construct that may be cancelled ends with a barrier. Its number names the construct in
 * team->share_cancelled. The next constructs end with later ones, so nobody clears the word. */
#include "team/sync/cancel.h"

#include "exec/flat/cut.h"
#include "exec/loop/park.h"

#include "team/sync/arrivals.h"
#include "team/sync/stay.h"
#include "team/tasks/cancelled.h"
#include "team/tasks/wait.h"

/* Of a member: `thread.cut`. */
enum fg_cut {
	FG_CUT_NONE,  /* it has not arrived at a barrier that was cut */
	FG_CUT_LEFT,  /* it has, and leaves the region */
	FG_CUT_STAYED /* it has, and stays (stay.h) */
};

static struct fg_taskgroup *
current_group(struct fg_identity *self)
{
	if (self->thread.groups_lost) /* its tasks are complete, so there are none to cancel */
		return NULL;
	struct fg_task *task = fg_task_current_or_null(self);
	return task ? fg_taskgroup_cancellable(task->group) : NULL;
}

/* The number of the barrier that the caller meets next. */
static uint64_t
next_number(const struct fg_identity *self, const struct fg_team *team)
{
	return team->mode == FG_TEAM_DOCKED ? fg_cut_next(self) : (uint64_t)fg_load_relaxed(&team->phase) + 1;
}

void
fg_cancel_begin(struct fg_identity *self, struct fg_team *team)
{
	fg_store_relaxed(&team->cancelled, 0);
	fg_store_relaxed(&team->share_cancelled, 0);
	fg_store_relaxed(&team->stay, 0);
	self->thread.cut = FG_CUT_NONE;
}

void
fg_cancel_end(struct fg_identity *self, struct fg_team *team)
{
	fg_assert_inside(self);
	if (self->thread.cut == FG_CUT_STAYED)
		fg_stay_end(team);
	else if (self->thread.cut == FG_CUT_NONE && team->mode == FG_TEAM_DOCKED)
		fg_cut_pass(self);
	else if (self->thread.cut == FG_CUT_NONE && team->mode != FG_TEAM_SERIAL)
		fg_arrivals_come(self, team, false);
	self->thread.cut = FG_CUT_NONE;
}

bool
fg_cancel(struct fg_identity *self, int kind)
{
	fg_assert_inside(self);
	if (kind == FG_CANCEL_TASKGROUP) {
		struct fg_taskgroup *group = current_group(self);
		if (group)
			fg_store_release(&group->cancelled, 1);
		return true;
	}
	if (self->thread.size == 1)
		return true; /* no other thread needs to know */
	struct fg_team *team = self->thread.team;
	uint64_t number = next_number(self, team), none = 0;
	if (kind != FG_CANCEL_PARALLEL)
		fg_store_release(&team->share_cancelled, number);
	else if (!fg_cas_release(&team->cancelled, &none, number))
		return true;
	else if (team->mode == FG_TEAM_DOCKED)
		fg_cut_wake(self);
	else
		fg_arrivals_wake(team);
	return true;
}

bool
fg_cancel_point(struct fg_identity *self, int kind)
{
	fg_assert_inside(self);
	struct fg_team *team = self->thread.team;
	if (kind == FG_CANCEL_LOOP || kind == FG_CANCEL_SECTIONS) {
		uint64_t number = team ? fg_load_acquire(&team->share_cancelled) : 0;
		return number && number == next_number(self, team);
	}
	if (kind == FG_CANCEL_TASKGROUP) {
		struct fg_taskgroup *group = current_group(self);
		if (group && fg_load_acquire(&group->cancelled))
			return true;
	}
	/* Cancelling a region cancels its explicit tasks too. */
	return team && fg_load_acquire(&team->cancelled);
}

struct wait {
	struct fg_team *team;
	const struct fg_atomic_u32 *phase; /* of a loose team */
	uint64_t number;
};

static bool
is_cut(const struct wait *wait)
{
	return fg_load_acquire(&wait->team->cancelled) == wait->number;
}

static bool
has_opened(const struct wait *wait)
{
	return fg_load_acquire(wait->phase) == (uint32_t)wait->number;
}

static bool
over(void *arg)
{
	return has_opened(arg) || is_cut(arg);
}

/* As in barrier.c. */
static bool
still(void *arg)
{
	const struct wait *wait = arg;
	return !over(arg) && !fg_load_acquire(&wait->team->tasks);
}

static void
cross_loose(struct fg_identity *self, struct wait *wait, bool stays)
{
	if (fg_arrivals_come(self, wait->team, stays))
		return;
	struct fg_spin spin = FG_SPIN_INIT;
	while (still(wait))
		if (!fg_spin(&spin))
			fg_park(&wait->team->phase, still, wait);
	if (!over(wait))
		fg_task_wait_at(self, (uint32_t)wait->number, over, wait);
}

/* All members have come to the barrier, or have left the region. */
static bool
all_came(void *arg)
{
	const struct wait *wait = arg;
	return wait->phase ? has_opened(wait) : fg_cut_stayers(fg_self()) != 0;
}

/* The barrier was cut. Waits for all members, and returns when the caller is one of those that stay. */
static void
stay(struct fg_identity *self, struct wait *wait)
{
	fg_task_nap(self, NULL, all_came, wait);
	fg_stay_begin(wait->team, wait->phase ? wait->team->stayed : fg_cut_stayers(self));
	self->thread.cut = FG_CUT_STAYED;
}

bool
fg_cancel_cross(struct fg_identity *self, struct fg_team *team, bool cancellable)
{
	fg_assert_inside(self);
	if (self->thread.cut == FG_CUT_STAYED)
		fg_stay_meet(self, team);
	if (self->thread.cut != FG_CUT_NONE)
		return cancellable;
	bool docked = team->mode == FG_TEAM_DOCKED;
	struct wait wait = {team, docked ? NULL : fg_arrivals_phase(self, team), next_number(self, team)};
	assert(docked || fg_load_relaxed(wait.phase) == (uint32_t)wait.number - 1);
	if (cancellable && is_cut(&wait))
		return true; /* it will arrive in fg_cancel_end */
	if (docked)
		fg_cut_barrier(self, &team->cancelled, !cancellable);
	else
		cross_loose(self, &wait, !cancellable);
	if (__builtin_expect(is_cut(&wait), 0)) {
		if (cancellable) {
			self->thread.cut = FG_CUT_LEFT;
			return true;
		}
		stay(self, &wait);
	}
	struct fg_task_pool *pool = fg_load_acquire(&team->tasks);
	if (__builtin_expect(pool != NULL, 0))
		fg_task_barrier(self, pool, (uint32_t)wait.number);
	return false;
}
