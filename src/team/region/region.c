/* Region: from the parallel construct to its join (floor: team; called by gomp/parallel.c and the combined constructs).
 *
 * An outermost region docks (exec/dock.h); a nested one, or one that meets the dock taken by another thread of the program, is
 * populated by births (exec/birth.h); a region of one member only changes what the encountering thread sees. */
#include "team/region/region.h"

#include <limits.h>
#include <string.h>

#include "base/log.h"
#include "exec/dock.h"
#include "exec/kernel_team.h"
#include "exec/monitor.h"
#include "exec/options.h"
#include "platform/memory.h"
#include "sched/policy.h"
#include "team/env/features.h"
#include "team/hints/areas.h"
#include "team/hints/history.h"
#include "team/hints/loads.h"
#include "team/places/affinity_format.h"
#include "team/places/bind.h"
#include "team/places/procs.h"
#include "team/share/workshare.h"
#include "team/tasks/pool_end.h"
#include "team/tasks/wait.h"
#include "trace/format.h"

/* Teams are never freed: who was a member may still look whether there are errands (exec/recall.h). Here lie those of identities that
 * are no more. */
static struct fg_atomic_ptr forgotten;

/* All but the word that such members look at, and the numbers that tell them that it is not for them, and its lineage. */
static void
team_clear(struct fg_team *team)
{
	uint64_t lineage = team->lineage;
	size_t before = offsetof(struct fg_team, births.recall), after = before + sizeof team->births.recall;
	memset(team, 0, before);
	memset((char *)team + after, 0, sizeof *team - after);
	team->lineage = lineage;
	fg_spinlock_init(&team->shares_lock, FG_RANK_SHARES);
}

static struct fg_team *
team_init(struct fg_team *team)
{
	team->births.recall = (struct fg_recall){0};
	team->lineage = 0;
	team_clear(team);
	memset(fg_workshare_reserve(team), 0, sizeof(struct fg_workshare));
	return team;
}

static struct fg_team *
team_new(void)
{
	struct fg_team *team = fg_memory_aligned(_Alignof(struct fg_team), FG_TEAM_BYTES);
	return team ? team_init(team) : NULL;
}

/* NULL: there is no memory. */
static struct fg_team *
team_take(struct fg_identity *self)
{
	struct fg_team *team = self->spare_teams;
	if (__builtin_expect(!team, 0) && fg_load_relaxed(&forgotten))
		team = fg_exchange_acquire(&forgotten, NULL);
	if (__builtin_expect(!team, 0))
		return team_new();
	self->spare_teams = team->spare_next;
	return team;
}

static void
team_put(struct fg_identity *self, struct fg_team *team)
{
	team->spare_next = self->spare_teams;
	self->spare_teams = team;
}

/* What it keeps for its next region. */
static void
team_empty(struct fg_team *team)
{
	fg_workshares_free(team);
	fg_task_team_free(team);
	fg_memory_free(team->places);
	fg_memory_free(team->places_slots);
	fg_memory_free(team->loads);
	fg_bubble_free(&team->births.bubble);
}

void
fg_region_forget(struct fg_identity *self)
{
	struct fg_team *team;
	while ((team = self->spare_teams)) {
		self->spare_teams = team->spare_next;
		team_empty(team);
		team_clear(team);
		void *first = fg_load_relaxed(&forgotten);
		do
			team->spare_next = first;
		while (!fg_cas_release(&forgotten, &first, team));
	}
}

/* Takes up to `wanted` threads, the caller among them, out of the contention group's limit. */
static unsigned
group_take(struct fg_team *team, const struct fg_team *outer, const struct fg_icv *icv, unsigned wanted)
{
	if (!outer || !outer->group_threads)
		fg_store_relaxed(&team->group_count, 1);
	team->group_threads = outer && outer->group_threads ? outer->group_threads : &team->group_count;
	uint32_t busy = fg_load_relaxed(team->group_threads);
	unsigned size;
	do {
		unsigned left = icv->thread_limit > busy ? icv->thread_limit - busy : 0;
		size = wanted - 1 < left ? wanted : left + 1;
	} while (!fg_cas_relaxed(team->group_threads, &busy, busy + size - 1));
	team->group_added = size - 1;
	return size;
}

static void
group_give(struct fg_team *team)
{
	if (team->group_threads)
		fg_add_relaxed(team->group_threads, -team->group_added);
	team->group_threads = NULL;
}

static inline unsigned
size_for(struct fg_identity *self, unsigned num_threads)
{
	const struct fg_icv *icv = self->thread.icv ? self->thread.icv : &fg_env.icv;
	const struct fg_team *outer = self->thread.team;
	unsigned size = num_threads ? num_threads : icv->nthreads;
	if (!size)
		size = fg_env_nthreads(self);
	if (size == 1 || (outer && outer->active_level >= icv->max_active_levels) || icv->max_active_levels == 0)
		return 1;
	if (icv->dynamic) {
		unsigned limit = fg_icv_dynamic_limit();
		if (size > limit)
			size = limit;
	}
	return size;
}

unsigned
fg_region_size(struct fg_identity *self, unsigned num_threads)
{
	return size_for(self, num_threads);
}

static inline void
member_begin(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	struct fg_thread *thread = &self->thread;
	thread->team = team;
	thread->num = num;
	thread->size = team->size;
	thread->icv = team->icv;
	thread->task = NULL;
	thread->tasks = NULL;
	thread->lock_owner = thread->in_haste = 0;
	thread->constructs = thread->singles = thread->drained = 0;
	thread->share = NULL;
	thread->static_trip = 0;
	thread->extra = NULL;
}

/* The caller is a member of this bubble, for the trace. */
static void
trace_member(struct fg_identity *self, const struct fg_team *team)
{
	self->thread.bubble = team->births.bubble.number;
}

static void
trace_begin(struct fg_identity *self, const struct fg_team *team)
{
	trace_member(self, team);
	fg_worker_trace(FG_EVENT_begin, self, 0, 0);
}

static void
member_place(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	if (fg_place_count != 0) {
		const struct fg_place_slot *slot = &team->places[num];
		self->place = (team->mode == FG_TEAM_DOCKED ? slot->bound : slot->place) + 1;
		fg_worker_bind(self->worker, self);
	}
	if (fg_clock_on)
		fg_load_history_member(self, team, num);
}

void
fg_team_member(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	member_begin(self, team, num);
	if (!fg_features_any())
		return;
	member_place(self, team, num);
	fg_clock_stop(self);
	if (fg_trace_on)
		trace_member(self, team);
}

static void
display(struct fg_identity *self)
{
	fg_leave_unwatched(self);
	fg_affinity_display(NULL);
	fg_enter_unwatched(self);
}

static void
begin_features(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	member_place(self, team, num);
	if (fg_trace_on)
		trace_begin(self, team);
	if (team->display_affinity)
		display(self);
}

static void
end_features(struct fg_identity *self)
{
	if (self->thread.team->size > 1) /* who is alone goes on as the member that it was */
		fg_clock_stop(self);
	fg_worker_trace(FG_EVENT_end, self, 0, 0);
}

static inline void
member_end(struct fg_identity *self, struct fg_team *team, bool docked)
{
	/* Docked members help while they wait for the others. */
	if (!docked && __builtin_expect(fg_load_acquire(&team->tasks) != NULL, 0))
		fg_task_finish(self);
	if (__builtin_expect(self->thread.icv != team->icv, 0))
		fg_icv_release(self);
	if (fg_features_any())
		end_features(self);
}

static inline void
member_run_as(bool docked, struct fg_team *team, unsigned num)
{
	struct fg_identity *self = fg_self();
	member_begin(self, team, num);
	if (fg_features_any())
		begin_features(self, team, num);
	void (*fn)(void *) = docked ? fg_dock_fn(self) : team->fn;
	void *data = docked ? fg_dock_data(self) : team->data;
	fg_leave_unwatched(self);
	fn(data);
	fg_enter_unwatched(self);
	if (__builtin_expect(team->mode == FG_TEAM_SERIAL, 0))
		fg_fatal(
			"The child of a fork in a parallel region cannot go on past the region's end: let it call _exit");
	member_end(self, team, docked);
}

static void
docked_member_run(void *job, unsigned num)
{
	member_run_as(true, job, num);
}

static void
member_run(void *job, unsigned num)
{
	member_run_as(false, job, num);
}

static void
kernel_member_run(void *job, unsigned num)
{
	struct fg_team *team = job;
	struct fg_identity *self = fg_self();
	fg_happens_after(&team->fn);
	if (fg_watched())
		fg_watch(self, true);
	member_run(team, num);
	if (fg_watched())
		fg_watch(self, false);
	fg_happens_before(&team->data);
}

/* An outermost region of a thread of the program. */
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
trace_meet(struct fg_identity *self, struct fg_team *team)
{
	bool inside = fg_step_out(self); /* the first region opens the file */
	fg_trace_open();
	fg_step_in(self, inside);
	uint32_t number = fg_trace_meet(team->fn, self->thread.bubble, self->thread.num);
	team->births.bubble.number = number;
	fg_trace(FG_EVENT_team, number, 0, team->size, team->mode);
}

static void
take_hints(struct fg_identity *self, struct fg_team *team)
{
	fg_hints_take(self, team);
	fg_areas_take(self, team);
	if (fg_policy_wants & FG_WANTS_COUNTERS)
		fg_monitor_want(self);
}

/* More than a machine can have PUs make no difference. */
#define WIDTH_MAX UINT16_MAX

static uint16_t
width_of(const struct fg_team *outer, unsigned size)
{
	unsigned long width = (unsigned long)(outer ? outer->width : 1) * size;
	return width < WIDTH_MAX ? (uint16_t)width : WIDTH_MAX;
}

/* A region of one member has no bubble: what it meets belongs to the one around it. */
static void
kin_settle(struct fg_team *team)
{
	struct fg_bubble *bubble = &team->births.bubble;
	struct fg_team *above = team->outer;
	while (above && above->size == 1)
		above = above->outer;
	bubble->entity.bubble = above ? &above->births.bubble : NULL;
	bubble->depth = above ? above->births.bubble.depth + 1 : 0;
	bubble->origin = NULL; /* it is found when it is first asked for (exec/birth.c) */
}

/* What was settled for the team around it, as a number: as long as that is the same, it need not be looked at. 0: it is not known, for a member
 * that meets a region outside of all may be of any root's team. */
static inline uint64_t
lineage_above(const struct fg_identity *self, const struct fg_team *outer)
{
	return outer ? outer->lineage : self->root != NULL;
}

static void
settle(struct fg_team *team, struct fg_team *outer, unsigned size, uint64_t above)
{
	STORE_CHANGE(team->outer, outer);
	STORE_CHANGE(team->size, size);
	STORE_CHANGE(team->level, outer ? outer->level + 1 : 1);
	STORE_CHANGE(team->active_level, (outer ? outer->active_level : 0) + (size > 1));
	uint16_t width = width_of(outer, size);
	STORE_CHANGE(team->width, width);
	team->births.width = width;
	kin_settle(team);
	team->outer_lineage = above;
	team->lineage++;
}

/* Members must be born on donors. Where the system gives no more of these, the region has as many members as there are. */
static unsigned
fewer(struct fg_identity *self, struct fg_team *team, struct fg_team *outer, uint64_t above)
{
	unsigned size = 1 + fg_identity_expect_slow(self, team->size - 1);
	if (size < team->size)
		settle(team, outer, size, above);
	return team->size;
}

/* The encountering thread alone, where there is no memory for what more members need. */
static unsigned
shrink(struct fg_team *team, struct fg_team *outer, uint64_t above)
{
	settle(team, outer, 1, above);
	return 1;
}

static void
region_begin(struct fg_identity *self, struct fg_team *team, void (*fn)(void *), void *data, unsigned num_threads,
	     unsigned flags, void (*prepare)(struct fg_team *team, void *arg), void *arg)
{
	struct fg_team *outer = self->thread.team;
	const struct fg_icv *icv = self->thread.icv ? self->thread.icv : &fg_env.icv;
	unsigned size = size_for(self, num_threads), clause = flags & 7;
	if (__builtin_expect(icv->thread_limit != UINT_MAX, 0) && size > 1)
		size = group_take(team, outer, icv, size);
	uint64_t above = lineage_above(self, outer);
	if (__builtin_expect(team->outer != outer || team->size != size || team->outer_lineage != above || !above, 0))
		settle(team, outer, size, above);
	team->fn = fn;
	team->data = data;
	team->primary = self;
	team->proc_bind = clause;
	struct fg_icv *inner = fg_icv_inherit(self->thread.icv, team->level, clause, &team->own_icv);
	STORE_CHANGE(team->icv, inner ? inner : &fg_env.icv);
	team->saved = self->thread;
	bool moved = false, features = fg_features_any();
	const uint16_t *slots = NULL;
	struct kernel_thread *threads = NULL;
	if (__builtin_expect(fg_exec_options.kernel_threads, 0) && size > 1) {
		threads = fg_kernel_team_gather(self, &size, may_dock(self, outer) ? self->root : NULL);
		if (size < team->size)
			settle(team, outer, size, above);
	}
	if (features && fg_env.cancellation && size > 1 && !fg_task_team_reserve(team))
		size = shrink(team, outer, above);
	if (features && fg_place_count != 0 && size > 1) {
		unsigned bind = fg_icv_bind(icv, clause);
		if (!fg_places_fork(self, team, bind, &moved))
			size = shrink(team, outer, above);
		/* Round the PUs they sit anyway, unless a policy says otherwise. */
		if (size > fg_exec_options.n_pus && may_dock(self, outer) &&
		    (fg_policy.sched->place || !fg_places_round(team, bind, fg_exec_options.n_pus)))
			slots = fg_places_slots(team, moved, fg_exec_options.n_pus);
	}
	if (__builtin_expect(fg_load_relaxed(&fg_hints_any) != 0, 0))
		take_hints(self, team);
	if (features && fg_clock_on && size > 1)
		fg_load_history_begin(self, team);
	enum fg_team_mode mode = mode_of(self, outer, size, slots);
	if (mode == FG_TEAM_LOOSE &&
	    __builtin_expect(!self->worker->pool || fg_load_relaxed(&fg_identity_refused_until) != 0, 0)) {
		size = fewer(self, team, outer, above);
		mode = size == 1 ? FG_TEAM_SERIAL : FG_TEAM_LOOSE;
	}
	STORE_CHANGE(team->mode, mode);
	if (features) {
		bool display = fg_env.display_affinity && fg_affinity_due(team, moved);
		STORE_CHANGE(team->display_affinity, display);
		if (fg_trace_on)
			trace_meet(self, team);
	}
	member_begin(self, team, 0);
	struct fg_task_pool *prepared = NULL; /* members make one, and open it, as soon as they run */
	if (prepare) {
		prepare(team, arg);
		prepared = fg_load_relaxed(&team->tasks);
	}
	fg_happens_before(&team->fn);
	switch (team->mode) {
	case FG_TEAM_SERIAL:
		break;
	case FG_TEAM_DOCKED:
		fg_dock_fork(self, docked_member_run, team, fn, data);
		break;
	case FG_TEAM_LOOSE:
		team->births.body = member_run;
		team->births.job = team;
		team->births.bubble.region = (const void *)fn;
		fg_births_publish(self, &team->births, size);
		break;
	case FG_TEAM_KERNEL:
		team->births.body = kernel_member_run;
		team->births.job = team;
		fg_kernel_team_fork(self, &team->births, size, may_dock(self, outer) ? self->root : NULL, threads);
		threads = NULL;
	}
	if (__builtin_expect(threads != NULL, 0))
		fg_kernel_team_dismiss(threads);
	if (features && team->clocked)
		fg_load_history_member(self, team, 0);
	if (prepared)
		fg_task_pool_open(prepared);
	if (features && team->display_affinity)
		display(self);
	if (features && fg_trace_on)
		trace_begin(self, team);
}

static void
region_end(struct fg_identity *self, struct fg_team *team)
{
	member_end(self, team, team->mode == FG_TEAM_DOCKED);
	switch (team->mode) {
	case FG_TEAM_SERIAL:
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
		fg_task_finish(self);
		if (team->mode == FG_TEAM_LOOSE || team->mode == FG_TEAM_KERNEL)
			fg_recall_close(&team->births);
		fg_task_team_end(team);
	}
	if (team->mode == FG_TEAM_LOOSE)
		fg_births_leave(self, &team->births);
	fg_workshare_reset(team);
	bool features = fg_features_any();
	if (__builtin_expect(fg_load_relaxed(&fg_hints_any) != 0, 0))
		fg_areas_end(self, team);
	if (__builtin_expect(team->group_threads != NULL, 0))
		group_give(team);
	self->thread = team->saved;
	if (features && team->clocked)
		fg_load_history_end(self, team);
	if (features && fg_trace_on)
		fg_trace(FG_EVENT_join, team->births.bubble.number, 0, 0, 0);
	team_put(self, team);
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

/* Without memory for a team: one of one member, on the stack. Nobody else gets to know it, so it may go. */
__attribute__((noinline)) static void
region_alone(struct fg_identity *self, void (*fn)(void *), void *data, unsigned flags,
	     void (*prepare)(struct fg_team *team, void *arg), void *arg)
{
	_Alignas(struct fg_team) char room[FG_TEAM_BYTES];
	struct fg_team *team = team_init((struct fg_team *)room);
	region(self, team, fn, data, 1, flags, prepare, arg);
	self->spare_teams = team->spare_next;
	team_empty(team);
}

void
fg_region(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags,
	  void (*prepare)(struct fg_team *team, void *arg), void *arg)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	struct fg_team *team = team_take(self);
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
	fg_enter(self);
	struct fg_team *team = team_take(self);
	if (!team) /* whose end is another function's */
		fg_fatal("Out of memory allocating %zu bytes", FG_TEAM_BYTES);
	region_begin(self, team, fn, data, num_threads, flags, prepare, arg);
	fg_leave(self);
}

void
fg_region_end(void)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	if (self->thread.team)
		region_end(self, self->thread.team);
	fg_leave(self);
}
