/* Sampled uses (command): see sampled.h. Samples are sorted by region and block, so a block of joined lines is a range
 * of the list. */
#include "plan/sampled.h"
#include "plan/chance.h"
#include "plan/room.h"

#include <math.h>
#include <string.h>

#define WINDOW 2048
#define DEVIATIONS 3
#define GAP 64 /* times the median distance of samples: chance makes none that is larger */

struct range {
	size_t from, to; /* samples */
};

struct join {
	const struct fg_sample_use *list;
	struct range *blocks;
	size_t n, room;
	struct counts {
		uint64_t *of, all;
		double sum;
		unsigned kinds; /* that there are */
	} left, right;
	unsigned kinds; /* of accesses: reads and writes of each member */
};

void
fg_sampled_add(struct fg_sampled *sampled, unsigned region, unsigned member, uint64_t address, uint64_t units,
	       bool writes)
{
	if (sampled->n == FG_USES_MOST)
		return;
	if (sampled->n == sampled->room)
		sampled->list = fg_room_more(sampled->list, sampled->n, &sampled->room, 1024, sizeof *sampled->list);
	sampled->list[sampled->n++] = (struct fg_sample_use){.block = address / FG_USE_BLOCK,
							     .units = (uint32_t)units,
							     .region = (uint16_t)region,
							     .member = (uint16_t)member,
							     .writes = writes,
							     .half = fg_chance(&sampled->chance) & 1};
}

static int
by_block(const void *a, const void *b)
{
	const struct fg_sample_use *x = a, *y = b;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return (x->member > y->member) - (x->member < y->member);
}

static unsigned
kind_of(const struct fg_sample_use *one)
{
	return 2u * one->member + one->writes;
}

static uint64_t
span(const struct join *join, size_t from, size_t to)
{
	return join->list[to - 1].block - join->list[from].block + 1;
}

static double
x_log_x(uint64_t x)
{
	return x ? (double)x * log((double)x) : 0;
}

/* Logarithm of the likelihood of what was counted, if each sample is of a kind as often as the counts say: the sum of
 * x_log_x of the counts, less that of all. */
static void
count(const struct join *join, struct range range, struct counts *counts)
{
	memset(counts->of, 0, join->kinds * sizeof *counts->of);
	counts->all = range.to - range.from;
	counts->sum = 0;
	counts->kinds = 0;
	for (size_t i = range.from; i < range.to; i++)
		counts->kinds += !counts->of[kind_of(&join->list[i])]++;
	for (unsigned i = 0; i < join->kinds; i++)
		counts->sum += x_log_x(counts->of[i]);
}

static double
likelihood(const struct counts *counts)
{
	return counts->sum - x_log_x(counts->all);
}

/* One sample of that kind more, or less. */
static void
change(struct counts *counts, unsigned kind, bool more)
{
	uint64_t *of = &counts->of[kind];
	counts->sum -= x_log_x(*of);
	*of += more ? 1 : UINT64_MAX;
	counts->all += more ? 1 : UINT64_MAX;
	counts->sum += x_log_x(*of);
}

/* What a cut must gain, so that chance seldom makes one. Twice the gain at one place is as chi-square is, whose mean is
 * the number of kinds less one, and its variance twice as much. The logarithm is for the choice of the place. */
static double
price_of_cut(const struct counts *whole)
{
	double free = whole->kinds - 1;
	return 0.5 * (free + DEVIATIONS * sqrt(2 * free)) + log((double)whole->all);
}

/* Where the range falls apart best; its end: both parts would be alike as far as the counts tell. */
static size_t
best_cut(struct join *join, struct range range)
{
	size_t best = range.to;
	struct counts *left = &join->left, *right = &join->right;
	count(join, (struct range){range.from, range.from}, left);
	count(join, range, right);
	double whole = likelihood(right), most = price_of_cut(right);
	for (size_t i = range.from; i + FG_SAMPLED_LEAST < range.to; i++) {
		change(left, kind_of(&join->list[i]), true);
		change(right, kind_of(&join->list[i]), false);
		if (left->all < FG_SAMPLED_LEAST || join->list[i].block == join->list[i + 1].block)
			continue;
		double gain = likelihood(left) + likelihood(right) - whole;
		if (gain > most) {
			most = gain;
			best = i + 1;
		}
	}
	return best;
}

static void
push(struct join *join, struct range range)
{
	if (join->n == join->room)
		join->blocks = fg_room_more(join->blocks, join->n, &join->room, 64, sizeof *join->blocks);
	join->blocks[join->n++] = range;
}

static void
divide(struct join *join, struct range range)
{
	for (size_t cut; (cut = best_cut(join, range)) < range.to; range.from = cut)
		divide(join, (struct range){range.from, cut});
	push(join, range);
}

/* The last block before `at` and the first one behind it are one, if chance can have made them differ. */
static void
mend(struct join *join, size_t at)
{
	struct range *a = &join->blocks[at - 1], *b = &join->blocks[at], both = {a->from, b->to};
	count(join, *a, &join->left);
	count(join, *b, &join->right);
	double apart = likelihood(&join->left) + likelihood(&join->right);
	count(join, both, &join->left);
	if (apart - likelihood(&join->left) > price_of_cut(&join->left))
		return;
	*a = both;
	memmove(b, b + 1, (join->n - at - 1) * sizeof *b);
	join->n--;
}

/* The samples of one region. Windows keep the time short where blocks are many. */
static void
divide_region(struct join *join, struct range region)
{
	for (size_t from = region.from, to; from < region.to; from = to) {
		to = region.to - from < 2 * WINDOW ? region.to : from + WINDOW;
		while (to < region.to && join->list[to].block == join->list[to - 1].block)
			to++;
		size_t at = join->n;
		divide(join, (struct range){from, to});
		if (from > region.from)
			mend(join, at);
	}
}

static uint64_t
distance(const struct join *join, size_t sample)
{
	return join->list[sample].block - join->list[sample - 1].block;
}

static int
by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Farther apart than chance makes two samples: lines between two arrays are no part of the block. */
static uint64_t
too_far(const struct join *join, struct range block)
{
	size_t n = block.to - block.from - 1;
	uint64_t *distances = fg_room(n, sizeof *distances);
	for (size_t i = 0; i < n; i++)
		distances[i] = distance(join, block.from + i + 1);
	if (n > 1)
		qsort(distances, n, sizeof *distances, by_size);
	uint64_t median = n ? distances[n / 2] : 0;
	free(distances);
	return GAP * (median ? median : 1);
}

static size_t
end_of_run(const struct join *join, struct range block, size_t from, uint64_t far)
{
	size_t to = from + 1;
	while (to < block.to && distance(join, to) <= far)
		to++;
	return to;
}

static uint32_t
lines_of(const struct join *join, size_t from, size_t to)
{
	uint64_t lines = span(join, from, to);
	return lines < UINT32_MAX ? (uint32_t)lines : UINT32_MAX;
}

/* All lines of the block are used alike. */
static void
tell(struct join *join, struct range block, unsigned times, struct fg_uses *uses)
{
	uint64_t lines = 0, far = too_far(join, block), *units = join->left.of;
	memset(units, 0, join->kinds * sizeof *units);
	for (size_t i = block.from; i < block.to; i++)
		units[kind_of(&join->list[i])] += times * join->list[i].units;
	for (size_t from = block.from, to; from < block.to; from = to) {
		to = end_of_run(join, block, from, far);
		lines += lines_of(join, from, to);
	}
	for (size_t from = block.from, to; from < block.to; from = to) {
		to = end_of_run(join, block, from, far);
		for (unsigned i = 0; i < join->kinds; i++)
			if (units[i])
				fg_uses_spread(uses, join->list[from].region, i / 2, join->list[from].block,
					       lines_of(join, from, to), units[i] < lines ? 1 : units[i] / lines,
					       i % 2);
	}
}

/* Halves first, each in its order. */
static int
by_half(const void *a, const void *b)
{
	const struct fg_sample_use *x = a, *y = b;
	return x->half != y->half ? (x->half ? 1 : -1) : by_block(a, b);
}

void
fg_sampled_join(struct fg_sampled *sampled, unsigned members, enum fg_sampled_part part, struct fg_uses *uses)
{
	struct join join = {.list = sampled->list, .kinds = 2 * members};
	size_t n = sampled->n, first = 0;
	if (n)
		qsort(sampled->list, n, sizeof *sampled->list, part == FG_SAMPLED_ALL ? by_block : by_half);
	while (first < n && !sampled->list[first].half)
		first++;
	struct range all = {part == FG_SAMPLED_SECOND ? first : 0, part == FG_SAMPLED_FIRST ? first : n};
	join.left.of = fg_room(join.kinds, sizeof *join.left.of);
	join.right.of = fg_room(join.kinds, sizeof *join.right.of);
	for (size_t from = all.from, to; from < all.to; from = to) {
		for (to = from; to < all.to && sampled->list[to].region == sampled->list[from].region;)
			to++;
		divide_region(&join, (struct range){from, to});
	}
	for (size_t i = 0; i < join.n; i++)
		tell(&join, join.blocks[i], part == FG_SAMPLED_ALL ? 1 : 2, uses);
	free(join.blocks);
	free(join.left.of);
	free(join.right.of);
}

void
fg_sampled_free(struct fg_sampled *sampled)
{
	free(sampled->list);
	*sampled = (struct fg_sampled){0};
}
