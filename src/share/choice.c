/* Choice (floor: share): see choice.h. */
#include "share/choice.h"

#include <assert.h>

/* A choice in the making. */
struct making {
	const struct fg_distances *distances;
	unsigned own_pu;
	struct fg_pus free; /* and not in the reply yet */
	uint16_t *reply;
	unsigned got;
	unsigned fewer, more; /* the reply may have so many fewer or more than wanted */
};

/* The bits first ... last - 1 of word number `word`. */
static uint64_t
mask(unsigned word, unsigned first, unsigned last)
{
	uint64_t from = word == first / 64 ? ~UINT64_C(0) << first % 64 : ~UINT64_C(0);
	return word == (last - 1) / 64 ? from & ~UINT64_C(0) >> (63 - (last - 1) % 64) : from;
}

static unsigned
count(const struct fg_pus *pus, unsigned first, unsigned n)
{
	unsigned found = 0;
	for (unsigned word = first / 64; word <= (first + n - 1) / 64; word++)
		found += (unsigned)__builtin_popcountll(pus->bits[word] & mask(word, first, first + n));
	return found;
}

static unsigned
free_in(const struct making *making, const struct fg_level *level)
{
	return count(&making->free, level->first_pu, level->n_pus);
}

/* Takes free PUs of the level, at most so many, the first ones first. */
static void
take(struct making *making, const struct fg_level *level, unsigned most)
{
	unsigned first = level->first_pu, last = first + level->n_pus;
	for (unsigned word = first / 64; word <= (last - 1) / 64; word++)
		for (uint64_t here = making->free.bits[word] & mask(word, first, last); here && most; most--) {
			uint64_t lowest = here & -here;
			making->reply[making->got++] = (uint16_t)(word * 64 + (unsigned)__builtin_ctzll(lowest));
			making->free.bits[word] &= ~lowest;
			here &= ~lowest;
		}
}

/* ---- simple ---- */

/* It is small, because many lie on the stack. */
struct piece {
	uint16_t level, distance; /* the level's number */
};

/* The nodes below the level that do not contain the own PU, the nearest first. `n` are there already. */
static unsigned
add_nodes(const struct making *making, const struct fg_level *level, struct piece *pieces, unsigned n)
{
	if (level->first_pu <= making->own_pu && making->own_pu < level->first_pu + level->n_pus) {
		if (fg_distance_is_even(making->distances, level))
			return n;
	} else if (fg_distance_is_even(making->distances, level)) {
		struct piece piece = {(uint16_t)level->number,
				      (uint16_t)fg_distance_to(making->distances, making->own_pu, level)};
		unsigned i = n;
		assert(n < FG_DISTANCE_NODES);
		for (; i > 0 && pieces[i - 1].distance > piece.distance; i--)
			pieces[i] = pieces[i - 1];
		pieces[i] = piece;
		return n + 1;
	}
	for (unsigned i = 0; i < level->n_children; i++)
		n = add_nodes(making, level->children[i], pieces, n);
	return n;
}

/* From level to level upwards, then from node to node. */
static void
take_nearest(struct making *making, unsigned wanted)
{
	const struct fg_level *level = making->distances->machine->pus[making->own_pu];
	struct piece pieces[FG_DISTANCE_NODES];
	for (; making->got < wanted && level->parent && fg_distance_is_even(making->distances, level->parent);
	     level = level->parent)
		take(making, level->parent, wanted - making->got);
	if (making->got == wanted || !level->parent)
		return;
	unsigned n = add_nodes(making, making->distances->machine->root, pieces, 0);
	for (unsigned i = 0; i < n && making->got < wanted; i++)
		take(making, making->distances->machine->levels[pieces[i].level], wanted - making->got);
}

/* ---- clustering ---- */

/* The rules, the best first. */
enum rule { FITS, IN_USE, EMPTY, SMALL, NONE };

struct candidate {
	const struct fg_level *set;
	enum rule rule;
	unsigned off, distance; /* the fewer the better */
};

static enum rule
rule_of(const struct making *making, const struct fg_level *set, unsigned free, unsigned wanted)
{
	if (free == 0)
		return NONE;
	if (free + making->fewer >= wanted && free <= wanted + making->more)
		return FITS;
	return free == set->n_pus ? EMPTY : free > wanted ? IN_USE : SMALL;
}

static bool
is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->rule != b->rule)
		return a->rule < b->rule;
	return a->off != b->off ? a->off < b->off : a->distance < b->distance;
}

/* The best set within the level. */
static struct candidate
best_in(const struct making *making, const struct fg_level *level, unsigned wanted)
{
	struct candidate best = {.rule = NONE};
	for (unsigned i = 0; i < level->n_children; i++) {
		struct candidate set = {.set = level->children[i]};
		unsigned free = free_in(making, set.set);
		set.rule = rule_of(making, set.set, free, wanted);
		if (set.rule > best.rule || set.rule == NONE)
			continue;
		if (set.rule == FITS)
			set.off = free > wanted ? free - wanted : wanted - free;
		else if (set.rule == SMALL)
			set.off = wanted - free;
		set.distance = fg_distance_to(making->distances, making->own_pu, set.set);
		if (best.rule == NONE || is_better(&set, &best))
			best = set;
	}
	return best;
}

/* `wanted` PUs come from sets within the level, which has more. */
static void
take_within(struct making *making, const struct fg_level *level, unsigned wanted)
{
	unsigned end = making->got + wanted;
	while (making->got + making->fewer < end) {
		if (level->n_children == level->n_pus) {
			take(making, level, end - making->got);
			return;
		}
		unsigned rest = end - making->got;
		struct candidate best = best_in(making, level, rest);
		assert(best.rule != NONE);
		if (best.rule == IN_USE || (best.rule == EMPTY && best.set->n_pus > rest)) {
			level = best.set;
			continue;
		}
		take(making, best.set, best.set->n_pus);
		if (best.rule == FITS)
			return;
	}
}

/* From set to set upwards, as long as all free PUs are wanted. Some more are taken of the smallest set only: of a
 * larger one fewer of its sets may do. */
static void
take_clustered(struct making *making, unsigned wanted)
{
	const struct fg_level *level = making->distances->machine->pus[making->own_pu]->parent;
	for (; level && making->got + making->fewer < wanted; level = level->parent) {
		unsigned more = level->n_children == level->n_pus ? making->more : 0;
		if (making->got + free_in(making, level) > wanted + more) {
			take_within(making, level, wanted - making->got);
			return;
		}
		take(making, level, level->n_pus);
	}
}

/* ---- requests ---- */

static unsigned
within(unsigned number, unsigned most)
{
	return number == 0 ? 1 : number < most ? number : most;
}

unsigned
fg_choice_wanted(const struct fg_request *request, unsigned free, unsigned pus)
{
	unsigned largest = within(request->largest, pus), optimal = within(request->optimal, largest);
	return optimal + (2 * free * (largest - optimal) + pus) / (2 * pus);
}

unsigned
fg_choice_free(const struct fg_distances *distances, const struct fg_pus *taken, unsigned own_pu)
{
	unsigned pus = distances->machine->n_pus;
	return pus - count(taken, 0, pus) + fg_pus_has(taken, own_pu);
}

/* Of 2 it is none: half of these must not go. */
static unsigned
quarter(unsigned number)
{
	return (number + 1) / 4;
}

unsigned
fg_choice_make(enum fg_choice choice, const struct fg_distances *distances, const struct fg_pus *taken,
	       const struct fg_request *request, unsigned wanted, uint16_t *reply)
{
	unsigned pus = distances->machine->n_pus, largest = within(request->largest, pus);
	struct making making = {.distances = distances, .own_pu = request->pu, .reply = reply};
	assert(pus <= FG_CHOICE_PUS && request->pu < pus);
	wanted = within(wanted, pus);
	if (request->queue && fg_choice_free(distances, taken, request->pu) < wanted)
		return 0;
	for (unsigned word = 0; word <= (pus - 1) / 64; word++)
		making.free.bits[word] = ~taken->bits[word] & mask(word, 0, pus);
	fg_pus_remove(&making.free, request->pu);
	reply[making.got++] = (uint16_t)request->pu;
	if (choice == FG_CHOICE_ENHANCED) {
		making.fewer = quarter(wanted);
		if (largest > wanted)
			making.more = making.fewer < largest - wanted ? making.fewer : largest - wanted;
	}
	if (choice == FG_CHOICE_SIMPLE)
		take_nearest(&making, wanted);
	else
		take_clustered(&making, wanted);
	return making.got;
}
