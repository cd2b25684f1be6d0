/* Area hints, as the program and its allocators give them (floor: team): see areas.h. */
#include "team/hints/areas.h"

#include <errno.h>
#include <stdint.h>

#include "base/log.h"
#include "exec/roots/self.h"
#include "exec/thread/clock.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_state.h"
#include "memory/haul.h"
#include "platform/memory.h"
#include "sched/policy.h"
#include "team/hints/loads.h"
#include "team/hints/recall.h"
#include "team/team.h"
#include "trace/format.h"

static bool
is_good(const struct fg_area_hint *hint)
{
	uintptr_t end;
	const char *wrong = NULL;
	if (!hint->start || !hint->bytes || __builtin_add_overflow((uintptr_t)hint->start, hint->bytes, &end))
		wrong = "is no range of memory: a start that is not NULL, and at least 1 byte, are wanted";
	else if (hint->access < 1 || hint->access > 3)
		wrong = "has no access: FGOMP_READ, FGOMP_WRITE or FGOMP_READ_WRITE is wanted";
	if (wrong)
		fg_note("%s: %p, %zu bytes, access %u %s; it is ignored", hint->who, hint->start, hint->bytes,
			hint->access, wrong);
	return !wrong && fg_policies.wants & FG_WANTS_AREAS;
}

/* The stock was empty. The caller is outside the runtime, unless it cannot leave it. */
static bool
stock(struct fg_identity *self)
{
	struct fg_area_stuff stuff;
	if (!fg_area_stuff(&stuff)) {
		fg_note("out of memory for an area of memory: the hint, or block of an allocator, is ignored");
		return false;
	}
	bool inside = fg_enter_again(self);
	fg_areas_lock();
	fg_area_stock_locked(stuff);
	fg_areas_unlock();
	fg_leave_again(self, inside);
	return true;
}

/* ---- The next team ---- */

static bool
make_room(unsigned room)
{
	struct fg_hinted_range *more = fg_memory_resize(fg_hints_next.ranges, room * sizeof *more);
	if (!more)
		return false;
	fg_hints_next.ranges = more;
	fg_hints_next.room_ranges = room;
	return true;
}

void
fg_areas_hint_next(const struct fg_area_hint *hint, unsigned member)
{
	fg_assert_outside(fg_self());
	if (!is_good(hint))
		return;
	if (fg_hints_next.n_ranges == fg_hints_next.room_ranges) {
		struct fg_identity *self = fg_self_or_root(); /* so that the thread's end frees them */
		fg_enter(self);
		bool roomy = make_room(fg_hints_next.room_ranges ? 2 * fg_hints_next.room_ranges : 8);
		fg_leave(self);
		if (!roomy)
			return;
	}
	uintptr_t start = (uintptr_t)hint->start;
	fg_hints_next.ranges[fg_hints_next.n_ranges++] =
		(struct fg_hinted_range){start, start + hint->bytes, member, hint->access};
	fg_store_relaxed(&fg_hints_any, 1);
}

void
fg_areas_forget(void)
{
	fg_memory_free(fg_hints_next.ranges);
	fg_hints_next.ranges = NULL;
	fg_hints_next.n_ranges = fg_hints_next.room_ranges = 0;
}

/* A root's flat team whose hints differ from the last time gets new places for its members. */
static void
tell_root(struct fg_root *root, const struct fg_team *team, uint64_t digest)
{
	const struct fg_bubble *bubble = &team->births.bubble;
	root->areas = bubble->areas;
	if ((root->areas_told != digest || !fg_habits_same(root->plan.habits, bubble->habits)) &&
	    fg_policy.sched->place)
		root->size = 0;
	root->areas_told = digest;
	root->plan.habits = bubble->habits;
}

static bool
attach_next_locked(const struct fg_hinted_range *range, const struct fg_team *team, const struct fg_identity *self)
{
	if (range->member != FG_ALL_MEMBERS && range->member >= team->size)
		return true;
	return fg_attach_locked(range->start, range->end,
				&(struct fg_attachment){.team = &team->births.bubble,
							.member = range->member,
							.access = range->access,
							.thread = range->member == 0 ? &self->entity : NULL}) !=
	       FG_ATTACHED_NO_STOCK;
}

static void
next_trace(const struct fg_hinted_range *range, const struct fg_team *team)
{
	bool whole = range->member == FG_ALL_MEMBERS;
	fg_trace(FG_EVENT_area, team->births.bubble.number, whole ? 0 : range->member,
		 whole ? FG_TRACE_AREA_TEAM : FG_TRACE_AREA_MEMBER, range->end - range->start);
}

/* Of a team whose areas were not told, those of its last run are the hints. */
static void
recall(struct fg_team *team)
{
	team->recalled = 0;
	if (fg_hints_next.n_ranges || !team->learnt)
		return;
	if (fg_hints_next.room_ranges < FG_RECALL_RANGES && !make_room(FG_RECALL_RANGES))
		return;
	fg_hints_next.n_ranges = fg_recall_ranges(team, fg_hints_next.ranges, fg_hints_next.room_ranges);
	team->recalled = fg_recall_digest(fg_hints_next.ranges, fg_hints_next.n_ranges);
}

void
fg_areas_take(struct fg_identity *self, struct fg_team *team)
{
	struct fg_bubble *bubble = &team->births.bubble;
	if (team->size == 1) /* no policy places it */
		fg_hints_next.n_ranges = 0;
	else if (fg_clock_on && fg_policies.wants & FG_WANTS_AREAS)
		recall(team);
	if (fg_hints_next.n_ranges) {
		fg_areas_lock();
		bubble->areas = bubble;
		fg_areas_unlock();
	}
	for (unsigned i = 0; i < fg_hints_next.n_ranges; i++) {
		next_trace(&fg_hints_next.ranges[i], team);
		do {
			fg_areas_lock();
			bool done = attach_next_locked(&fg_hints_next.ranges[i], team, self);
			fg_areas_unlock();
			if (done)
				break;
		} while (stock(self));
	}
	uint64_t digest = fg_recall_digest(fg_hints_next.ranges, fg_hints_next.n_ranges);
	bubble->habits = digest ? fg_recall_habits(team, digest) : (struct fg_habits){0};
	if (self->root && !bubble->entity.bubble && team->size > 1) /* regions of one member do not count */
		tell_root(self->root, team, digest);
	fg_hints_next.n_ranges = 0;
}

void
fg_areas_end(struct fg_identity *self, struct fg_team *team)
{
	struct fg_bubble *bubble = &team->births.bubble;
	if (!bubble->areas)
		return;
	fg_recall_note(team, team->recalled);
	team->recalled = 0;
	fg_areas_lock();
	fg_detach_team_locked(bubble);
	bubble->areas = NULL;
	fg_areas_unlock();
	if (self->root)
		self->root->areas = NULL;
}

void
fg_areas_haul(const struct fg_team *team, unsigned member)
{
	struct fg_haul haul;
	while (fg_haul_take(team->births.bubble.areas, member, &haul))
		fg_haul_carry_out(&haul);
}

/* ---- The calling thread ---- */

static void
changed(const struct fg_identity *self, enum fgomp_change change, enum fg_trace_area news, size_t bytes)
{
	fg_trace(FG_EVENT_area, self->thread.bubble, self->thread.num, news, bytes);
	if (fg_policies.wants & (FG_WANTS_CHANGED | FG_WANTS_REDISTRIBUTE))
		fg_policy_changed(change, fg_levels_top());
}

static struct fg_team *
team_of(const struct fg_identity *self, const struct fg_area_hint *hint)
{
	if (!self->thread.team)
		fg_note("%s: outside of a parallel region; it is ignored", hint->who);
	return self->thread.team;
}

static enum fg_attached
attach(struct fg_identity *self, struct fg_team *team, const struct fg_area_hint *hint)
{
	uintptr_t start = (uintptr_t)hint->start;
	unsigned member = self->thread.num;
	struct fg_attachment what = {.team = &team->births.bubble,
				     .member = member,
				     .access = hint->access,
				     .thread = member == 0 ? &self->entity : NULL};
	fg_enter(self);
	fg_areas_lock();
	team->births.bubble.areas = &team->births.bubble;
	enum fg_attached attached = fg_attach_locked(start, start + hint->bytes, &what);
	fg_areas_unlock();
	if (attached == FG_ATTACHED_ANEW)
		changed(self, FGOMP_CHANGE_AFFINITY, FG_TRACE_AREA_ATTACHED, hint->bytes);
	fg_leave(self);
	return attached;
}

void
fg_areas_hint_attach(const struct fg_area_hint *hint)
{
	fg_assert_outside(fg_self());
	struct fg_identity *self;
	if (!is_good(hint) || !team_of(self = fg_self_or_root(), hint))
		return;
	if (!fg_load_relaxed(&fg_hints_any))
		fg_store_relaxed(&fg_hints_any, 1);
	while (attach(self, self->thread.team, hint) == FG_ATTACHED_NO_STOCK && stock(self))
		;
}

void
fg_areas_hint_detach(const struct fg_area_hint *hint)
{
	fg_assert_outside(fg_self());
	struct fg_identity *self;
	if (!is_good(hint) || !team_of(self = fg_self_or_root(), hint))
		return;
	uintptr_t start = (uintptr_t)hint->start;
	fg_enter(self);
	fg_areas_lock();
	bool was = fg_detach_locked(start, start + hint->bytes, &self->thread.team->births.bubble, self->thread.num);
	fg_areas_unlock();
	if (was)
		changed(self, FGOMP_CHANGE_AFFINITY, FG_TRACE_AREA_DETACHED, hint->bytes);
	fg_leave(self);
	if (!was)
		fg_note("%s: the calling thread is not attached to %zu bytes at %p; it is ignored", hint->who,
			hint->bytes, hint->start);
}

/* ---- Allocators ---- */

void
fg_areas_allocated(const void *start, size_t bytes)
{
	struct fg_identity *self = fg_self_or_root();
	bool known;
	do {
		bool inside = fg_enter_again(self);
		fg_areas_lock();
		known = fg_area_keep_locked((uintptr_t)start, (uintptr_t)start + bytes, FG_AREA_OF_ALLOCATOR);
		fg_areas_unlock();
		if (known)
			changed(self, FGOMP_CHANGE_AREA, FG_TRACE_AREA_MADE, bytes);
		fg_leave_again(self, inside);
	} while (!known && stock(self));
}

void
fg_areas_freed(const void *start, size_t bytes)
{
	struct fg_identity *self = fg_self_or_root();
	bool inside = fg_enter_again(self);
	fg_areas_lock();
	bool was = fg_area_freed_locked((uintptr_t)start, (uintptr_t)start + bytes);
	fg_areas_unlock();
	if (was)
		changed(self, FGOMP_CHANGE_AREA, FG_TRACE_AREA_FREED, bytes);
	fg_leave_again(self, inside);
}

/* ---- The program ---- */

static void
lock(struct fg_identity *self)
{
	fg_enter(self);
	fg_areas_lock();
}

static void
unlock(struct fg_identity *self)
{
	fg_areas_unlock();
	fg_leave(self);
}

static void
tell(struct fg_identity *self, enum fg_trace_area news, size_t bytes)
{
	fg_enter(self);
	changed(self, FGOMP_CHANGE_AREA, news, bytes);
	fg_leave(self);
}

/* The system gave new pages here. So the program has unmapped the memory of these areas, and has not said so. */
static void
drop_old_locked(uintptr_t from, uintptr_t end)
{
	const struct fg_area *old;
	while ((old = fg_area_kept_locked(from, end)))
		fg_area_freed_locked(old->start, old->end);
}

enum fg_area_keeping
fg_areas_keep(const void *start, size_t bytes, enum fg_area_kept kept)
{
	struct fg_identity *self = fg_self_or_root();
	uintptr_t from = (uintptr_t)start, end = from + bytes;
	for (;;) {
		lock(self);
		if (kept == FG_AREA_MAPPED)
			drop_old_locked(from, end);
		bool another = fg_area_kept_locked(from, end);
		bool known = !another && fg_area_keep_locked(from, end, kept);
		unlock(self);
		if (known)
			tell(self, FG_TRACE_AREA_MADE, bytes);
		if (known || another)
			return known ? FG_KEEPS : FG_KEEPS_ANOTHER;
		if (!stock(self))
			return FG_KEEPS_NO_MEMORY;
	}
}

static struct fg_area *
kept_at_locked(uintptr_t start)
{
	struct fg_area *area = fg_area_kept_locked(start, start + 1);
	return area && area->start == start ? area : NULL;
}

size_t
fg_areas_kept(const void *start, enum fg_area_kept kept, bool drop)
{
	struct fg_identity *self = fg_self_or_root();
	lock(self);
	const struct fg_area *area = kept_at_locked((uintptr_t)start);
	size_t bytes = area && area->kept == kept ? area->end - area->start : 0;
	if (bytes && drop)
		fg_area_freed_locked((uintptr_t)start, (uintptr_t)start + bytes);
	unlock(self);
	if (bytes && drop)
		tell(self, FG_TRACE_AREA_FREED, bytes);
	return bytes;
}

bool
fg_areas_is_within(const void *start, size_t bytes, enum fg_area_kept kept)
{
	struct fg_identity *self = fg_self_or_root();
	uintptr_t from = (uintptr_t)start;
	lock(self);
	const struct fg_area *area = fg_area_kept_locked(from, from + 1);
	bool within = area && area->kept == kept && from + bytes <= area->end;
	unlock(self);
	return within;
}

int
fg_areas_split(const void *start, unsigned n, size_t page, void **parts)
{
	struct fg_identity *self = fg_self_or_root();
	uintptr_t from = (uintptr_t)start, end;
	for (;;) {
		lock(self);
		struct fg_area *area = kept_at_locked(from);
		end = area ? area->end : from + 1;
		bool fits = area && n && n <= (end - 1) / page - from / page + 1;
		bool done = fits && fg_area_split_locked(area, n, page);
		unlock(self);
		if (!fits)
			return area ? EINVAL : ENOENT;
		if (done)
			break;
		if (!stock(self))
			return ENOMEM;
	}
	for (unsigned i = 0; i < n; i++)
		parts[i] = (void *)fg_area_part((struct fg_area_range){from, end}, n, i, page);
	return 0;
}
