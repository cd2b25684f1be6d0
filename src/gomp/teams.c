/* ABI: the teams construct (floor: gomp). The teams of a league run one after the other in the calling thread. Compiled
 * code calls these, as team/inside.h says. They write only the ICVs of the caller (team/env/icv.h). */
#include <limits.h>

#include "base/export.h"
#include "exec/roots/self.h"
#include "exec/thread/identity.h"
#include "team/env/icv.h"

#define DEFAULT_TEAMS 3

static unsigned
limit_of(unsigned thread_limit)
{
	return thread_limit > INT_MAX ? UINT_MAX : thread_limit;
}

/* Runs the teams of the host. Each team's initial thread starts with the caller's ICVs. */
FG_EXPORT void
GOMP_teams_reg(void (*fn)(void *), void *data, unsigned num_teams, unsigned thread_limit, unsigned flags)
{
	struct fg_identity *self = fg_self_or_root();
	struct fg_icv *before = self->thread.icv, league = *fg_icv_current();
	if (num_teams == 0)
		num_teams = fg_env.nteams ? fg_env.nteams : DEFAULT_TEAMS;
	if (thread_limit == 0)
		thread_limit = fg_env.teams_thread_limit;
	if (thread_limit)
		league.thread_limit = limit_of(thread_limit);
	league.private_copy = false;
	league.league_size = num_teams - 1;
	league.around_league = self->thread.team;
	for (unsigned i = 0; i < num_teams; i++) {
		struct fg_icv icv = league;
		icv.league_num = i;
		self->thread.icv = &icv;
		fn(data);
		if (self->thread.icv != &icv)
			fg_icv_release(self);
	}
	self->thread.icv = before;
}

/* Compiled code calls this in a loop inside a target region, with `first` set in the first call. Returns false when all
 * teams have run. */
FG_EXPORT bool
GOMP_teams4(unsigned low, unsigned high, unsigned thread_limit, bool first)
{
	struct fg_icv *icv = fg_icv_writable(fg_self_or_root());
	if (!first) {
		if (icv->league_num == icv->league_size)
			return false;
		icv->league_num++;
		return true;
	}
	if (thread_limit)
		icv->thread_limit = limit_of(thread_limit);
	icv->league_size = low ? low - 1 : 0;
	icv->league_num = 0;
	return true;
}

/* GCC 4.9 to 11 call this form, which makes one team. */
FG_EXPORT void
GOMP_teams(unsigned num_teams, unsigned thread_limit)
{
	if (thread_limit)
		fg_icv_writable(fg_self_or_root())->thread_limit = limit_of(thread_limit);
}
