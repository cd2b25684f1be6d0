/* Instances of worksharing constructs: two members meet the same two of them, which want one slot. The first member at
 * one sets it up, the other finds it, in the slot or beside it, and a slot is used again only after both have left it.
 * The members count themselves out on one word, or at the parts of a loop.
 *
 * Sources: team/share/workshare.c team/share/parts.c
 * Constants: team/share/parts.c FEWEST_CHUNKS=1
 * With: floor
 */
#include "exec/flat/groups.h"
#include "exec/thread/root_state.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker_parts.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "team/hooks.h"
#include "team/share/parts.h"
#include "team/sync/barrier.h"

const struct fg_team_hooks fg_team_hooks; /* no instance has doacross loops */

void
fg_team_barrier(struct fg_identity *self)
{
	(void)self;
	model_fail("no construct ends with a barrier here");
}

bool
fg_team_barrier_cancellable(struct fg_identity *self)
{
	(void)self;
	model_fail("no construct ends with a barrier here");
}

enum { MEMBERS = 2, MET = 2 };

static struct fg_whole_worker whole[MEMBERS];
static struct fg_identity member[MEMBERS];
static struct fg_root root;
static struct fg_groups groups;
static uint16_t inner[MEMBERS] = {0, 1};
static struct {
	struct fg_team team;
	struct fg_workshare reserve;
} team;
static bool by_parts;
static struct fg_atomic_u32 firsts[MET];

static void
setup(void)
{
	groups.slots = groups.n_inner = MEMBERS;
	groups.inner = inner;
	root.groups = &groups;
	team.team.mode = FG_TEAM_DOCKED;
	team.team.primary = &member[0];
	team.team.size = MEMBERS;
	fg_spinlock_init(&team.team.shares_lock, FG_RANK_SHARES);
	for (unsigned i = 0; i < MEMBERS; i++) {
		whole[i].worker.slot = i;
		member[i].worker = &whole[i].worker;
		member[i].root = &root;
		member[i].thread.team = &team.team;
	}
}

static void
setup_parts(void)
{
	by_parts = true;
	setup();
}

/* Instance 1 and, as if all between had been left, the next one that wants its slot. */
static void
meet(unsigned number)
{
	struct fg_identity *self = fg_self_pointer = &member[number];
	for (unsigned i = 0; i < MET; i++) {
		bool first;
		struct fg_workshare *share = fg_workshare_enter(self, &first);
		if (first) {
			share->trips = MEMBERS + i;
			if (by_parts)
				model_assert(fg_parts_set_up(share, &team.team, 1));
			fg_workshare_publish(self, share);
			fg_add_relaxed(&firsts[i], 1);
		}
		model_assert(share->trips == MEMBERS + i && share->size == MEMBERS);
		fg_workshare_leave(self);
		self->thread.constructs += FG_TEAM_SHARES - 1;
	}
}

static void
first_member(void)
{
	meet(0);
}

static void
second_member(void)
{
	meet(1);
}

static void
check(void)
{
	for (unsigned i = 0; i < MET; i++)
		model_assert(fg_load_relaxed(&firsts[i]) == 1);
	model_assert(team.team.overflow == NULL);
}
MODEL_SCENARIO(workshare, .setup = setup, .thread = {first_member, second_member}, .check = check,
	       .broken = MODEL_BROKEN("weaken fg_workshare_publish:store_release", "weaken find_or_lock:load_acquire",
				      "weaken fg_workshare_enter:load_acquire", "weaken share_leave:add_acq_rel",
				      "weaken share_is_free:load_acquire", "drop share_leave:add_acq_rel"));
MODEL_SCENARIO(workshare_parts, .setup = setup_parts, .thread = {first_member, second_member}, .check = check,
	       .broken = MODEL_BROKEN("weaken fg_workshare_publish:store_release", "weaken fg_parts_leave:add_acq_rel",
				      "weaken fg_parts_leavers:load_acquire"));
