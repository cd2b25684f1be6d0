/* The layouts that `forestgomp pin` tries. */
#include "pin.h"
#include <stdlib.h>
#include <string.h>

/* How a list of members is dealt over a level: `block` neighbours stay together, as long as there is room. */
struct deal {
	unsigned block; /* at least the number of members: each part is filled before the next */
	bool one_a_core;
	uint16_t *pu;
};

static unsigned
room_of(const struct deal *deal, const struct fg_level *level)
{
	if (deal->one_a_core && fg_level_is(level, FG_CORE))
		return 1;
	unsigned room = 0;
	for (unsigned i = 0; i < level->n_children; i++)
		room += room_of(deal, level->children[i]);
	return level->n_children ? room : 1;
}

static void
deal_over(const struct deal *deal, const struct fg_level *level, const unsigned *members, unsigned n)
{
	if (!n)
		return;
	if (!level->n_children || n == 1) { /* one alone sits on the first PU */
		for (unsigned k = 0; k < n; k++)
			deal->pu[members[k]] = (uint16_t)(level->first_pu + k);
		return;
	}
	unsigned parts = level->n_children, next = 0, *list = calloc((size_t)parts * n, sizeof *list),
		 *of = calloc(parts, sizeof *of);
	for (unsigned done = 0, taken; list && of && done < n; next = (next + 1) % parts) {
		unsigned room = room_of(deal, level->children[next]) - of[next];
		taken = deal->block < n - done ? deal->block : n - done;
		taken = taken < room ? taken : room;
		memcpy(list + (size_t)next * n + of[next], members + done, taken * sizeof *members);
		of[next] += taken;
		done += taken;
	}
	for (unsigned i = 0; list && of && i < parts; i++)
		deal_over(deal, level->children[i], list + (size_t)i * n, of[i]);
	free(list);
	free(of);
}

/* Two layouts are alike if each two members are as near to each other in both. */
static bool
is_alike(const struct fg_machine *machine, const uint16_t *a, const uint16_t *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			if (fg_level_common(machine->pus[a[i]], machine->pus[a[k]])->depth !=
			    fg_level_common(machine->pus[b[i]], machine->pus[b[k]])->depth)
				return false;
	return true;
}

bool
pin_has_alike(const struct pin *pin, const uint16_t *pu)
{
	for (unsigned i = 1; i < pin->n; i++)
		if (!pin->candidate[i].by_region && is_alike(pin->tree, pin->candidate[i].pu, pu, pin->threads))
			return true;
	return false;
}

static void
add(struct pin *pin, const char *name, unsigned block, bool one_a_core)
{
	struct deal deal = {.block = block, .one_a_core = one_a_core};
	if (pin->n >= PIN_CANDIDATES - 5 || room_of(&deal, pin->tree->root) < pin->threads)
		return;
	unsigned *members = calloc(pin->threads, sizeof *members);
	deal.pu = calloc(pin->threads, sizeof *deal.pu);
	for (unsigned k = 0; members && k < pin->threads; k++)
		members[k] = k;
	bool made = members && deal.pu;
	if (made)
		deal_over(&deal, pin->tree->root, members, pin->threads);
	made = made && !pin_has_alike(pin, deal.pu);
	free(members);
	if (!made) {
		free(deal.pu);
		return;
	}
	struct pin_candidate *candidate = &pin->candidate[pin->n++];
	candidate->pinned = true;
	candidate->size = pin->threads;
	candidate->pu = deal.pu;
	snprintf(candidate->name, sizeof candidate->name, "%s", name);
}

void
pin_candidates_add(struct pin *pin)
{
	char name[32];
	add(pin, "compact", pin->threads, false);
	add(pin, "scatter", 1, false);
	add(pin, "compact, by cores", pin->threads, true);
	for (unsigned block = 2; block < pin->threads; block *= 2) {
		snprintf(name, sizeof name, "scatter by %u", block);
		add(pin, name, block, false);
	}
}

char *
pin_places(const struct pin *pin, const struct pin_candidate *candidate)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	for (unsigned k = 0; file && k < candidate->size; k++)
		fprintf(file, "%s{%u}", k ? "," : "", pin->tree->pus[candidate->pu[k]]->os_index);
	return file && fclose(file) == 0 ? text : NULL;
}

bool
pin_same_pus(const struct pin_candidate *a, const struct pin_candidate *b)
{
	if (a->pu[0] != b->pu[0])
		return false;
	for (unsigned k = 0, i; k < a->size; k++) {
		for (i = 0; i < b->size && b->pu[i] != a->pu[k]; i++)
			;
		if (i == b->size)
			return false;
	}
	return true;
}

#define WORTH 0.98 /* a region has a layout of its own if that takes so much less than the one for all */

static double
time_of(const struct pin *pin, unsigned region, unsigned candidate)
{
	const struct pin_region *one = &pin->region[region];
	return one->size == pin->threads && one->name[0] ? one->time[candidate] : 0;
}

/* One that has one layout for all regions, and that can go together with another. */
static bool
is_single(const struct pin *pin, unsigned candidate)
{
	return !pin->candidate[candidate].by_region;
}

/* The time of all regions, each with the better one of the two. A region that one of the two did not meet has the time
 * of the other. */
static double
sum_of(const struct pin *pin, unsigned a, unsigned b)
{
	double sum = 0;
	for (unsigned r = 0; r < pin->n_regions; r++) {
		double with_a = time_of(pin, r, a), with_b = time_of(pin, r, b);
		sum += with_b > 0 && (with_b < with_a || with_a <= 0) ? with_b : with_a;
	}
	return sum;
}

/* Adds a combination of the layouts below n that `allowed` has. Returns the sum of its regions' times; 0: it has one
 * layout only. */
static double
combine(struct pin *pin, const char *name, unsigned rest, unsigned n, uint32_t allowed)
{
	struct pin_candidate *all = &pin->candidate[rest],
			     combined = {.pinned = true, .by_region = true, .size = all->size, .pu = all->pu};
	double sum = 0;
	bool different = false;
	if (pin->n >= PIN_CANDIDATES - 1)
		return 0;
	for (unsigned r = 0; r < pin->n_regions; r++) {
		double before = time_of(pin, r, rest), best = WORTH * before;
		for (unsigned i = 1; i < n; i++) {
			double time = time_of(pin, r, i);
			if (!(allowed >> i & 1) || !is_single(pin, i) || time <= 0 || time >= best ||
			    !pin_same_pus(all, &pin->candidate[i]))
				continue;
			best = time;
			combined.of_region[r] = pin->candidate[i].pu;
			different = true;
		}
		sum += combined.of_region[r] ? best : before;
	}
	if (!different)
		return 0;
	snprintf(combined.name, sizeof combined.name, "%s", name);
	pin->candidate[pin->n++] = combined;
	return sum;
}

/* Moves between regions cost, and the sums do not tell. So two layouts are tried even where more would be better. */
void
pin_candidates_combine(struct pin *pin)
{
	unsigned n = pin->n, a = 1, b = 1, before = pin->n;
	for (unsigned i = 1; i < n; i++)
		for (unsigned k = 1; k < n; k++)
			if (is_single(pin, i) && is_single(pin, k) && sum_of(pin, i, k) < WORTH * sum_of(pin, a, b) &&
			    (i == k || pin_same_pus(&pin->candidate[i], &pin->candidate[k])))
				a = i, b = k;
	if (n < 3 || a == b)
		return;
	unsigned rest = sum_of(pin, a, a) <= sum_of(pin, b, b) ? a : b;
	double two = combine(pin, "by region, two", rest, n, 1u << a | 1u << b);
	if (two > 0 && combine(pin, "by region", rest, n, UINT32_MAX) >= WORTH * two && pin->n > before + 1)
		pin->n--;
}
