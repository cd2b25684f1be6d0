/* Stuck regions (floor: stuck): see look.h.
 *
 * Teams and identities of workers are never freed (presence.h has the exception). Donors do not end while the watcher
 * looks. All else may be freed, so this file peeks at it. */
#include "stuck/look.h"

#include <errno.h>

#include "exec/thread/root_state.h"
#include "exec/thread/worker_parts.h"
#include "exec/thread/worker_state.h"
#include "stuck/peek.h"
#include "stuck/presence.h"
#include "stuck/stand.h"
#include "stuck/tell.h"
#include "stuck/library.h"
#include "team/env/features.h"
#include "team/share/workshare.h"
#include "team/sync/arrivals.h"
#include "team/tasks/pool.h"

#define WATCHED_MAX 512
#define DEPTH_MAX 64

static struct {
	struct watched {
		struct fg_team *team;
		uint64_t sum;	      /* of all that this look has seen of the team */
		uint64_t last, since; /* the sum that was new at the last change, and the time of that look */
		bool seen;
	} watched[WATCHED_MAX];
	unsigned n_watched;
	struct fg_team *suspect;
	uint64_t suspect_sum;
} look;

static uint64_t
mix(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 29;
}

static uint64_t
mix_pointer(uint64_t sum, const void *value)
{
	return mix(sum, (uint64_t)(uintptr_t)value);
}

FG_READS_HINTS static uint64_t
of_identity(const struct fg_identity *thread)
{
	const struct fg_thread *member = &thread->thread;
	uint64_t sum = mix_pointer(1, thread);
	sum = mix_pointer(sum, member->team);
	sum = mix(sum, member->num);
	sum = mix(sum, member->constructs);
	sum = mix(sum, member->singles);
	sum = mix(sum, (uint64_t)member->static_trip);
	sum = mix_pointer(sum, member->task);
	return mix_pointer(sum, thread->park.on);
}

FG_READS_HINTS static uint64_t
of_shares(const struct fg_team *team)
{
	struct fg_workshare share;
	const struct fg_workshare *ring = fg_load_relaxed(&team->shares);
	uint64_t sum = mix(2, team->shares_top);
	for (unsigned i = 0; ring && i < FG_TEAM_SHARES && fg_peek((uintptr_t)&ring[i], &share, sizeof share); i++) {
		sum = mix(sum, fg_load_relaxed(&share.number));
		sum = mix(sum, fg_load_relaxed(&share.next));
		sum = mix(sum, fg_load_relaxed(&share.left));
	}
	return sum;
}

FG_READS_HINTS static uint64_t
of_arrivals(const struct fg_team *team)
{
	struct fg_arrivals arrivals;
	struct fg_arrivals_group group;
	const struct fg_arrivals *at = team->arrivals;
	if (!(team->features & FG_FEATURE_GROUPS) || !fg_peek((uintptr_t)at, &arrivals, sizeof arrivals))
		return 0;
	uint64_t sum = 6;
	for (unsigned i = 0; i < arrivals.n && fg_peek((uintptr_t)&at->group[i], &group, sizeof group); i++)
		sum = mix(sum, fg_load_relaxed(&group.arrived));
	return sum;
}

static uint64_t
of_tasks(const struct fg_team *team)
{
	struct fg_task_pool pool;
	struct fg_atomic_ptr at;
	struct fg_atomic_u64 counts[2];
	uintptr_t pool_at = (uintptr_t)fg_load_relaxed(&team->tasks);
	if (!pool_at || !fg_peek(pool_at, &pool, sizeof pool))
		return 0;
	uint64_t sum = mix(3, fg_load_relaxed(&pool.quiescent));
	sum = mix(sum, fg_load_relaxed(&pool.foreign_completed));
	sum = mix(sum, fg_load_relaxed(&pool.events));
	for (unsigned i = 0; i < pool.size; i++) {
		uintptr_t member_at = pool_at + offsetof(struct fg_task_pool, member) + i * sizeof at;
		if (!fg_peek(member_at, &at, sizeof at) || !fg_load_relaxed(&at))
			continue;
		uintptr_t member = (uintptr_t)fg_load_relaxed(&at);
		if (!fg_peek(member + offsetof(struct fg_task_member, created), counts, sizeof counts))
			return sum;
		sum = mix(sum, fg_load_relaxed(&counts[0]));
		sum = mix(sum, fg_load_relaxed(&counts[1]));
	}
	return sum;
}
_Static_assert(offsetof(struct fg_task_member, completed) == offsetof(struct fg_task_member, created) + 8,
	       "the two are read together");

/* Sums up the crews of a flat team. */
FG_READS_HINTS static uint64_t
of_dock(const struct fg_team *team)
{
	uint64_t sum = 4;
	const struct fg_root *root = team->primary->root;
	for (struct fg_worker *worker = fg_load_acquire(fg_library->all_workers); worker; worker = worker->all_next) {
		const struct fg_crew *crew = &worker->crew;
		if (crew->root != root)
			continue;
		sum = mix(sum, fg_load_relaxed(&worker->done[0].phase));
		sum = mix(sum, fg_load_relaxed(&worker->done[1].phase));
		sum = mix(sum, crew->phase);
		sum = mix(sum, crew->region);
		sum = mix(sum, crew->arrived);
		sum = mix(sum, fg_load_relaxed(&fg_parts(worker)->lend.returned));
	}
	return sum;
}

FG_READS_HINTS static uint64_t
of_team(const struct fg_team *team)
{
	const struct fg_births *births = &team->births;
	uint64_t sum = mix_pointer(5, team);
	sum = mix_pointer(sum, (const void *)team->fn);
	sum = mix(sum, births->rejoin.region);
	sum = mix(sum, births->bubble.born);
	sum = mix(sum, fg_load_relaxed(&births->bubble.unfinished));
	sum = mix(sum, fg_load_relaxed(&team->arrived));
	sum = mix(sum, fg_load_relaxed(&team->phase));
	sum = mix(sum, fg_load_relaxed(&team->cancelled));
	sum = mix(sum, fg_load_relaxed(&team->share_cancelled));
	sum = mix(sum, of_arrivals(team));
	sum = mix(sum, fg_load_relaxed(&team->singles));
	if (team->mode == FG_TEAM_DOCKED)
		sum = mix(sum, of_dock(team));
	return mix(mix(sum, of_shares(team)), of_tasks(team));
}

/* Finds the entry of a team, or makes it. If there are more regions than room, some are watched only as a part of the
 * regions around. */
static struct watched *
watched_of(struct fg_team *team, bool make)
{
	for (unsigned i = 0; i < look.n_watched; i++)
		if (look.watched[i].team == team)
			return &look.watched[i];
	if (!make || look.n_watched == WATCHED_MAX)
		return NULL;
	look.watched[look.n_watched] = (struct watched){.team = team};
	return &look.watched[look.n_watched++];
}

static void
add(struct fg_team *team, uint64_t sum)
{
	struct watched *entry = watched_of(team, true);
	if (entry)
		entry->sum += sum; /* the order of the threads may differ from look to look */
}

/* Adds to the region and to all regions around it. */
static void
add_from(struct fg_presence presence, uint64_t sum)
{
	unsigned depth = 0;
	do
		add(presence.team, sum);
	while (++depth < DEPTH_MAX && fg_presence_around(&presence));
}

static void
survey_one(const struct fg_identity *thread)
{
	struct fg_presence presence;
	if (!fg_presence_first(thread, &presence))
		return;
	add_from(presence, of_identity(thread));
	unsigned depth = 0;
	do {
		struct watched *entry = watched_of(presence.team, true);
		if (!entry || entry->seen)
			continue;
		entry->seen = true;
		add_from(presence, of_team(presence.team));
	} while (++depth < DEPTH_MAX && fg_presence_around(&presence));
}

static void
survey(void)
{
	for (unsigned i = 0; i < look.n_watched; i++) {
		look.watched[i].sum = 0;
		look.watched[i].seen = false;
	}
	for (struct fg_identity *thread = fg_stand_next(NULL); thread; thread = fg_stand_next(thread))
		survey_one(thread);
}

static bool
suspect_moved(void)
{
	survey();
	struct watched *entry = watched_of(look.suspect, false);
	return !entry || !entry->seen || entry->sum != look.suspect_sum;
}

/* Keeps the entries of regions in flight. Returns the first that has not moved for `after`, or NULL. */
static struct watched *
compare(uint64_t now, uint64_t after)
{
	struct watched *found = NULL;
	unsigned kept = 0;
	for (unsigned i = 0; i < look.n_watched; i++) {
		struct watched *entry = &look.watched[kept];
		if (!look.watched[i].seen)
			continue;
		*entry = look.watched[i];
		kept++;
		if (entry->sum != entry->last || entry->since == 0) {
			entry->last = entry->sum;
			entry->since = now;
		}
		if (now - entry->since >= after && !found)
			found = entry;
	}
	look.n_watched = kept;
	return found;
}

/* True: the process may never read its own memory here, and the user has been told. If files or memory are short only
 * for the moment, the next look tries again. */
static bool
is_blind(void)
{
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		return false;
	fg_library->report("FGOMP_STUCK has no effect: a process may not read its own memory here (/proc/self/mem: %s)",
			   errno == EACCES   ? "permission denied"
			   : errno == ENOENT ? "there is none"
					     : "refused");
	return true;
}

bool
fg_stuck_look(uint64_t now, uint64_t after)
{
	if (fg_load_relaxed(fg_library->teams_on_stacks)) {
		fg_library->report("FGOMP_STUCK has no effect any more: there was no memory for a team");
		return true;
	}
	if (!fg_peek_begin())
		return is_blind();
	survey();
	struct watched *found = compare(now, after);
	bool told = false;
	if (found) {
		look.suspect = found->team;
		look.suspect_sum = found->sum;
		uint64_t since = found->since;
		found->since = now - after / 2; /* if no member waits there, the next try comes after half the time */
		told = fg_stuck_tell(look.suspect, now, now - since, suspect_moved);
	}
	fg_peek_end();
	return told;
}
