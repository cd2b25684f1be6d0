/* The team's barrier (floor: team; called by gomp and by the constructs that end with one).
 *
 * Loose teams: a counter and a phase. The last to arrive resets the counter, then raises the phase (release) and wakes; the others
 * wait for the phase they saw before they arrived to pass. The counter's acquire-release additions form one chain, so the last sees
 * all that the others did, and its release of the phase hands that on. Nobody can arrive at the next barrier before the phase is
 * raised, so the reset is not lost. */
#include <limits.h>

#include "exec/dock.h"
#include "exec/park.h"
#include "team/cancel.h"
#include "team/task.h"
#include "team/team.h"

struct wait {
	struct fg_team *team;
	uint32_t phase;
};

static bool
still(void *arg)
{
	struct wait *wait = arg;
	return fg_load_acquire(&wait->team->phase) == wait->phase;
}

static void
loose_barrier(struct fg_team *team)
{
	struct wait wait = {team, fg_load_relaxed(&team->phase)};
	if (fg_add_acq_rel(&team->arrived, 1) + 1 == team->size) {
		fg_store_relaxed(&team->arrived, 0);
		fg_store_release(&team->phase, wait.phase + 1);
		fg_unpark(&team->phase, UINT_MAX);
		return;
	}
	struct fg_spin spin = FG_SPIN_INIT;
	while (still(&wait))
		if (!fg_spin(&spin))
			fg_park(&team->phase, still, &wait);
}

void
fg_team_barrier(struct fg_identity *self)
{
	struct fg_team *team = self->thread.team;
	if (!team)
		return;
	if (__builtin_expect(fg_load_acquire(&team->tasks) != NULL, 0))
		fg_task_barrier_wait(self);
	if (__builtin_expect(fg_env.cancellation, 0) && team->size > 1) {
		fg_cancel_barrier(self, false);
		return;
	}
	if (team->mode == FG_TEAM_DOCKED)
		fg_dock_barrier(self);
	else if (team->mode != FG_TEAM_SERIAL)
		loose_barrier(team);
}
