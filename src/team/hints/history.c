/* Load history (floor: team): see history.h.
 *
 * When. A new region is measured, and so is its next run. As long as a run confirms the known loads, twice as many
 * runs are skipped before the next measurement (at most 63). After a change each run is measured again. A run that
 * is not measured counts in the region around it with its learnt load, also where that one is measured. Else a region
 * that runs once, around all others, would have each of their runs measured.
 *
 * What. Of two measurements in a row the smaller counts, because a disturbance can only add to a run. It and the
 * known load have the same weight: new mean = (mean + smaller) / 2. Let close = max(1/8 of the members' mean, 2
 * microseconds); a move of threads costs more than 2 microseconds. The policies see a new mean only once it differs
 * by more than `close`. Members that lie within `close` of each other count as equal. So a team without a heavy
 * member is dealt as if nothing were known. Seats of outermost teams: seats.h. */
#include "team/hints/history.h"

#include <string.h>

#include "exec/thread/clock.h"
#include "exec/thread/root_state.h"
#include "platform/memory.h"
#include "sched/policy.h"
#include "team/hints/seats.h"
#include "team/team.h"

#define PERIOD_MAX 63
#define SAME_NS 2000.0f

static struct fg_atomic_u64 bytes_used;

static size_t
bytes_of(unsigned size)
{
	size_t bytes =
		sizeof(struct fg_load_history) + size * (sizeof(struct fg_load_history_site) + 3 * sizeof(float));
	return (bytes + 63) & ~(size_t)63;
}

static void
drop(struct fg_load_history *learnt)
{
	for (unsigned k = 0; k < learnt->size; k++)
		fg_load_history_forget(&learnt->site[k]);
	fg_add_relaxed(&bytes_used, -(uint64_t)bytes_of(learnt->size));
	fg_memory_free(learnt->recall);
	fg_memory_free(learnt);
}

void
fg_load_history_forget(struct fg_load_history_site *site)
{
	for (; site->n; site->n--) {
		struct fg_load_history *first = site->last->next;
		site->last->next = first->next;
		drop(first);
	}
	site->last = NULL;
}

static struct fg_load_history *
learnt_new(void (*fn)(void *), unsigned size)
{
	size_t bytes = bytes_of(size);
	struct fg_load_history *learnt = NULL;
	if (fg_add_relaxed(&bytes_used, bytes) + bytes <= FG_LEARNT_BYTES)
		learnt = fg_memory_aligned(64, bytes);
	if (!learnt) {
		fg_add_relaxed(&bytes_used, -(uint64_t)bytes);
		return NULL;
	}
	memset(learnt, 0, bytes);
	learnt->fn = fn;
	learnt->size = size;
	learnt->loads = (float *)&learnt->site[size];
	learnt->mean = learnt->loads + size;
	learnt->last = learnt->mean + size;
	return learnt;
}

/* Takes the history after `before` out of the list. */
static void
list_remove(struct fg_load_history_site *site, struct fg_load_history *before)
{
	struct fg_load_history *gone = before->next;
	before->next = gone->next;
	if (site->last == gone)
		site->last = before;
	if (--site->n == 0)
		site->last = NULL;
	drop(gone);
}

static void
list_add(struct fg_load_history_site *site, struct fg_load_history *learnt)
{
	learnt->next = site->last ? site->last->next : learnt;
	if (site->last)
		site->last->next = learnt;
	site->n++;
}

/* Makes a new history. If there is no room besides, it replaces the one after `oldest`. */
static struct fg_load_history *
make_room(struct fg_load_history_site *site, struct fg_load_history *oldest, void (*fn)(void *), unsigned size)
{
	bool stale = oldest && site->met - oldest->next->last_met > FG_LEARNT_STALE;
	struct fg_load_history *learnt = site->n < FG_LEARNT_REGIONS ? learnt_new(fn, size) : NULL;
	if (learnt || !stale)
		return learnt;
	list_remove(site, oldest);
	return learnt_new(fn, size);
}

struct fg_load_history *
fg_load_history_find(struct fg_load_history_site *site, void (*fn)(void *), unsigned size)
{
	struct fg_load_history *oldest = NULL, *before = site->last, *learnt = NULL; /* oldest: the one before it */
	site->met++;
	for (unsigned i = 0; i < site->n && !learnt; i++, before = before->next) {
		struct fg_load_history *one = before->next;
		if (one->in_flight)
			continue;
		if (one->fn == fn && one->size == size)
			learnt = one;
		else if (!oldest || site->met - one->last_met > site->met - oldest->next->last_met)
			oldest = before;
	}
	if (!learnt) {
		learnt = make_room(site, oldest, fn, size);
		if (!learnt)
			return NULL;
		list_add(site, learnt);
	}
	site->last = learnt;
	learnt->met++;
	learnt->last_met = site->met;
	return learnt;
}

bool
fg_load_history_due(struct fg_load_history *learnt)
{
	if (learnt->skip == 0)
		return true;
	learnt->skip--;
	return false;
}

/* A hot flat region: nothing within it will be learnt until it is measured again. */
static bool
needs_nothing(const struct fg_team *team, const struct fg_load_history *learnt, bool measured)
{
	return !measured && learnt && learnt->nested <= 0 && !learnt->recall && !team->outer;
}

static float
greater(float a, float b)
{
	return a > b ? a : b;
}

static float
smooth(const struct fg_load_history *learnt, unsigned k, float now)
{
	if (learnt->measured == 0)
		return now;
	float less = now < learnt->last[k] ? now : learnt->last[k];
	return (learnt->mean[k] + less) / 2;
}

/* Shows the policies the measured loads, if they differ from the published ones. False: they do not. */
static bool
publish(struct fg_load_history *learnt)
{
	unsigned size = learnt->size;
	float sum = 0, least = learnt->mean[0], most = 0;
	for (unsigned k = 0; k < size; k++) {
		sum += learnt->mean[k];
		least = learnt->mean[k] < least ? learnt->mean[k] : least;
		most = greater(most, learnt->mean[k]);
	}
	float mean = sum / (float)size, close = greater(mean / 8, SAME_NS);
	bool equal = most - least <= close, news = learnt->measured == 0;
	for (unsigned k = 0; k < size && !news; k++) {
		float differs = (equal ? mean : learnt->mean[k]) - learnt->loads[k];
		news = differs > close || differs < -close;
	}
	for (unsigned k = 0; k < size && news; k++)
		learnt->loads[k] = greater(equal ? mean : learnt->mean[k], 1);
	learnt->load = greater(sum, (float)size);
	return news;
}

void
fg_load_history_note(struct fg_load_history *learnt, const struct fg_time *times)
{
	float nested = 0;
	for (unsigned k = 0; k < learnt->size; k++) {
		float now = (float)fg_time_all(&times[k]);
		nested += (float)fg_load_relaxed(&times[k].nested);
		learnt->mean[k] = smooth(learnt, k, now);
		learnt->last[k] = now;
	}
	bool first = learnt->measured == 0;
	if (publish(learnt))
		learnt->period = 0;
	else
		learnt->period = learnt->period < PERIOD_MAX / 2 ? 2 * learnt->period + 1 : PERIOD_MAX;
	learnt->skip = learnt->period;
	learnt->nested = first ? nested : (learnt->nested + nested) / 2;
	learnt->measured++;
}

static struct fg_load_history_site *
site_of(struct fg_identity *self, const struct fg_team *team)
{
	struct fg_root *root = self->root;
	if (team->outer || !root)
		return self->site;
	if (!root->learnt && (root->learnt = fg_memory_aligned(64, sizeof *root->learnt)))
		*root->learnt = (struct fg_load_history_root){0};
	return root->learnt ? &root->learnt->site : NULL;
}

/* The program's loads are in force. If it told only the load of the team, its members get the learnt loads, in the
 * program's unit. */
static void
give_loads(struct fg_team *team, const struct fg_load_history *learnt)
{
	struct fg_bubble *bubble = &team->births.bubble;
	bool gives = learnt && learnt->measured && !bubble->loads;
	STORE_CHANGE(bubble->learnt, gives);
	if (!gives)
		return;
	if (bubble->entity.load <= 0) {
		bubble->loads = learnt->loads;
		return;
	}
	float *loads = fg_memory_resize(team->loads, team->size * sizeof *loads);
	if (!loads)
		return;
	for (unsigned k = 0; k < team->size; k++)
		loads[k] = learnt->loads[k] * (bubble->entity.load / learnt->load);
	team->loads = loads;
	bubble->loads = loads;
}

void
fg_load_history_begin(struct fg_identity *self, struct fg_team *team)
{
	struct fg_bubble *bubble = &team->births.bubble;
	struct fg_load_history_site *site = site_of(self, team);
	struct fg_load_history *learnt = site ? fg_load_history_find(site, team->fn, team->size) : NULL;
	bool due = learnt && fg_load_history_due(learnt);
	bool measured = fg_policies.measures >= FGOMP_MEASURE_CPU_TIME || due || (self->entity.time && !learnt);
	if (needs_nothing(team, learnt, measured)) {
		STORE_CHANGE(team->learnt, NULL);
		STORE_CHANGE(team->times, NULL);
		STORE_CHANGE(bubble->entity.time, NULL);
		team->clocked = false;
		return;
	}
	team->clocked = true;
	team->met_time = self->entity.time;
	team->met_site = self->site;
	fg_clock_take(self, NULL);
	struct fg_time *times = measured ? fg_bubble_times(bubble, team->size) : NULL;
	STORE_CHANGE(team->learnt, learnt);
	STORE_CHANGE(team->times, times);
	STORE_CHANGE(bubble->entity.time, times);
	/* Policies see a flat team as the bubble around others: all its members have begun. */
	STORE_CHANGE(bubble->entity.kind, FG_ENTITY_BUBBLE);
	STORE_CHANGE(bubble->size, team->size);
	STORE_CHANGE(bubble->born, team->size);
	if (learnt)
		learnt->in_flight = true;
	if (learnt && times && !team->outer && self->root)
		fg_seats_begin(self->root);
	give_loads(team, learnt);
}

void
fg_load_history_member(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	struct fg_time *times = team->times;
	self->site = team->learnt ? &team->learnt->site[num] : NULL;
	fg_clock_take(self, times ? &times[num] : NULL);
}

void
fg_load_history_end(struct fg_identity *self, struct fg_team *team)
{
	struct fg_bubble *bubble = &team->births.bubble;
	struct fg_load_history *learnt = team->learnt;
	uint64_t used = learnt ? (uint64_t)learnt->load : 0, events = 0;
	bool told = bubble->loads && (!learnt || bubble->loads != learnt->loads);
	if (team->times) {
		used = 0;
		for (unsigned k = 0; k < team->size; k++) {
			used += fg_time_all(&team->times[k]);
			events += fg_time_all_events(&team->times[k]);
		}
	}
	if (learnt)
		learnt->in_flight = false;
	if (learnt && team->times && learnt->size == team->size) { /* false in the child of a fork within the region */
		fg_load_history_note(learnt, team->times);
		if (team->mode == FG_TEAM_DOCKED && !team->outer && !told)
			fg_seats_look(self->root, learnt);
	}
	STORE_CHANGE(bubble->entity.load, 0);
	STORE_CHANGE(bubble->loads, NULL);
	team->clocked = false;
	self->site = team->met_site;
	if (team->met_time) {
		fg_time_add(&team->met_time->nested, used);
		fg_time_add(&team->met_time->nested_events, events);
	}
	fg_clock_take(self, team->met_time);
}
