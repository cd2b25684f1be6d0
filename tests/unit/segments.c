/* Segments: the price of the pieces against a second way to find the least one, blocks of nodes with strays, shared
 * areas, and where pieces end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "samples/points.h"
#include "samples/segments.h"

enum { MOST = 64, NODES = 16, GAP = 65536 };
static const double border = 3, mixed = 0.35; /* as the first comment of segments.h says */

static struct fg_segment_point points[FG_POINTS];
static struct fg_segment found[FG_POINTS];
static uint64_t chance = 1;

static unsigned
below(unsigned n)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return (unsigned)(chance >> 16) % n;
}

static double
price_of(unsigned first, unsigned n, int node)
{
	double price = 0;
	for (unsigned i = first; i < first + n; i++)
		price += node == FG_SEGMENT_SHARED ? mixed * (double)points[i].weight
			 : points[i].user == node  ? 0
						   : (double)points[i].weight;
	return price;
}

/* Of all ways to cut the first n points: each possible last piece, with each owner. */
static double
least(unsigned n, int nodes)
{
	double best[MOST + 1] = {-border};
	for (unsigned end = 1; end <= n; end++) {
		best[end] = INFINITY;
		for (unsigned begin = 0; begin < end; begin++)
			for (int node = FG_SEGMENT_SHARED; node < nodes; node++)
				best[end] = fmin(best[end], best[begin] + border + price_of(begin, end - begin, node));
	}
	return best[n];
}

static double
price_found(unsigned n)
{
	double price = border * (n - 1);
	for (unsigned i = 0; i < n; i++)
		price += price_of(found[i].first, found[i].n, found[i].node);
	return price;
}

/* The pieces are in order, within [start, end), and do not overlap. Each has its points. A point whose address two
 * pieces share is in either. */
static void
check_ranges(unsigned n, uintptr_t start, uintptr_t end)
{
	for (unsigned i = 0; i < n; i++) {
		const struct fg_segment *a = &found[i];
		assert_true(a->n > 0 && a->low <= a->high && a->low >= start && a->high <= end);
		if (i) {
			assert_true(a[-1].high <= a->low && a[-1].node != a->node);
			assert_int_equal(a[-1].first + a[-1].n, a->first);
		}
		bool twice = i + 1 < n && points[a->first + a->n - 1].address == points[a[1].first].address;
		assert_true(points[a->first].address >= a->low);
		assert_true(points[a->first + a->n - 1].address < a->high + twice);
	}
}

static unsigned
find(unsigned n, unsigned nodes, uintptr_t start, uintptr_t end)
{
	unsigned n_found = fg_segments_find(points, n, nodes, start, end, found, FG_POINTS);
	check_ranges(n_found, start, end);
	if (n_found)
		assert_true(found[0].first == 0 && found[n_found - 1].first + found[n_found - 1].n == n);
	return n_found;
}

/* Runs of one node, of several nodes, and some strays. Some addresses come twice, and gaps differ a lot. */
static void
scatter_points(unsigned n, unsigned nodes, uintptr_t start)
{
	uintptr_t at = start + below(GAP);
	unsigned run = 0, user = 0, gap = GAP;
	bool alone = true;
	for (unsigned i = 0; i < n; i++) {
		if (run == 0) {
			run = 1 + below(20);
			user = below(nodes);
			alone = below(4) != 0;
			gap = below(2) ? GAP : 64 * GAP;
		}
		run--;
		points[i] = (struct fg_segment_point){
			.address = at,
			.weight = (float)(1 + below(256)) / 256,
			.user = (unsigned char)(alone && below(8) ? user : below(nodes)),
		};
		if (below(8))
			at += 1 + below(2 * gap);
	}
}

static void
least_price(void **state)
{
	(void)state;
	for (unsigned turn = 0; turn < 3000; turn++) {
		unsigned n = 1 + below(MOST), nodes = 1 + below(6);
		uintptr_t start = (uintptr_t)1 << 40;
		scatter_points(n, nodes, start);
		uintptr_t end = points[n - 1].address + 1 + below(64 * GAP);
		double price = price_found(find(n, nodes, start, end)), best = least(n, (int)nodes);
		if (fabs(price - best) > 1e-3)
			fail_msg("turn %u: %u points of %u nodes cost %f, not %f", turn, n, nodes, price, best);
	}
}

/* Each block has `each` points, of which some per cent stray. Only `seen` of 8 parts of a block have points. */
static void
put_blocks(unsigned nodes, unsigned each, unsigned strays, uintptr_t start, unsigned seen)
{
	unsigned n = 0;
	for (unsigned node = 0; node < nodes; node++) {
		uintptr_t block = start + node * (each * (uintptr_t)GAP), gap = GAP * seen / 8;
		for (unsigned i = 0; i < each; i++) {
			bool stray = below(100) < strays;
			points[n++] = (struct fg_segment_point){
				.address = block + i * gap + below((unsigned)gap),
				.weight = 1,
				.user = (unsigned char)(stray ? (node + 1 + below(nodes - 1)) % nodes : node)};
		}
	}
}

/* Of all addresses, the part that went to the node of its block. */
static double
right(unsigned n, uintptr_t start, uintptr_t size)
{
	double sum = 0, all = 0;
	for (unsigned i = 0; i < n; i++) {
		uintptr_t low = start + (uintptr_t)found[i].node * size, high = low + size;
		low = found[i].low > low ? found[i].low : low;
		high = found[i].high < high ? found[i].high : high;
		all += (double)(found[i].high - found[i].low);
		sum += found[i].node >= 0 && low < high ? (double)(high - low) : 0;
	}
	return sum / all;
}

/* 10 to 400 points for each of 2 to 16 nodes. No point strays: each border is where it belongs, but for one gap. */
static void
blocks(void **state)
{
	(void)state;
	for (unsigned turn = 0; turn < 200; turn++) {
		unsigned nodes = 2 + below(NODES - 1), each = 10 + below(391);
		uintptr_t start = (uintptr_t)7 << 32, size = each * (uintptr_t)GAP;
		put_blocks(nodes, each, 0, start, 8);
		assert_int_equal(find(nodes * each, nodes, start, start + nodes * size), nodes);
		assert_true(found[0].low == start && found[nodes - 1].high == start + nodes * size);
		for (unsigned node = 0; node < nodes; node++) {
			assert_int_equal(found[node].node, node);
			if (node == 0)
				continue;
			uintptr_t low = found[node].low, truth = start + node * size;
			assert_true(found[node - 1].high == low);
			assert_true(low + GAP > truth && low < truth + GAP);
		}
	}
}

/* Up to 20% stray. Where many happen to stray close together, a piece may be shared, so parts of blocks may be lost. */
static void
strays(void **state)
{
	(void)state;
	double least_right = 1;
	for (unsigned turn = 0; turn < 400; turn++) {
		unsigned percent = 1 + below(20), nodes = 2 + below(NODES - 1), each = 80 + below(321);
		uintptr_t start = (uintptr_t)7 << 32, size = each * (uintptr_t)GAP;
		put_blocks(nodes, each, percent, start, 8);
		unsigned n = find(nodes * each, nodes, start, start + nodes * size);
		least_right = fmin(least_right, right(n, start, size));
	}
	print_message("with strays, at least %.3f of the addresses go to their node\n", least_right);
	assert_true(least_right > 0.9);
}

/* Of each block a part was sampled. What lies behind that belongs to no piece. */
static void
partly(void **state)
{
	(void)state;
	for (unsigned turn = 0; turn < 200; turn++) {
		unsigned nodes = 2 + below(NODES - 1), each = 20 + below(381), seen = 2 + below(5);
		uintptr_t start = (uintptr_t)7 << 32, size = each * (uintptr_t)GAP, gap = GAP * seen / 8;
		put_blocks(nodes, each, 0, start, seen);
		assert_int_equal(find(nodes * each, nodes, start, start + nodes * size), nodes);
		for (unsigned node = 0; node < nodes; node++) {
			uintptr_t begins = start + node * size, ends = begins + size * seen / 8;
			assert_int_equal(found[node].node, node);
			assert_true(found[node].low + 2 * gap > begins && found[node].low < begins + gap);
			assert_true(found[node].high + gap > ends && found[node].high < ends + 2 * gap);
		}
	}
}

/* All nodes use an area alike, and one node uses what lies on both sides. */
static void
shared(void **state)
{
	(void)state;
	for (unsigned turn = 0; turn < 100; turn++) {
		unsigned nodes = 2 + below(NODES - 1), n = 300;
		for (unsigned i = 0; i < n; i++)
			points[i] =
				(struct fg_segment_point){.address = GAP * (uintptr_t)(i + 1),
							  .weight = 1,
							  .user = (unsigned char)(i < 100 || i >= 200 ? 1 : i % nodes)};
		assert_int_equal(find(n, nodes, 0, GAP * (uintptr_t)(n + 1)), 3);
		assert_int_equal(found[0].node, 1);
		assert_int_equal(found[1].node, FG_SEGMENT_SHARED);
		assert_int_equal(found[2].node, 1);
		assert_true(found[1].low > GAP * 98 && found[1].low < GAP * 103);
		assert_true(found[1].high > GAP * 198 && found[1].high < GAP * 203);
	}
}

/* Blocks of `each` points that agree, one after the other. */
static unsigned
found_of(unsigned each)
{
	put_blocks(8, each, 0, GAP, 8);
	return find(8 * each, 8, GAP, GAP + 8 * each * (uintptr_t)GAP);
}

static void
smallest(void **state)
{
	(void)state;
	assert_int_equal(found_of(9), 8);
	assert_int_equal(found_of(7), 1);
	assert_int_equal(found[0].node, FG_SEGMENT_SHARED);
}

/* One node's points lie close together, those of the next one far apart: it takes none of the first one's. */
static void
uneven(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 80; i++)
		points[i] = (struct fg_segment_point){.address = i < 40 ? 4096 * (i + 100)
									: 4096 * 150 + (uintptr_t)64 * GAP * (i - 40),
						      .weight = 1,
						      .user = i >= 40};
	assert_int_equal(find(80, 2, 0, (uintptr_t)1 << 40), 2);
	assert_true(found[0].high > points[39].address && found[1].low <= points[40].address);
	for (unsigned i = 0; i < 80; i++) /* and the other way round */
		points[i] = (struct fg_segment_point){.address = i < 40 ? (uintptr_t)64 * GAP * i
									: (uintptr_t)64 * GAP * 39 + 4096 * (i - 38),
						      .weight = 1,
						      .user = i >= 40};
	assert_int_equal(find(80, 2, 0, (uintptr_t)1 << 40), 2);
	assert_true(found[0].high > points[39].address && found[1].low <= points[40].address);
	assert_true(found[1].high < points[79].address + GAP);
}

/* A piece ends half a gap behind its last point. */
static void
half_a_gap(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++)
		points[i] = (struct fg_segment_point){.address = GAP * (uintptr_t)(1000 + i), .weight = 1};
	assert_int_equal(find(40, 2, 0, GAP * (uintptr_t)2000), 1);
	assert_int_equal(found[0].low, GAP * (uintptr_t)1000 - GAP / 2);
	assert_int_equal(found[0].high, GAP * (uintptr_t)1039 + GAP / 2 + 1);
}

/* No room: the first pieces are left out. The most points, of the most nodes. */
static void
limits(void **state)
{
	(void)state;
	put_blocks(8, 100, 0, GAP, 8);
	uintptr_t end = GAP + 800 * (uintptr_t)GAP;
	assert_int_equal(fg_segments_find(points, 800, 8, 0, end, found, 3), 3);
	check_ranges(3, 0, end);
	for (int i = 0; i < 3; i++)
		assert_int_equal(found[i].node, 5 + i);
	assert_int_equal(find(0, 8, 0, end), 0);
	put_blocks(1, 1, 0, GAP, 8);
	assert_int_equal(find(1, 8, points[0].address, points[0].address + 1), 1);
	put_blocks(62, FG_POINTS / 62, 0, GAP, 8);
	assert_int_equal(find(FG_POINTS / 62 * 62, 62, 0, UINTPTR_MAX), 62);
	assert_int_equal(found[61].node, 61);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_price), cmocka_unit_test(blocks),     cmocka_unit_test(strays),
		cmocka_unit_test(partly),      cmocka_unit_test(shared),     cmocka_unit_test(smallest),
		cmocka_unit_test(uneven),      cmocka_unit_test(half_a_gap), cmocka_unit_test(limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
