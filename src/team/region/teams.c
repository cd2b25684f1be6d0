/* Teams (floor: team): see teams.h. */
#include "team/region/teams.h"

#include <string.h>

#include "platform/memory.h"
#include "team/share/workshare.h"
#include "team/tasks/pool_end.h"

struct fg_teams fg_teams;

/* Clears all but two fields. births.rejoin has the word that such members look at, and the numbers that tell them
 * that it is not for them. The other field is the version. */
static void
team_clear(struct fg_team *team)
{
	uint64_t version = team->version;
	size_t before = offsetof(struct fg_team, births.rejoin), after = before + sizeof team->births.rejoin;
	memset(team, 0, before);
	memset((char *)team + after, 0, sizeof *team - after);
	team->version = version;
	fg_spinlock_init(&team->shares_lock, FG_RANK_SHARES);
}

struct fg_team *
fg_team_init(struct fg_team *team)
{
	team->births.rejoin = (struct fg_rejoin){0};
	team->version = 0;
	team_clear(team);
	memset(fg_workshare_reserve(team), 0, sizeof(struct fg_workshare));
	return team;
}

static struct fg_team *
team_new(void)
{
	struct fg_team *team = fg_memory_aligned(_Alignof(struct fg_team), FG_TEAM_BYTES);
	return team ? fg_team_init(team) : NULL;
}

struct fg_team *
fg_team_take(struct fg_identity *self)
{
	struct fg_team *team = self->free_teams;
	if (__builtin_expect(!team, 0) && fg_load_relaxed(&fg_teams.forgotten))
		team = fg_exchange_acquire(&fg_teams.forgotten, NULL);
	if (__builtin_expect(!team, 0))
		return team_new();
	self->free_teams = team->free_next;
	return team;
}

void
fg_team_empty(struct fg_team *team)
{
	fg_workshares_free(team);
	fg_task_team_free(team);
	fg_memory_free(team->places);
	fg_memory_free(team->places_slots);
	fg_memory_free(team->loads);
	fg_memory_free(team->arrivals);
	fg_bubble_free(&team->births.bubble);
}

void
fg_region_forget(struct fg_identity *self)
{
	struct fg_team *team;
	while ((team = self->free_teams)) {
		self->free_teams = team->free_next;
		fg_team_empty(team);
		team_clear(team);
		void *first = fg_load_relaxed(&fg_teams.forgotten);
		do
			team->free_next = first;
		while (!fg_cas_release(&fg_teams.forgotten, &first, team));
	}
}
