/* Shares of PUs: their sum, their order, weights, the least; and how a demand rises and falls. */
#include "share/fair.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 252
#define W FG_FAIR_WEIGHT

static unsigned
share(unsigned pus, const struct fg_fair_entry *entries, unsigned n, unsigned own)
{
	return fg_fair_share(pus, 0, entries, n, own);
}

static void
expect(unsigned pus, const struct fg_fair_entry *entries, unsigned n, const unsigned *shares)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(share(pus, entries, n, i), shares[i]);
}

static void
alone(void **state)
{
	for (unsigned pus = 1; pus < 70; pus++) {
		struct fg_fair_entry entry = {pus * 1000, W}, small = {50, W}, huge = {1024000, FG_FAIR_HEAVIEST};
		assert_int_equal(share(pus, &entry, 1, 0), pus);
		assert_int_equal(share(pus, &small, 1, 0), pus);
		assert_int_equal(share(pus, &huge, 1, 0), pus);
	}
}

static void
equal(void **state)
{
	struct fg_fair_entry entries[4] = {{8000, W}, {8000, W}, {8000, W}, {8000, W}};
	expect(8, entries, 2, (unsigned[]){4, 4});
	expect(8, entries, 3, (unsigned[]){3, 3, 2}); /* the first entries have what is left */
	expect(8, entries, 4, (unsigned[]){2, 2, 2, 2});
	expect(2, entries, 4, (unsigned[]){1, 1, 1, 1}); /* nobody has less than one */
	expect(1, entries, 2, (unsigned[]){1, 1});
}

/* One that uses a twentieth of a PU costs the others no whole PU. */
static void
small(void **state)
{
	struct fg_fair_entry one[2] = {{2000, W}, {50, W}}, many[4] = {{8000, W}, {200, W}, {200, W}, {200, W}},
			     half[3] = {{8000, W}, {450, W}, {450, W}};
	expect(2, one, 2, (unsigned[]){2, 1});
	expect(8, many, 2, (unsigned[]){8, 1});
	assert_int_equal(share(8, many, 4, 0), 7); /* three of them use more than half a PU */
	assert_int_equal(share(8, half, 3, 0), 7);
	struct fg_fair_entry two[3] = {{100, W}, {2000, W}, {2000, W}};
	expect(2, two, 3, (unsigned[]){1, 1, 1}); /* the small one leaves nothing for a second PU */
}

/* What nobody wants each may use: their demands will tell. */
static void
unwanted(void **state)
{
	struct fg_fair_entry entries[2] = {{2000, W}, {3000, W}}, nearly[2] = {{8000, W}, {3000, W}};
	expect(8, entries, 2, (unsigned[]){5, 6});
	expect(8, nearly, 2, (unsigned[]){5, 3});
}

static void
weights(void **state)
{
	struct fg_fair_entry entries[3] = {{8000, W}, {8000, 3 * W}, {8000, W}}, nice[2] = {{8000, 15}, {8000, W}},
			     half[2] = {{8000, W}, {8000, W / 2}}, several[3] = {{8000, 15}, {8000, 15}, {8000, W}};
	expect(8, entries, 2, (unsigned[]){2, 6});
	expect(10, entries, 3, (unsigned[]){2, 6, 2});
	/* The kernel gives the thread at nice 19 a sixtieth of a PU, so it takes none from the other program. */
	expect(8, nice, 2, (unsigned[]){1, 8});
	expect(2, nice, 2, (unsigned[]){1, 2});
	expect(2, half, 2, (unsigned[]){1, 1});
	expect(4, several, 3, (unsigned[]){1, 1, 4});
	assert_int_equal(fg_fair_weight(0), 1024);
	assert_in_range(fg_fair_weight(19), 12, 18); /* the kernel's table has 15 */
	assert_in_range(fg_fair_weight(-20), 80000, FG_FAIR_HEAVIEST);
	for (int i = -20; i < 19; i++)
		assert_true(fg_fair_weight(i) > fg_fair_weight(i + 1));
	assert_int_equal(fg_fair_weight(1000), FG_FAIR_LIGHTEST);
	assert_int_equal(fg_fair_weight(-1000), FG_FAIR_HEAVIEST);
}

static void
outside(void **state)
{
	struct fg_fair_entry entries[2] = {{8000, W}, {8000, W}};
	assert_int_equal(fg_fair_share(8, 4000, entries, 2, 0), 2);
	assert_int_equal(fg_fair_share(8, 100, entries, 2, 1), 4);
	assert_int_equal(fg_fair_share(8, 4000000, entries, 2, 0), 1);
}

/* All programs see the same words: where all want all PUs, these are dealt out exactly. But those whose part by weight
 * is less than a PU have one, and share it. */
static void
laws(void **state)
{
	struct fg_fair_entry entries[MOST];
	srand(1);
	for (unsigned round = 0; round < 3000; round++) {
		unsigned n = 1 + (unsigned)rand() % 12, pus = 1 + (unsigned)rand() % 40, sum = 0, wanted = 0, light = 0;
		uint64_t weights = 0;
		bool eager = rand() % 2;
		for (unsigned i = 0; i < n; i++) {
			entries[i].demand = eager ? pus * 1000 : (uint32_t)rand() % (pus * 1000 + 1);
			entries[i].weight = rand() % 2 ? W : FG_FAIR_LIGHTEST + (uint32_t)rand() % 5000;
			wanted += entries[i].demand;
			weights += entries[i].weight;
		}
		for (unsigned i = 0; i < n; i++)
			light += (uint64_t)pus * entries[i].weight < weights;
		for (unsigned i = 0; i < n; i++) {
			unsigned mine = share(pus, entries, n, i);
			assert_in_range(mine, 1, pus);
			sum += mine;
			for (unsigned k = 0; eager && k < n; k++) /* who weighs more has no less */
				if (entries[k].weight > entries[i].weight)
					assert_true(share(pus, entries, n, k) >= mine);
		}
		if (eager)
			assert_in_range(sum, n > pus ? n : pus, pus + light);
		else if (wanted >= pus * 1000 && !light)
			assert_true(sum <= pus + n); /* a program that uses less than one PU counts for what it uses */
	}
}

/* The rule itself: PU after PU to the entry that has least for its weight, of those that want one more. */
static unsigned
dealt_one_by_one(unsigned pus, unsigned outside, const struct fg_fair_entry *entries, unsigned n, unsigned own)
{
	static uint64_t got[MOST];
	int64_t there = (int64_t)pus * 1000 - outside, weights = 0, left;
	left = there = there > 0 ? there : 0;
	bool enough[MOST] = {false}, changed = true;
	for (unsigned i = 0; i < n; i++)
		weights += entries[i].weight;
	while (changed) { /* one after the other, in any order */
		changed = false;
		for (unsigned i = 0; i < n && !changed; i++)
			if (!enough[i] && entries[i].demand * weights <= there * entries[i].weight) {
				enough[i] = changed = true;
				there -= entries[i].demand;
				weights -= entries[i].weight;
			}
	}
	for (unsigned i = 0; i < n; i++) {
		int64_t used = entries[i].demand < 1000 ? entries[i].demand : 1000;
		int64_t part = enough[i] ? used : there * entries[i].weight / weights;
		got[i] = 1;
		left -= part < used ? part : used;
	}
	for (; left >= 500; left -= 1000) {
		unsigned best = n;
		for (unsigned i = 0; i < n; i++)
			if (entries[i].demand >= got[i] * 1000 + 500 &&
			    (best == n || got[i] * entries[best].weight < got[best] * entries[i].weight))
				best = i;
		if (best == n)
			break;
		got[best]++;
	}
	uint64_t all = got[own] + (left > 0 ? (uint64_t)(left + 500) / 1000 : 0);
	return all < pus ? (unsigned)all : pus;
}

/* The share is found without dealing, and is the same in each case: few programs and many PUs, many and few, weights
 * that are equal, near each other or at both ends, demands on and beside the half PU. */
static void
in_bulk(void **state)
{
	static const uint32_t ends[] = {FG_FAIR_LIGHTEST, FG_FAIR_HEAVIEST, W};
	struct fg_fair_entry entries[MOST];
	srand(7);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned n = 1 + (unsigned)rand() % (round % 16 ? 9 : MOST),
			 pus = 1 + (unsigned)rand() % (round % 64 ? 70 : 1024), kind = (unsigned)rand() % 4;
		unsigned outside = rand() % 3 ? 0 : (unsigned)rand() % (pus * 1500);
		for (unsigned i = 0; i < n; i++) {
			uint32_t most = rand() % 4 ? pus * 1000 : 1 + (uint32_t)rand() % 1024000;
			entries[i].demand = rand() % 3 ? (uint32_t)rand() % (most + 1) : most;
			if (rand() % 8 == 0)
				entries[i].demand = 500 * ((uint32_t)rand() % 9) + (uint32_t)rand() % 3;
			entries[i].weight = kind == 0	? W
					    : kind == 1 ? fg_fair_weight(rand() % 40 - 20)
					    : kind == 2 ? ends[rand() % 3]
							: FG_FAIR_LIGHTEST + (uint32_t)rand() % 5000;
		}
		for (unsigned k = 0; k < 3; k++) {
			unsigned own = (unsigned)rand() % n;
			assert_int_equal(fg_fair_share(pus, outside, entries, n, own),
					 dealt_one_by_one(pus, outside, entries, n, own));
		}
	}
}

static void
demand(void **state)
{
	uint32_t busy = 0, calm = 8000;
	for (unsigned i = 0; i < 4; i++)
		busy = fg_fair_demand(busy, 8000, 2000000);
	assert_in_range(busy, 7500, 8000); /* within four looks */
	for (unsigned i = 0; i < 5; i++)
		calm = fg_fair_demand(calm, 0, 2000000);
	assert_in_range(calm, 3500, 4500); /* half in ten milliseconds */
	for (unsigned i = 0; i < 100; i++) {
		busy = fg_fair_demand(busy, 8000, 4000000);
		calm = fg_fair_demand(calm, 0, 4000000);
	}
	assert_int_equal(busy, 8000);
	assert_int_equal(calm, 0);
	/* A twentieth of the looks finds a program of two threads busy. */
	uint32_t burst = 0, most = 0;
	for (unsigned i = 0; i < 400; i++) {
		burst = fg_fair_demand(burst, i % 20 ? 0 : 2000, 2000000);
		most = burst > most ? burst : most;
	}
	assert_in_range(most, 1000, 1200);
	assert_in_range(burst, 0, 250);
	/* There were no looks, because the program had no regions. */
	assert_in_range(fg_fair_demand(2000, 2000, 1000000000), 1000, 1010);
	assert_int_equal(fg_fair_demand(0, 1000, 0), 500);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),    cmocka_unit_test(equal),   cmocka_unit_test(small),
		cmocka_unit_test(unwanted), cmocka_unit_test(weights), cmocka_unit_test(outside),
		cmocka_unit_test(laws),	    cmocka_unit_test(in_bulk), cmocka_unit_test(demand)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
