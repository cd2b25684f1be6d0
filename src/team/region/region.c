/* Region: from the parallel construct to its join (floor: team): see region.h.
 *
 * An outermost region docks (exec/flat/dock.h). Births populate a nested region (exec/nested/birth.h). They also
 * populate an outermost one while the dock belongs to another thread of the program. With FGOMP_THREADS=kernel both
 * get kernel threads instead (exec/kernel/kernel_team.h). A region of one member only changes the state that the
 * encountering thread sees.
 *
 * Invariant: all that `set_kin` wrote holds as long as team->outer, team->size and team->outer_version are the same. */
#include "team/region/region.h"

#include <limits.h>

#include "base/carrier.h"
#include "base/log.h"
#include "exec/donor/donor.h"
#include "exec/flat/dock.h"
#include "exec/flat/layout.h"
#include "exec/ground/options.h"
#include "exec/kernel/kernel_team.h"
#include "exec/loop/look.h"
#include "exec/loop/loop.h"
#include "exec/roots/self.h"
#include "exec/thread/clock.h"
#include "exec/thread/doorbell.h"
#include "exec/watch/daemons.h"
#include "forest/live.h"
#include "sched/haste.h"
#include "sched/home.h"
#include "sched/policy.h"
#include "sched/slices.h"
#include "share/learnt.h"
#include "team/env/features.h"
#include "team/hints/areas.h"
#include "team/hints/history.h"
#include "team/hints/loads.h"
#include "team/hints/pin.h"
#include "team/places/affinity_format.h"
#include "team/places/bind.h"
#include "team/region/member.h"
#include "team/region/record.h"
#include "team/region/size.h"
#include "team/region/teams.h"
#include "team/region/timing.h"
#include "team/share/workshare.h"
#include "team/sync/arrivals.h"
#include "team/sync/cancel.h"
#include "team/tasks/pool_end.h"
#include "team/tasks/wait.h"
#include "trace/format.h"

/* True: the caller is a thread of the program, and each region around has one member. */
static bool
may_dock(const struct fg_identity *self, const struct fg_team *outer)
{
	return self->root && (!outer || outer->active_level == 0);
}

static enum fg_team_mode
mode_of(struct fg_identity *self, const struct fg_team *outer, unsigned size, const uint16_t *slots)
{
	if (size == 1)
		return FG_TEAM_SERIAL;
	if (__builtin_expect(fg_exec_options.kernel_threads, 0))
		return FG_TEAM_KERNEL;
	return may_dock(self, outer) && fg_dock_acquire(self, size, slots) ? FG_TEAM_DOCKED : FG_TEAM_LOOSE;
}

_Static_assert(FG_TEAM_SERIAL == (int)FG_TRACE_ONE && FG_TEAM_DOCKED == (int)FG_TRACE_FLAT &&
		       FG_TEAM_LOOSE == (int)FG_TRACE_NESTED && FG_TEAM_KERNEL == (int)FG_TRACE_KERNEL,
	       "a trace says it by number");

static void
take_hints(struct fg_identity *self, struct fg_team *team)
{
	fg_hints_take(self, team);
	if (fg_policies.wants & FG_WANTS_COUNTERS)
		fg_monitor_want(self);
}

/* Machines have fewer PUs. So a larger width makes no difference. */
#define WIDTH_MAX UINT16_MAX

static uint16_t
width_of(const struct fg_team *outer, unsigned size)
{
	unsigned long width = (unsigned long)(outer ? outer->width : 1) * size;
	return width < WIDTH_MAX ? (uint16_t)width : WIDTH_MAX;
}

/* A region of one member has no bubble. The regions that it meets belong to the bubble around it. */
static void
bubble_set_kin(struct fg_team *team)
{
	struct fg_bubble *bubble = &team->births.bubble;
	struct fg_team *above = team->outer;
	while (above && above->size == 1)
		above = above->outer;
	bubble->entity.bubble = above ? &above->births.bubble : NULL;
	bubble->depth = above ? above->births.bubble.depth + 1 : 0;
	bubble->origin = NULL; /* the first thread that asks finds it (exec/nested/birth.c) */
}

/* The version of the outer team, as a number; 1: a root has none. As long as it is the same, the outer team need not
 * be looked at. 0: not known. The caller is a member in a target region, which hides the team around. */
static inline uint64_t
version_above(const struct fg_identity *self, const struct fg_team *outer)
{
	return outer ? outer->version : self->root != NULL;
}

static void
set_kin(struct fg_team *team, struct fg_team *outer, unsigned size, uint64_t above)
{
	STORE_CHANGE(team->outer, outer);
	STORE_CHANGE(team->size, size);
	STORE_CHANGE(team->level, outer ? outer->level + 1 : 1);
	STORE_CHANGE(team->active_level, (outer ? outer->active_level : 0) + (size > 1));
	uint16_t width = width_of(outer, size);
	STORE_CHANGE(team->width, width);
	team->births.width = width;
	/* Policies ask about flat teams, too. All members of those count as born (live_begin). */
	team->births.bubble.size = team->births.bubble.born = size;
	bubble_set_kin(team);
	team->outer_version = above;
	team->version++;
	team->skipped.function = 0; /* the next call tells whether it is nested */
}

/* Members must be born on donors. Where the system gives no more donors, the region has as many members as there are
 * donors for. */
static unsigned
fewer(struct fg_identity *self, struct fg_team *team, struct fg_team *outer, uint64_t above)
{
	unsigned size = 1 + fg_donor_expect_slow(self, team->size - 1);
	if (size < team->size)
		set_kin(team, outer, size, above);
	return team->size;
}

/* The team shrinks to the encountering thread, where there is no memory for more members. */
static unsigned
shrink(struct fg_team *team, struct fg_team *outer, uint64_t above)
{
	set_kin(team, outer, 1, above);
	return 1;
}

static inline unsigned
size_of(struct fg_identity *self, struct fg_team *team, const struct fg_icv *icv, unsigned num_threads)
{
	unsigned size = fg_region_size_for(self, num_threads);
	if (__builtin_expect(icv->thread_limit != UINT_MAX, 0) && size > 1)
		size = fg_group_take(team, self->thread.team, icv, size);
	return size;
}

/* Fills in the fields that the members need, and the state of the encountering thread before the region. */
static inline void
fill(struct fg_identity *self, struct fg_team *team, void (*fn)(void *), void *data, unsigned clause)
{
	team->fn = fn;
	team->data = data;
	team->primary = self;
	team->proc_bind = clause;
	struct fg_icv *inner = fg_icv_inherit(self->thread.icv, team->level, clause, &team->own_icv);
	STORE_CHANGE(team->icv, inner ? inner : &fg_env.icv);
	team->saved = self->thread;
}

/* The kernel threads of the other members, perhaps fewer than *size. NULL: the team needs none. */
static inline struct kernel_thread *
gather(struct fg_identity *self, struct fg_team *team, struct fg_team *outer, uint64_t above, unsigned *size)
{
	if (__builtin_expect(!fg_exec_options.kernel_threads, 1) || *size <= 1)
		return NULL;
	struct kernel_thread *threads = fg_kernel_team_gather(self, size, may_dock(self, outer) ? self->root : NULL);
	if (*size < team->size)
		set_kin(team, outer, *size, above);
	return threads;
}

/* Assigns a place to each member. Returns the worker of each member. NULL: the dock deals them to workers itself. */
static inline const uint16_t *
assign_places(struct fg_identity *self, struct fg_team *team, struct fg_team *outer, uint64_t above, unsigned bind,
	      unsigned *size, bool *moved)
{
	if (!fg_places_fork(self, team, bind, moved))
		*size = shrink(team, outer, above);
	/* Members go round the PUs anyway, unless a policy says otherwise. */
	if (*size > fg_exec_options.n_pus && may_dock(self, outer) &&
	    (fg_policy.sched->place || !fg_places_round(team, bind, fg_exec_options.n_pus)))
		return fg_places_slots(team, *moved, fg_exec_options.n_pus);
	return NULL;
}

/* Returns the worker of each member, by the pin file. NULL: it says nothing of such a team. */
static const uint16_t *
pin(struct fg_identity *self, struct fg_team *outer, const void *region, unsigned size)
{
	struct fg_pin_seats seats = {0};
	if (!may_dock(self, outer))
		return NULL;
	fg_pins_seats(self, region, size, &seats);
	fg_layout_pin(self->root, seats.pus);
	return seats.slot_of;
}

static inline void
choose_mode(struct fg_identity *self, struct fg_team *team, struct fg_team *outer, uint64_t above,
	    const uint16_t *slots, unsigned *size)
{
	enum fg_team_mode mode = mode_of(self, outer, *size, slots);
	if (mode == FG_TEAM_LOOSE &&
	    __builtin_expect(!self->worker->donors.first || fg_load_relaxed(&fg_donors.refused_until) != 0, 0)) {
		*size = fewer(self, team, outer, above);
		mode = *size == 1 ? FG_TEAM_SERIAL : FG_TEAM_LOOSE;
	}
	STORE_CHANGE(team->mode, mode);
}

static inline void
fork_members(struct fg_identity *self, struct fg_team *team, struct fg_team *outer, unsigned size,
	     struct kernel_thread *threads)
{
	switch (team->mode) {
	case FG_TEAM_SERIAL:
		break;
	case FG_TEAM_DOCKED:
		STORE_CHANGE(team->births.bubble.origin, (const void *)self->root); /* for members that meet regions */
		fg_dock_fork(self, fg_member_run_docked, team, team->fn, team->data);
		break;
	case FG_TEAM_LOOSE:
		team->births.body = fg_member_run;
		team->births.job = team;
		team->births.bubble.region = (const void *)team->fn;
		if (__builtin_expect(size > FG_ARRIVALS_SMALL, 0))
			fg_arrivals_prepare(team);
		fg_births_publish(self, &team->births, size);
		break;
	case FG_TEAM_KERNEL:
		team->births.body = fg_member_run_kernel;
		team->births.job = team;
		fg_kernel_team_fork(self, &team->births, size, may_dock(self, outer) ? self->root : NULL, threads);
		threads = NULL;
	}
	if (__builtin_expect(threads != NULL, 0)) /* the team has shrunk to one member since they were gathered */
		fg_kernel_team_dismiss(threads);
}

/* Returns the features without FG_FEATURE_DISPLAY if the members have no line to print. */
static inline unsigned
show(struct fg_identity *self, struct fg_team *team, bool moved, unsigned features)
{
	if (features & FG_FEATURE_LEARN)
		features = fg_timing_begin(team, may_dock(self, team->outer), features);
	fg_trace(FG_EVENT_team, team->births.bubble.number, 0, team->size, team->mode);
	if (features & FG_FEATURE_SUMS && team->births.bubble.sums)
		fg_sums_team(team->births.bubble.sums, team->size, team->mode);
	return features & FG_FEATURE_DISPLAY && !fg_affinity_due(team, moved) ? features & ~FG_FEATURE_DISPLAY
									      : features;
}

/* The number of the encountering thread in the bubble around (bubble_set_kin). */
static unsigned
number_above(const struct fg_team *team)
{
	const struct fg_thread *member = &team->saved;
	while (member->team && member->size == 1)
		member = &member->team->saved;
	return member->num;
}

/* The bubbles of teams that births do not populate are as in fg_bubble_init, with all members born. */
static void
live_begin(struct fg_identity *self, struct fg_team *team)
{
	struct fg_bubble *bubble = &team->births.bubble;
	unsigned number = number_above(team);
	if (team->mode == FG_TEAM_LOOSE) {
		team->births.number = number + 1;
		return; /* fg_births_publish does the rest */
	}
	bubble->region = (const void *)team->fn;
	fg_bubble_init(bubble, team->size);
	bubble->born = team->size;
	fg_live_begin(&self->live, &self->entity, &self->worker->live, bubble, number);
}

static void
live_end(struct fg_identity *self, struct fg_team *team)
{
	fg_live_end(&self->live, &self->worker->live, &team->births.bubble);
	fg_slices_end(&team->births.bubble);
	if (fg_policies_want_now() & FG_WANTS_HOMES && team->mode == FG_TEAM_LOOSE)
		fg_home_end(&team->births.bubble); /* now no thief finds it */
	if (fg_policies.wants & FG_WANTS_REDISTRIBUTE && team->mode == FG_TEAM_LOOSE && !fg_haste_now() &&
	    fg_load_relaxed(&fg_runqueue_idlers))
		fg_policy_redistribute(FGOMP_TEAM_ENDED, fg_worker_leaf(self->worker));
}

/* The encountering thread begins as a member, once the other members may run. */
static inline void
primary_begin(struct fg_identity *self, struct fg_team *team, struct fg_task_pool *prepared, unsigned features)
{
	if (features && team->clocked)
		fg_load_history_member(self, team, 0);
	if (prepared)
		fg_task_pool_open(prepared);
	if (features & FG_FEATURE_DISPLAY)
		fg_member_display(self);
	if (features & (FG_FEATURE_TRACE | FG_FEATURE_SUMS))
		fg_member_trace_begin(self, team, true);
	if (features)
		fg_member_tell(self, team);
}

/* The threads that policies need besides the workers. They are started outside the runtime. */
static void
threads_of_policies(struct fg_identity *self)
{
	if (fg_policies.wants & FG_WANTS_DAEMON)
		fg_daemons_want(self);
	if (fg_policies.wants & FG_WANTS_EXPIRED)
		fg_monitor_want(self);
}

static void
region_begin(struct fg_identity *self, struct fg_team *team, void (*fn)(void *), void *data, unsigned num_threads,
	     unsigned flags, void (*prepare)(struct fg_team *team, void *arg), void *arg)
{
	struct fg_team *outer = self->thread.team;
	const struct fg_icv *icv = self->thread.icv ? self->thread.icv : &fg_env.icv;
	unsigned size = size_of(self, team, icv, num_threads), clause = flags & 7; /* proc_bind's bits */
	uint64_t above = version_above(self, outer);
	if (__builtin_expect(team->outer != outer || team->size != size || team->outer_version != above || !above, 0))
		set_kin(team, outer, size, above);
	fill(self, team, fn, data, clause);
	bool moved = false;
	unsigned features = fg_features;
	if (__builtin_expect(features & (FG_FEATURE_TRACE | FG_FEATURE_SUMS), 0))
		features = fg_recording.any ? fg_record_meet(self, team, features, self->worker->trace) : features;
	const uint16_t *slots = NULL;
	struct kernel_thread *threads = gather(self, team, outer, above, &size);
	if (features && fg_env.cancellation)
		fg_cancel_begin(self, team);
	if (features && fg_place_list.count != 0 && size > 1)
		slots = assign_places(self, team, outer, above, fg_icv_bind(icv, clause), &size, &moved);
	if (features && __builtin_expect(fg_pins_on, 0) && size > 1)
		slots = pin(self, outer, (const void *)fn, size);
	if (features & FG_FEATURE_LEARN && size > 1 && may_dock(self, outer))
		fg_timing_recall(self, (const void *)fn, size);
	if (__builtin_expect(fg_load_relaxed(&fg_hints_any) != 0, 0))
		take_hints(self, team);
	if (features && fg_clock_on && size > 1)
		fg_load_history_begin(self, team);
	if (__builtin_expect(fg_load_relaxed(&fg_hints_any) != 0, 0))
		fg_areas_take(self, team);
	choose_mode(self, team, outer, above, slots, &size);
	if (features && size > 1) /* a root that has its workers keeps these from ending, too */
		threads_of_policies(self);
	if (__builtin_expect(features, 0))
		features = show(self, team, moved, features);
	STORE_CHANGE(team->features, (uint8_t)features);
	if ((team->mode == FG_TEAM_LOOSE ? fg_policies_want_now() & FG_WANTS_NOTES
					 : fg_policies.wants & FG_WANTS_TREE) &&
	    team->mode != FG_TEAM_SERIAL)
		live_begin(self, team);
	fg_member_begin(self, team, 0);
	struct fg_task_pool *prepared = NULL; /* members make a pool, and open it, as soon as they run */
	if (prepare) {
		prepare(team, arg);
		prepared = fg_load_relaxed(&team->tasks);
	}
	fg_happens_before(&team->fn);
	fork_members(self, team, outer, size, threads);
	primary_begin(self, team, prepared, features);
}

static void
region_end(struct fg_identity *self, struct fg_team *team)
{
	fg_member_end(self, team, team->mode == FG_TEAM_DOCKED);
	switch (team->mode) {
	case FG_TEAM_SERIAL:
		fg_worker_look(self);
		break;
	case FG_TEAM_DOCKED:
		fg_dock_join(self);
		break;
	case FG_TEAM_LOOSE:
		fg_births_join(self, &team->births);
		break;
	case FG_TEAM_KERNEL:
		fg_kernel_team_join(self, &team->births);
	}
	fg_happens_after(&team->data);
	if (__builtin_expect(fg_load_relaxed(&team->tasks) != NULL, 0)) {
		if (team->mode != FG_TEAM_DOCKED) /* the join of the dock has done that */
			fg_task_finish(self);
		if (team->mode == FG_TEAM_LOOSE || team->mode == FG_TEAM_KERNEL)
			fg_rejoin_close(&team->births);
		fg_task_team_end(team);
	}
	if (team->mode == FG_TEAM_LOOSE) {
		if (fg_live_is_noted(&self->live, &team->births.bubble))
			live_end(self, team);
		if (__builtin_expect(fg_policies.wants & FG_WANTS_ENDED, 0)) /* it is in the tree no more */
			fg_policy_ended(&team->births.bubble, fg_worker_leaf(self->worker));
		fg_births_leave(self, &team->births);
	}
	fg_workshare_reset(team);
	unsigned features = team->features;
	if (__builtin_expect(fg_load_relaxed(&fg_hints_any) != 0, 0))
		fg_areas_end(self, team);
	if (__builtin_expect(team->group_threads != NULL, 0))
		fg_group_give(team);
	if (features & FG_FEATURE_SUMS && fg_recording.sums && team->births.bubble.sums)
		fg_record_join(self, team);
	self->thread = team->saved;
	if ((fg_policies.wants & FG_WANTS_TREE) && fg_live_is_noted(&self->live, &team->births.bubble))
		live_end(self, team);
	if (features && team->clocked)
		fg_load_history_end(self, team);
	if (features && fg_learnt_times(team))
		fg_learnt_end(fg_carrier->now());
	if (features && fg_recording.trace)
		fg_record_left(self, team->births.bubble.number);
	if (features && fg_place_list.shown && may_dock(self, team->outer) && team->size > 1)
		fg_places_leave(self);
	fg_team_put(self, team);
}

static inline void
region(struct fg_identity *self, struct fg_team *team, void (*fn)(void *), void *data, unsigned num_threads,
       unsigned flags, void (*prepare)(struct fg_team *team, void *arg), void *arg)
{
	region_begin(self, team, fn, data, num_threads, flags, prepare, arg);
	fg_leave(self);
	fn(data);
	fg_enter(self);
	region_end(self, team);
}

/* Without memory for a team, the region runs with a team of one member on the stack, in a larger frame than others.
 * Only the watcher of FGOMP_STUCK could find this team from another thread. It does not (stuck/presence.h), so the team
 * may vanish. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
__attribute__((noinline)) static void
region_alone(struct fg_identity *self, void (*fn)(void *), void *data, unsigned flags,
	     void (*prepare)(struct fg_team *team, void *arg), void *arg)
{
	_Alignas(struct fg_team) char room[FG_TEAM_BYTES];
	uint64_t number = fg_add_relaxed(&fg_teams.on_stacks, 1) + 1;
	fg_fence_release();
	struct fg_team *team = fg_team_init((struct fg_team *)room);
	team->version = number << 32; /* no other team has had this version at this address */
	region(self, team, fn, data, 1, flags, prepare, arg);
	self->free_teams = team->free_next;
	fg_team_empty(team);
}
#pragma GCC diagnostic pop

void
fg_region(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags,
	  void (*prepare)(struct fg_team *team, void *arg), void *arg)
{
	struct fg_identity *self = fg_self_or_root();
	fg_assert_outside(self);
	fg_enter(self);
	struct fg_team *team = fg_team_take(self);
	if (__builtin_expect(team != NULL, 1))
		region(self, team, fn, data, num_threads, flags, prepare, arg);
	else
		region_alone(self, fn, data, flags, prepare, arg);
	fg_leave(self);
}

void
fg_region_start(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags,
		void (*prepare)(struct fg_team *team, void *arg), void *arg)
{
	struct fg_identity *self = fg_self_or_root();
	fg_assert_outside(self);
	fg_enter(self);
	struct fg_team *team = fg_team_take(self);
	if (!team) /* no team on this stack can serve, because fg_region_end ends the region after the return */
		fg_fatal("Out of memory allocating %zu bytes", FG_TEAM_BYTES);
	region_begin(self, team, fn, data, num_threads, flags, prepare, arg);
	fg_leave(self);
}

void
fg_region_end(void)
{
	struct fg_identity *self = fg_self_or_root();
	fg_assert_outside(self);
	fg_enter(self);
	if (self->thread.team)
		region_end(self, self->thread.team);
	fg_leave(self);
}
