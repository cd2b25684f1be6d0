/* Stay (floor: team): see stay.h.
 *
 *     team->stay = phase << 48 | members << 24 | arrived;   arrived < members, or both are 0
 *
 * Members that still stay, and those of them that wait in this phase. A member that comes adds one to `arrived`, one
 * that goes takes one off `members`. The step that makes the two equal resets `arrived` and raises the phase. All steps
 * change the one word by compare-and-swap, acquire and release. So the last step has acquired all that came before,
 * and a waiter acquires it with the phase. A member that waits cannot meet two phases, so 16 bits do for their number.
 *
 * Nobody wakes those that wait: they nap. A program comes here seldom. */
#include "team/sync/stay.h"

#include "team/tasks/wait.h"

#define MEMBER (UINT64_C(1) << 24)
#define PHASE (UINT64_C(1) << 48)
#define COUNT (MEMBER - 1)

struct wait {
	struct fg_team *team;
	uint64_t phase;
};

void
fg_stay_begin(struct fg_team *team, unsigned members)
{
	uint64_t none = 0;
	assert(members > 0 && members <= COUNT);
	fg_cas_acq_rel(&team->stay, &none, members * MEMBER);
}

/* Returns the phase of the step. */
static uint64_t
step(struct fg_team *team, uint64_t change)
{
	uint64_t old = fg_load_relaxed(&team->stay), new;
	do {
		new = old + change;
		uint64_t arrived = new &COUNT;
		assert(old / MEMBER & COUNT && arrived <= (new / MEMBER &COUNT));
		if (arrived != 0 && arrived == (new / MEMBER &COUNT))
			new = new - arrived + PHASE;
	} while (!fg_cas_acq_rel(&team->stay, &old, new));
	return old / PHASE;
}

static bool
has_opened(void *arg)
{
	const struct wait *wait = arg;
	return fg_load_acquire(&wait->team->stay) / PHASE != wait->phase;
}

void
fg_stay_meet(struct fg_identity *self, struct fg_team *team)
{
	fg_assert_inside(self);
	struct wait wait = {team, step(team, 1)};
	fg_task_nap(self, NULL, has_opened, &wait);
}

void
fg_stay_end(struct fg_team *team)
{
	step(team, -MEMBER);
}
