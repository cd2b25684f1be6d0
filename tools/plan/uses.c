/* Uses (command): see uses.h. The table is at most half full. */
#include "plan/uses.h"
#include "plan/room.h"

#include <string.h>

static uint32_t
hash_of(const struct fg_use *use)
{
	uint64_t hash = use->block * UINT64_C(0x9e3779b97f4a7c15) ^ use->n * UINT64_C(0xc2b2ae3d27d4eb4f) ^
			(uint64_t)use->region << 40 ^ (uint64_t)use->member << 20;
	return (uint32_t)(hash * UINT64_C(0xff51afd7ed558ccd) >> 32);
}

static bool
is_same(const struct fg_use *a, const struct fg_use *b)
{
	return a->block == b->block && a->n == b->n && a->region == b->region && a->member == b->member;
}

/* The list is read only where the hash is that of the use. */
static struct fg_use_place *
place_of(const struct fg_uses *uses, const struct fg_use *use, uint32_t hash)
{
	size_t i = hash & uses->mask;
	while (uses->table[i].at &&
	       (uses->table[i].hash != hash || !use || !is_same(&uses->list[uses->table[i].at - 1], use)))
		i = (i + 1) & uses->mask;
	return &uses->table[i];
}

static void
grow(struct fg_uses *uses)
{
	size_t before = uses->table ? uses->mask + 1 : 0;
	struct fg_use_place *table = uses->table;
	uses->list = fg_room_more(uses->list, uses->n, &uses->room, 1024, sizeof *uses->list);
	uses->mask = 2 * uses->room - 1;
	uses->table = fg_room(2 * uses->room, sizeof *uses->table);
	for (size_t i = 0; i < before; i++)
		if (table[i].at)
			*place_of(uses, NULL, table[i].hash) = table[i];
	free(table);
}

static void
count(uint32_t *counter, uint64_t more)
{
	*counter = more > UINT32_MAX - *counter ? UINT32_MAX : *counter + (uint32_t)more;
}

static void
add(struct fg_uses *uses, struct fg_use use, uint64_t units, bool writes)
{
	if (uses->n == uses->room && uses->room < FG_USES_MOST)
		grow(uses);
	uint32_t hash = hash_of(&use);
	struct fg_use_place *place = place_of(uses, &use, hash);
	if (!place->at) {
		if (uses->n == FG_USES_MOST) {
			uses->lost += use.n * units * FG_USE_UNIT;
			return;
		}
		uses->list[uses->n] = use;
		*place = (struct fg_use_place){(uint32_t)++uses->n, hash};
	}
	struct fg_use *there = &uses->list[place->at - 1];
	count(writes ? &there->writes : &there->reads, units);
}

/* The parts of blocks at both ends have fewer units than the whole blocks between them. */
void
fg_uses_add(struct fg_uses *uses, unsigned region, unsigned member, uint64_t address, uint64_t bytes, bool writes)
{
	uint64_t last = UINT64_MAX / FG_USE_BLOCK * FG_USE_BLOCK, end = last; /* the last block would end at 0 */
	if (address < last && bytes < last - address)
		end = address + bytes;
	while (address < end) {
		uint64_t block = address / FG_USE_BLOCK, inner = (block + 1) * FG_USE_BLOCK, n = 1;
		if (address % FG_USE_BLOCK == 0 && end - address >= FG_USE_BLOCK) {
			n = (end - address) / FG_USE_BLOCK;
			n = n < UINT32_MAX ? n : UINT32_MAX;
			inner = (block + n) * FG_USE_BLOCK;
		}
		uint64_t next = inner < end ? inner : end;
		add(uses, (struct fg_use){block, (uint32_t)n, 0, 0, (uint16_t)region, (uint16_t)member},
		    ((next - address) / n + FG_USE_UNIT - 1) / FG_USE_UNIT, writes);
		address = next;
	}
}

void
fg_uses_count(struct fg_uses *uses, unsigned region, unsigned member, uint64_t address, uint64_t units, bool writes)
{
	add(uses, (struct fg_use){address / FG_USE_BLOCK, 1, 0, 0, (uint16_t)region, (uint16_t)member}, units, writes);
}

void
fg_uses_spread(struct fg_uses *uses, unsigned region, unsigned member, uint64_t block, uint32_t n, uint64_t units,
	       bool writes)
{
	add(uses, (struct fg_use){block, n, 0, 0, (uint16_t)region, (uint16_t)member}, units, writes);
}

static int
by_block(const void *a, const void *b)
{
	const struct fg_use *x = a, *y = b;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

void
fg_uses_sort(struct fg_uses *uses)
{
	free(uses->table);
	uses->table = NULL;
	if (uses->n)
		qsort(uses->list, uses->n, sizeof *uses->list, by_block);
}

static size_t
first_of(const struct fg_uses *uses, unsigned region)
{
	size_t low = 0, high = uses->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (uses->list[middle].region < region)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct fg_use *
fg_uses_of(const struct fg_uses *uses, unsigned region, size_t *n)
{
	size_t first = first_of(uses, region);
	*n = first_of(uses, region + 1) - first;
	return uses->list + first;
}

/* Blocks of one member in one region, up to `end`, of which all before it are told. */
struct reader {
	const struct fg_use *next, *last;
	uint64_t from, end;
};

/* The next blocks that hang together, and that were not told. False: there are no more. */
static bool
read_on(struct reader *reader, unsigned member)
{
	uint64_t done = reader->end;
	reader->from = reader->end = done;
	for (; reader->next < reader->last; reader->next++) {
		const struct fg_use *use = reader->next;
		uint64_t end = use->block + use->n;
		if (use->member != member || end <= done)
			continue;
		if (reader->end > done && use->block > reader->end)
			break;
		if (reader->end == done)
			reader->from = use->block > done ? use->block : done;
		reader->end = end > reader->end ? end : reader->end;
	}
	return reader->end > done;
}

static double
common(struct reader a, struct reader b, unsigned member)
{
	double sum = 0;
	bool more = read_on(&a, member) && read_on(&b, member);
	while (more) {
		uint64_t from = a.from > b.from ? a.from : b.from, end = a.end < b.end ? a.end : b.end;
		sum += end > from ? (double)(end - from) : 0;
		more = read_on(a.end < b.end ? &a : &b, member);
	}
	return sum;
}

static int
by_member(const void *a, const void *b)
{
	const struct fg_use *x = a, *y = b;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

static struct fg_use *
copy_by_member(const struct fg_uses *uses, unsigned region, size_t *n)
{
	const struct fg_use *first = fg_uses_of(uses, region, n);
	struct fg_use *copy = fg_room(*n, sizeof *copy);
	if (*n) {
		memcpy(copy, first, *n * sizeof *copy);
		qsort(copy, *n, sizeof *copy, by_member);
	}
	return copy;
}

static struct reader
of_member(const struct fg_use *list, size_t n, size_t *at, unsigned member)
{
	size_t first = *at;
	while (*at < n && list[*at].member == member)
		++*at;
	return (struct reader){.next = list + first, .last = list + *at};
}

void
fg_uses_common(const struct fg_uses *uses, unsigned a, unsigned b, unsigned members, double *blocks)
{
	size_t n_a, n_b, at_a = 0, at_b = 0;
	struct fg_use *of_a = copy_by_member(uses, a, &n_a), *of_b = copy_by_member(uses, b, &n_b);
	for (unsigned member = 0; member < members; member++)
		blocks[member] =
			common(of_member(of_a, n_a, &at_a, member), of_member(of_b, n_b, &at_b, member), member);
	free(of_a);
	free(of_b);
}

void
fg_uses_free(struct fg_uses *uses)
{
	free(uses->list);
	free(uses->table);
	*uses = (struct fg_uses){0};
}
