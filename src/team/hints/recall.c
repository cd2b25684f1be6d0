/* Recall (floor: team): see recall.h. */
#include "team/hints/recall.h"

#include "exec/thread/clock.h"
#include "memory/area.h"
#include "platform/memory.h"
#include "team/team.h"

uint64_t
fg_recall_digest(const struct fg_hinted_range *range, unsigned n)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t use = (uint64_t)range[i].member << 2 | range[i].access, hash = 0;
		const uint64_t word[] = {range[i].start, range[i].end, use};
		for (unsigned k = 0; k < 3; k++) {
			hash = (hash ^ word[k]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
			hash ^= hash >> 32;
		}
		sum += hash | 1;
	}
	return sum;
}

struct list {
	struct fg_hinted_range *range;
	unsigned n, room;
};

/* Under another number, if the member is one of the team around. */
static void
add(struct list *list, const struct fg_recall *recall, unsigned member)
{
	for (unsigned i = 0; recall && i < recall->n && list->n < list->room; i++) {
		list->range[list->n] = recall->range[i];
		if (member != FG_ALL_MEMBERS)
			list->range[list->n].member = member;
		list->n++;
	}
}

static void
add_below(struct list *list, const struct fg_load_history *history, unsigned member)
{
	for (unsigned k = 0; k < history->size; k++) {
		const struct fg_load_history *one = history->site[k].last;
		for (unsigned i = 0; i < history->site[k].n; i++, one = one->next) {
			add(list, one->recall, member == FG_ALL_MEMBERS ? k : member);
			add_below(list, one, member == FG_ALL_MEMBERS ? k : member);
		}
	}
}

unsigned
fg_recall_ranges(const struct fg_team *team, struct fg_hinted_range *range, unsigned room)
{
	struct list list = {range, 0, room};
	if (!fg_clock_on || !team->learnt)
		return 0;
	if (team->learnt->recall)
		add(&list, team->learnt->recall, FG_ALL_MEMBERS);
	else
		add_below(&list, team->learnt, FG_ALL_MEMBERS);
	return list.n;
}

/* The most threads that the region of one member had, with those that were met within it. 0: no member met any. */
static unsigned
threads_below(const struct fg_load_history *history)
{
	unsigned most = 0;
	for (unsigned k = 0; k < history->size; k++) {
		const struct fg_load_history *one = history->site[k].last;
		for (unsigned i = 0; i < history->site[k].n; i++, one = one->next) {
			unsigned below = threads_below(one), threads = one->size * (below ? below : 1);
			most = threads > most ? threads : most;
		}
	}
	return most;
}

struct fg_habits
fg_recall_habits(const struct fg_team *team, uint64_t digest)
{
	const struct fg_load_history *history = fg_clock_on ? team->learnt : NULL;
	if (!history)
		return (struct fg_habits){0};
	bool same = history->recall && history->recall->digest == digest;
	struct fg_habits habits = {.below = threads_below(history)};
	habits.settled = same && history->recall->runs >= FG_RECALL_SETTLED && !habits.below;
	return habits;
}

static void
collect_locked(struct list *list, const void *name)
{
	for (const struct fg_attachment *one = fg_attached_next_locked(name, NULL); one;
	     one = fg_attached_next_locked(name, one)) {
		if (list->n < list->room)
			list->range[list->n] =
				(struct fg_hinted_range){one->area->start, one->area->end, one->member, one->access};
		list->n++;
	}
}

void
fg_recall_note(const struct fg_team *team, uint64_t recalled)
{
	struct fg_load_history *history = fg_clock_on ? team->learnt : NULL;
	struct list list = {0};
	if (!history || history->size != team->size) /* false in the child of a fork within the region */
		return;
	fg_areas_lock();
	collect_locked(&list, &team->births.bubble);
	fg_areas_unlock();
	if (list.n > FG_RECALL_RANGES)
		return;
	struct fg_recall *recall = fg_memory_get(sizeof *recall + list.n * sizeof *recall->range);
	if (!recall)
		return;
	list = (struct list){recall->range, 0, list.n};
	fg_areas_lock();
	collect_locked(&list, &team->births.bubble);
	fg_areas_unlock();
	recall->n = list.n < list.room ? list.n : list.room;
	recall->digest = fg_recall_digest(recall->range, recall->n);
	bool same = history->recall && history->recall->digest == recall->digest;
	if (same)
		history->recall->runs++;
	if (same || recall->digest == recalled) {
		fg_memory_free(recall);
		return;
	}
	recall->runs = 1;
	fg_memory_free(history->recall);
	history->recall = recall;
}
