/* Member: the work of one member from its start to its end (floor: team; called by region.c and helping.c).
 *
 * The member itself calls, inside and without a lock; it leaves the runtime for the code of the program. exec calls the
 * three bodies, as what a fork says. A member writes only its own `thread` and its record. */
#pragma once
#include "team/env/features.h"
#include "team/tasks/wait.h"
#include "team/team.h"

/* From now on the caller is the member with this number. */
void fg_team_member(struct fg_identity *self, struct fg_team *team, unsigned num);
static inline void
fg_member_begin(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	struct fg_thread *thread = &self->thread;
	thread->team = team;
	thread->num = num;
	thread->size = team->size;
	thread->icv = team->icv;
	thread->task = NULL;
	thread->tasks = NULL;
	thread->lock_owner = thread->groups_lost = 0;
	thread->constructs = thread->singles = thread->drained = 0;
	thread->share = NULL;
	thread->static_trip = 0;
	thread->extra = NULL;
}

/* The bodies of the three kinds of team that have more than one member. `job` is the team. */
void fg_member_run_docked(void *job, unsigned num);
void fg_member_run(void *job, unsigned num);
void fg_member_run_kernel(void *job, unsigned num);

/* Called where features ask for them. */
void fg_member_display(struct fg_identity *self);
/* met: the caller has met the region, and goes on afterwards as the member that it was. */
void fg_member_trace_begin(struct fg_identity *self, const struct fg_team *team, bool met);
void fg_member_end_features(struct fg_identity *self);
/* The policies that are told of members that begin are told, and the thread leaves its PU if they want that. It is
 * noted in the live tree. */
void fg_member_tell(struct fg_identity *self, struct fg_team *team);
static inline void
fg_member_end(struct fg_identity *self, struct fg_team *team, bool docked)
{
	/* Docked members help while they wait for the others. */
	if (!docked && __builtin_expect(fg_load_acquire(&team->tasks) != NULL, 0))
		fg_task_finish(self);
	if (__builtin_expect(self->thread.icv != team->icv, 0))
		fg_icv_release(self);
	if (__builtin_expect(team->features, 0))
		fg_member_end_features(self);
}
