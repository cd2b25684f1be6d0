/* Entry (floor: share): see entry.h. */
#include "share/entry.h"

#include <assert.h>

#define SERVED 49     /* a bit of `look` */
#define LIMIT_BITS 16 /* of a number of PUs */

uint64_t
fg_entry_word(int process, uint64_t now)
{
	return (now / 1000) << 32 | (uint32_t)process;
}

struct fg_fair_entry
fg_entry_unpack(uint64_t told)
{
	uint32_t demand = (uint32_t)told, weight = (uint32_t)(told >> 32);
	struct fg_fair_entry entry = {demand, weight};
	if (demand > FG_BOARD_PUS * 1000)
		entry.demand = FG_BOARD_PUS * 1000;
	if (weight < FG_FAIR_LIGHTEST || weight > FG_FAIR_HEAVIEST)
		entry.weight = FG_FAIR_WEIGHT;
	return entry;
}

/* A stamp of the future is the work of somebody who does not keep to the rules, and counts as old. A clock that is read
 * on another PU may be some nanoseconds ahead. */
static bool
is_younger(uint64_t stamp, uint64_t now, uint64_t than)
{
	return stamp < now + FG_ENTRY_YOUNG_NS && now - stamp + FG_ENTRY_YOUNG_NS < than + FG_ENTRY_YOUNG_NS;
}

bool
fg_entry_is_active(uint64_t stamp, uint64_t now)
{
	return is_younger(stamp, now, FG_ENTRY_YOUNG_NS);
}

static unsigned
n_used(struct fg_board *board)
{
	uint32_t used = fg_load_relaxed(&board->used);
	return used < FG_BOARD_ENTRIES ? used : FG_BOARD_ENTRIES;
}

/* A reader that misses a new entry sees it at its next look. */
static void
use(struct fg_board *board, unsigned entry)
{
	uint32_t used = fg_load_relaxed(&board->used);
	while (used <= entry && !fg_cas_relaxed(&board->used, &used, entry + 1))
		;
}

static bool
is_old(struct fg_board_entry *entry, uint64_t now)
{
	return !is_younger(fg_load_relaxed(&entry->stamp), now, FG_ENTRY_OLD_NS);
}

/* The entry is free, or becomes free here. False: it has an owner. The load sees the stamp that this owner stored
 * before it took the entry. */
static bool
becomes_free(struct fg_board_entry *entry, uint64_t now, bool *others)
{
	uint64_t taken = fg_load_acquire(&entry->taken);
	if (!taken)
		return true;
	*others = true; /* a program that was alone for long does not stamp, and must hear of the newcomer */
	return is_old(entry, now) && fg_cas_relaxed(&entry->taken, &taken, 0);
}

static bool
take(struct fg_board_entry *entry, uint64_t word, uint64_t now, uint64_t told)
{
	uint64_t free = 0;
	fg_store_relaxed(&entry->told, told);
	fg_store_release(&entry->stamp, now);
	return fg_cas_release(&entry->taken, &free, word);
}

unsigned
fg_entry_take(struct fg_board *board, uint64_t word, uint64_t now, uint64_t told, bool *others)
{
	unsigned used = n_used(board), got = FG_ENTRY_NONE;
	assert(word != 0);
	*others = false;
	for (unsigned i = 0; i < FG_BOARD_ENTRIES && (i < used || got == FG_ENTRY_NONE); i++)
		if (becomes_free(&board->entry[i], now, others) && got == FG_ENTRY_NONE &&
		    take(&board->entry[i], word, now, told))
			got = i;
	if (got != FG_ENTRY_NONE) {
		use(board, got);
		fg_entry_tell_set(board, got, &(struct fg_cpuset){{0}});
	}
	return got;
}

bool
fg_entry_free_gone(struct fg_board *board, unsigned own, uint64_t now, bool (*is_gone)(int process))
{
	bool others = false;
	for (unsigned i = 0, used = n_used(board); i < used; i++) {
		struct fg_board_entry *entry = &board->entry[i];
		uint64_t taken = i == own ? 0 : fg_load_acquire(&entry->taken);
		if (taken &&
		    !(is_old(entry, now) && is_gone((int)(uint32_t)taken) && fg_cas_relaxed(&entry->taken, &taken, 0)))
			others = true;
	}
	return others;
}

void
fg_entry_leave(struct fg_board *board, unsigned entry, uint64_t word)
{
	fg_cas_relaxed(&board->entry[entry].taken, &word, 0);
}

bool
fg_entry_is_own(struct fg_board *board, unsigned entry, uint64_t word)
{
	return fg_load_relaxed(&board->entry[entry].taken) == word;
}

void
fg_entry_tell(struct fg_board *board, unsigned entry, uint64_t now, const struct fg_fair_entry *told,
	      const struct fg_cpuset *cpus)
{
	struct fg_board_entry *own = &board->entry[entry];
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		if (fg_load_relaxed(&own->cpus[i]) != cpus->bits[i])
			fg_store_relaxed(&own->cpus[i], cpus->bits[i]);
	fg_store_relaxed(&own->told, fg_entry_pack(told));
	fg_store_release(&own->stamp, now);
}

/* Few sets change, so their lines stay in the caches of readers. */
void
fg_entry_tell_set(struct fg_board *board, unsigned entry, const struct fg_cpuset *set)
{
	struct fg_board_entry *own = &board->entry[entry];
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		if (fg_load_relaxed(&own->set[i]) != set->bits[i])
			fg_store_relaxed(&own->set[i], set->bits[i]);
}

void
fg_entry_read_sets(struct fg_board *board, unsigned own, uint64_t now, struct fg_cpuset *lower,
		   struct fg_cpuset *others)
{
	unsigned used = n_used(board);
	fg_cpuset_clear(lower);
	fg_cpuset_clear(others);
	for (unsigned i = 0; i < used; i++) {
		struct fg_board_entry *entry = &board->entry[i];
		if (i == own || !fg_load_relaxed(&entry->taken) ||
		    !fg_entry_is_active(fg_load_acquire(&entry->stamp), now))
			continue;
		for (unsigned k = 0; k < FG_BOARD_PUS / 64; k++) {
			uint64_t set = fg_load_relaxed(&entry->set[k]);
			others->bits[k] |= set;
			lower->bits[k] |= i < own ? set : 0;
		}
	}
}

void
fg_entry_show(struct fg_board *board, unsigned entry, const struct fg_entry_look *look, uint64_t used, uint64_t lost)
{
	struct fg_board_entry *own = &board->entry[entry];
	fg_store_relaxed(&own->used, used);
	fg_store_relaxed(&own->lost, lost);
	fg_store_relaxed(&own->look, fg_entry_look_pack(look));
}

bool
fg_entry_limit(struct fg_board *board, unsigned entry, uint64_t word, unsigned pus)
{
	fg_store_relaxed(&board->entry[entry].limit, word << LIMIT_BITS | (uint16_t)pus);
	fg_add_release(&board->changes, 1);
	return fg_entry_is_own(board, entry, word);
}

unsigned
fg_entry_limit_of(struct fg_board *board, unsigned entry, uint64_t word, unsigned before)
{
	uint64_t limit = fg_load_relaxed(&board->entry[entry].limit);
	return limit >> LIMIT_BITS == word << LIMIT_BITS >> LIMIT_BITS ? (uint16_t)limit : before;
}

void
fg_entry_stamp(struct fg_board *board, unsigned entry, uint64_t stamp)
{
	fg_store_release(&board->entry[entry].stamp, stamp);
}

bool
fg_entry_has_of(struct fg_board *board, unsigned entry, const struct fg_cpuset *cpus)
{
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		if (fg_load_relaxed(&board->entry[entry].cpus[i]) & cpus->bits[i])
			return true;
	return false;
}

unsigned
fg_entry_read(struct fg_board *board, unsigned own, uint64_t now, const struct fg_cpuset *cpus,
	      struct fg_fair_entry *entries, unsigned *place, bool *others)
{
	unsigned n = 0, used = n_used(board);
	*place = 0;
	*others = false;
	for (unsigned i = 0; i < used; i++) {
		struct fg_board_entry *entry = &board->entry[i];
		if (i == own || !fg_load_relaxed(&entry->taken))
			continue;
		*others = true;
		if (!fg_entry_is_active(fg_load_acquire(&entry->stamp), now) || !fg_entry_has_of(board, i, cpus))
			continue;
		*place += i < own;
		entries[n++] = fg_entry_unpack(fg_load_relaxed(&entry->told));
	}
	/* The caller needs room for itself. A full board may be that of others, while it has no entry. */
	n = n < FG_BOARD_ENTRIES ? n : FG_BOARD_ENTRIES - 1;
	*place = *place < n ? *place : n;
	return n;
}

bool
fg_entry_is_unserved(struct fg_board *board, unsigned own, uint64_t now, const struct fg_cpuset *cpus)
{
	for (unsigned i = 0, used = n_used(board); i < used; i++) {
		struct fg_board_entry *entry = &board->entry[i];
		if (i != own && fg_load_relaxed(&entry->taken) && !(fg_load_relaxed(&entry->look) >> SERVED & 1) &&
		    fg_entry_is_active(fg_load_relaxed(&entry->stamp), now) && fg_entry_has_of(board, i, cpus))
			return true;
	}
	return false;
}
