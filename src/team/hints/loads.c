/* Hints of loads (floor: team): see loads.h. */
#include "team/hints/loads.h"

#include "exec/roots/self.h"
#include "exec/thread/levels.h"
#include "exec/flat/layout.h"
#include "exec/thread/root_state.h"
#include "platform/memory.h"
#include "sched/policy.h"
#include "team/hints/seats.h"
#include "team/team.h"

struct fg_atomic_u32 fg_hints_any;
__thread struct fg_hints_next fg_hints_next;

/* Returns a load with which no sum overflows. A bad value counts as not known. */
static float
load_of(double told)
{
	return told > 0 && told <= 1e30 ? (float)told : 0;
}

void
fg_hints_load(double load)
{
	fg_assert_outside(fg_self());
	fg_hints_next.load = load_of(load);
	fg_store_relaxed(&fg_hints_any, 1);
}

void
fg_hints_member_loads(unsigned n, const double *loads)
{
	fg_assert_outside(fg_self());
	if (n > fg_hints_next.room_loads) {
		struct fg_identity *self = fg_self_or_root(); /* so that the thread's end frees them */
		fg_enter(self);
		float *more = fg_memory_resize(fg_hints_next.loads, n * sizeof *more);
		fg_leave(self);
		if (!more)
			return;
		fg_hints_next.loads = more;
		fg_hints_next.room_loads = n;
	}
	for (unsigned k = 0; k < n; k++)
		fg_hints_next.loads[k] = load_of(loads[k]);
	fg_hints_next.n_loads = n;
	fg_store_relaxed(&fg_hints_any, 1);
}

void
fg_hints_forget(void)
{
	fg_memory_free(fg_hints_next.loads);
	fg_hints_next.loads = NULL;
	fg_hints_next.n_loads = fg_hints_next.room_loads = 0;
}

/* Members without a hint get the mean load of the others. */
static float *
loads_copy(struct fg_team *team)
{
	unsigned told = fg_hints_next.n_loads < team->size ? fg_hints_next.n_loads : team->size, known = 0;
	float *loads = fg_memory_resize(team->loads, team->size * sizeof *loads), sum = 0;
	if (!loads)
		return NULL;
	team->loads = loads;
	for (unsigned k = 0; k < told; k++) {
		sum += fg_hints_next.loads[k];
		known += fg_hints_next.loads[k] > 0;
	}
	for (unsigned k = 0; known && k < team->size; k++)
		loads[k] = k < told && fg_hints_next.loads[k] > 0 ? fg_hints_next.loads[k] : sum / (float)known;
	return known ? loads : NULL;
}

static void
told_trace(const struct fg_team *team, const float *loads)
{
	double sum = loads ? 0 : (double)fg_hints_next.load;
	for (unsigned k = 0; loads && k < team->size; k++)
		sum += (double)loads[k];
	for (unsigned k = 0; loads && k < team->size && k < fg_hints_next.n_loads; k++) {
		double most = 1e15, load = (double)loads[k] < most ? (double)loads[k] : most;
		fg_trace(FG_EVENT_load, team->births.bubble.number, k, k, (uint64_t)(load * 1000));
	}
	uint64_t whole = sum < 1e18 ? (uint64_t)sum : UINT64_C(1000000000000000000);
	fg_trace(FG_EVENT_loads, team->births.bubble.number, 0, loads ? fg_hints_next.n_loads : 0, whole);
}

void
fg_hints_take(struct fg_identity *self, struct fg_team *team)
{
	const float *loads = fg_hints_next.n_loads && team->size > 1 ? loads_copy(team) : NULL;
	team->births.bubble.entity.load = fg_hints_next.load;
	team->births.bubble.loads = loads;
	bool told = loads || fg_hints_next.load > 0;
	if (told && __builtin_expect(fg_recording.trace, 0))
		told_trace(team, loads);
	fg_hints_next.load = 0;
	fg_hints_next.n_loads = 0;
	if (team->size == 1) /* no policy places it */
		return;
	if (told && (fg_policies.wants & (FG_WANTS_CHANGED | FG_WANTS_REDISTRIBUTE)))
		fg_policy_changed(FGOMP_CHANGE_LOAD, fg_levels_top());
	if (!self->root || team->outer)
		return;
	if (!loads)
		loads = fg_seats_loads(self->root, team->size);
	/* A team without known loads may as well have the seats of the last team. */
	if (loads || self->root->size != team->size)
		fg_layout_tell(self->root, team->size, loads);
}
