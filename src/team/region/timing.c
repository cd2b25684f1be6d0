/* Timing (floor: team): see timing.h. */
#include "team/region/timing.h"

#include "base/carrier.h"
#include "exec/pool/hiring.h"
#include "exec/thread/identity.h"
#include "platform/code.h"
#include "share/notebook.h"
#include "team/env/features.h"
#include "team/team.h"

__attribute__((noinline)) void
fg_timing_recall_slow(struct fg_identity *self, const void *code, unsigned size)
{
	char name[FG_NOTEBOOK_NAME];
	fg_leave(self);
	if (fg_code_name((uintptr_t)code, name, sizeof name))
		fg_learnt_recall(code, size, name, fg_kept_find(name, size));
	fg_enter(self);
}

unsigned
fg_timing_begin(const struct fg_team *team, bool may_dock, unsigned features)
{
	bool timed = may_dock && team->mode != FG_TEAM_SERIAL && fg_learnt_wants() && !fg_hiring_several() &&
		     fg_learnt_begin(fg_carrier->now(), team, (const void *)team->fn, team->size);
	return (features & ~(unsigned)FG_FEATURE_LEARN) | (timed ? FG_FEATURE_MORE : 0);
}
