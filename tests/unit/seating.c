/* Seatings from what members share: uses and graphs against counts by hand and by definition, matchings and the search
 * against all orders of eight members, and regions that leave the common seating where moves pay. */
#include "plan/seating.h"
#include "plan/seek.h"
#include "plan/starts.h"
#include "plan/room.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { LINE = 64 };

static uint64_t seed;

static unsigned
chance(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((seed >> 33) % n);
}

static double
by_level(const void *arg, unsigned a, unsigned b)
{
	const struct fg_machine *machine = arg;
	static const double ns[] = {100, 10, 1, 0};
	return a == b ? 0 : ns[fg_level_common(machine->pus[a], machine->pus[b])->depth];
}

static void
seats_make(struct fg_seats *seats, const char *topology)
{
	const char *why;
	uint16_t pu[1024];
	struct fg_machine *machine = fg_machine_synthetic(topology, &why);
	assert_non_null(machine);
	for (unsigned k = 0; k < machine->n_pus; k++)
		pu[k] = (uint16_t)k;
	fg_seats_make(seats, machine, pu, machine->n_pus, by_level, machine);
}

static void
seats_end(struct fg_seats *seats)
{
	fg_machine_free((struct fg_machine *)seats->machine);
	fg_seats_free(seats);
}

/* Ends of ranges that cut blocks and units. */
static void
uses_of_parts(void **state)
{
	struct fg_uses uses = {0};
	struct fg_graph graph;
	size_t n;
	fg_uses_add(&uses, 0, 0, 100, 200,
		    false); /* to 300: 28 bytes of block 1, blocks 2 and 3, 44 bytes of block 4 */
	fg_uses_add(&uses, 0, 0, 100, 200, true);
	fg_uses_add(&uses, 0, 0, 100, 200, true);
	fg_uses_add(&uses, 0, 1, 5 * LINE, 0, true);
	fg_uses_add(&uses, 0, 1, 4 * LINE + 63, 1, true);
	fg_uses_sort(&uses);
	const struct fg_use *list = fg_uses_of(&uses, 0, &n);
	assert_int_equal(n, 4);
	static const unsigned expected[][5] = {{1, 1, 0, 4, 8}, {2, 2, 0, 8, 16}, {4, 1, 0, 6, 12}, {4, 1, 1, 0, 1}};
	for (unsigned i = 0; i < 4; i++) {
		unsigned found[] = {(unsigned)list[i].block, list[i].n, list[i].member, list[i].reads, list[i].writes};
		assert_memory_equal(found, expected[i], sizeof found);
	}
	fg_graph_make(&uses, 0, 2, &graph);
	assert_int_equal(graph.records, 5);
	assert_true(graph.sm[1] == 1 && graph.sm[2] == 1);
	assert_true(graph.rwm[1] == 2); /* min(6, 1) + min(12, 0) + min(12, 1) */
	fg_graph_free(&graph);
	fg_uses_free(&uses);
}

/* Ranges that overlap in all ways, against tables with a row for each block. */
static void
graphs_by_definition(void **state)
{
	enum { MEMBERS = 6, BLOCKS = 80, REGIONS = 2 };
	for (seed = 1; seed < 60 * UINT64_C(1000003); seed += 1000003) {
		static double reads[REGIONS][MEMBERS][BLOCKS], writes[REGIONS][MEMBERS][BLOCKS];
		struct fg_uses uses = {0};
		memset(reads, 0, sizeof reads);
		memset(writes, 0, sizeof writes);
		for (unsigned i = 0, count = 1 + chance(100); i < count; i++) {
			unsigned region = chance(REGIONS), member = chance(MEMBERS), first = chance(BLOCKS),
				 n = 1 + chance(chance(2) ? 3 : BLOCKS - first), writing = chance(3) == 0;
			n = n < BLOCKS - first ? n : BLOCKS - first;
			fg_uses_add(&uses, region, member, (uint64_t)first * LINE, (uint64_t)n * LINE, writing);
			for (unsigned b = first; b < first + n; b++)
				(writing ? writes : reads)[region][member][b] += LINE / 8.;
		}
		fg_uses_sort(&uses);
		for (unsigned r = 0; r < REGIONS; r++) {
			struct fg_graph graph;
			fg_graph_make(&uses, r, MEMBERS, &graph);
			for (unsigned i = 0; i < MEMBERS; i++)
				for (unsigned k = 0; k < MEMBERS; k++) {
					double sm = 0, rwm = 0;
					for (unsigned b = 0; b < BLOCKS && i != k; b++) {
						double ri = reads[r][i][b], wi = writes[r][i][b], rk = reads[r][k][b],
						       wk = writes[r][k][b];
						sm += fmin(ri + wi, rk + wk);
						rwm += fmin(ri, wk) + fmin(wi, rk) + fmin(wi, wk);
					}
					assert_true(graph.sm[i * MEMBERS + k] == sm);
					assert_true(graph.rwm[i * MEMBERS + k] == rwm);
				}
			fg_graph_free(&graph);
		}
		double common[MEMBERS];
		fg_uses_common(&uses, 0, 1, MEMBERS, common);
		for (unsigned k = 0; k < MEMBERS; k++) {
			double sum = 0;
			for (unsigned b = 0; b < BLOCKS; b++)
				sum += reads[0][k][b] + writes[0][k][b] > 0 && reads[1][k][b] + writes[1][k][b] > 0;
			assert_true(common[k] == sum);
		}
		fg_uses_free(&uses);
	}
}

static double
best_matching(const double *weights, unsigned n, unsigned done)
{
	unsigned low = 0;
	while (low < n && done >> low & 1)
		low++;
	if (low >= n)
		return 0;
	double best = 0;
	for (unsigned k = low + 1; k < n; k++)
		if (!(done >> k & 1))
			best = fmax(best, weights[low * n + k] + best_matching(weights, n, done | 1u << low | 1u << k));
	return best;
}

static void
random_weights(double *weights, unsigned n, unsigned most)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k <= i; k++)
			weights[i * n + k] = weights[k * n + i] = i == k ? 0 : chance(4) ? chance(most) : 0;
}

static void
matchings(void **state)
{
	seed = 7;
	for (unsigned round = 0; round < 100; round++) {
		double weights[100];
		unsigned n = 2 + chance(9), members[10], pairs[10], seen = 0;
		random_weights(weights, n, 1000);
		for (unsigned i = 0; i < n; i++)
			members[i] = i;
		fg_match(weights, n, members, n, pairs);
		double sum = 0;
		for (unsigned i = 0; i < n; i++)
			seen |= 1u << pairs[i];
		assert_int_equal(seen, (1u << n) - 1);
		for (unsigned i = 0; i + 1 < n; i += 2)
			sum += weights[pairs[i] * n + pairs[i + 1]];
		if (n % 2 == 0)
			assert_true(sum == best_matching(weights, n, 0));
	}
}

static double
best_of_all(const struct fg_seek *seek, unsigned *seat, unsigned at)
{
	if (at == 8)
		return fg_seek_price(seek, seat);
	double best = INFINITY;
	for (unsigned i = at; i < 8; i++) {
		unsigned held = seat[at];
		seat[at] = seat[i];
		seat[i] = held;
		best = fmin(best, best_of_all(seek, seat, at + 1));
		seat[i] = seat[at];
		seat[at] = held;
	}
	return best;
}

/* One region: each start is a seating, and what comes out is as cheap as the cheapest of all 5,040. */
static void
all_orders_of_eight(void **state)
{
	struct fg_seats seats;
	seats_make(&seats, "numa:2 l3:2 core:2");
	seed = 11;
	for (unsigned round = 0; round < 60; round++) {
		double weights[64];
		uint16_t start[8];
		unsigned seat[8];
		random_weights(weights, 8, round % 3 ? 1000 : 3);
		struct fg_seek seek = {&seats, weights, NULL};
		for (unsigned i = 0; i < 2; i++) {
			unsigned seen = 0;
			(i ? fg_start_lpgp : fg_start_gplp)(&seats, weights, seat, round % 2);
			for (unsigned k = 0; k < 8; k++)
				seen |= 1u << seat[k];
			assert_int_equal(seen, 255);
			assert_int_equal(seat[0], 0);
		}
		for (unsigned k = 0; k < 8; k++)
			start[k] = (uint16_t)(seat[k] = k);
		double best = best_of_all(&seek, seat, 1);
		struct fg_graph graph = {.members = 8, .sm = weights, .rwm = weights, .lines = weights};
		const uint16_t *starts[] = {start};
		double none[8] = {0}, follows = 0;
		bool hot = true;
		struct fg_seating seating;
		struct fg_seating_ask ask = {&seats, 1, &graph, &hot, &follows, none, starts, 1, 0.01};
		fg_seating_find(&ask, &seating);
		assert_true(fabs(seating.fixed_price - best) <= 1e-6 * best);
		assert_false(seating.moves);
		assert_int_equal(seating.fixed[0], 0);
		fg_seating_free(&seating);
	}
	seats_end(&seats);
}

/* Neighbours on a grid of 8 x 8, in any order of their numbers. One good seating is known: quarters of 4 x 4 on the
 * nodes, and in these pairs. */
static void
a_grid(void **state)
{
	enum { SIDE = 8, N = SIDE * SIDE };
	struct fg_seats seats;
	seats_make(&seats, "numa:4 l3:8 core:2");
	for (unsigned round = 1; round < 6; round++) {
		seed = round * UINT64_C(0x9e3779b97f4a7c15);
		double weights[N * N] = {0}, none[N] = {0}, follows = 0;
		unsigned number[N], seat[N];
		uint16_t compact[N];
		for (unsigned i = 0; i < N; i++) {
			compact[i] = (uint16_t)(number[i] = i);
			unsigned k = i ? chance(i + 1) : 0, held = number[k];
			number[k] = number[i];
			number[i] = held;
		}
		for (unsigned x = 0; x < SIDE; x++)
			for (unsigned y = 0; y < SIDE; y++) {
				unsigned a = number[SIDE * x + y], right = number[SIDE * x + (y + 1) % SIDE],
					 below = number[SIDE * ((x + 1) % SIDE) + y];
				if (y + 1 < SIDE)
					weights[a * N + right] = weights[right * N + a] = 1000;
				if (x + 1 < SIDE)
					weights[a * N + below] = weights[below * N + a] = 1000;
				seat[a] = x / 4 * 32 + y / 4 * 16 + x % 4 * 4 + y % 4;
			}
		struct fg_seek seek = {&seats, weights, NULL};
		double known = fg_seek_price(&seek, seat);
		struct fg_graph graph = {.members = N, .sm = weights, .rwm = weights, .lines = weights};
		const uint16_t *starts[] = {compact};
		bool hot = true;
		struct fg_seating seating;
		struct fg_seating_ask ask = {&seats, 1, &graph, &hot, &follows, none, starts, 1, 0.01};
		fg_seating_find(&ask, &seating);
		print_message("grid: %.0f, known %.0f\n", seating.fixed_price, known);
		assert_true(seating.fixed_price <= 1.3 * known);
		fg_seating_free(&seating);
	}
	seats_end(&seats);
}

/* Three pairings: no single seating has them all under one cache. So regions have seatings of their own where their
 * lines are many against those that a move leaves behind, and have not where they are few. */
static void
moves_that_pay(void **state)
{
	struct fg_seats seats;
	seats_make(&seats, "numa:2 core:4");
	for (unsigned pays = 0; pays < 2; pays++) {
		struct fg_graph graphs[3];
		double follows[9] = {0, 10, 0, 0, 0, 10, 9, 0, 0}, stays[72];
		bool hot[3] = {true, true, true};
		static const uint16_t compact[8] = {0, 1, 2, 3, 4, 5, 6, 7};
		const uint16_t *starts[] = {compact};
		for (unsigned i = 0; i < 72; i++)
			stays[i] = 100;
		for (unsigned r = 0; r < 3; r++) {
			graphs[r] = (struct fg_graph){.members = 8, .lines = fg_room(64, sizeof(double))};
			graphs[r].sm = graphs[r].rwm = graphs[r].lines;
			for (unsigned k = 0; k < 8; k++)
				graphs[r].lines[k * 8 + (k ^ 4 >> r)] = pays ? 10000 : 500;
		}
		struct fg_seating seating;
		struct fg_seating_ask ask = {&seats, 3, graphs, hot, follows, stays, starts, 1, 0.01};
		fg_seating_find(&ask, &seating);
		assert_int_equal(seating.moves, pays);
		assert_true(fabs(fg_seating_price(&ask, seating.by_region) - seating.by_region_price) <=
			    1e-6 * seating.by_region_price);
		for (unsigned r = 0; r < 3; r++) {
			const uint16_t *pu = seating.by_region + r * 8;
			unsigned near = 0;
			for (unsigned k = 0; k < 8; k++)
				near += pu[k] / 4 == pu[k ^ 4 >> r] / 4;
			assert_int_equal(pu[0], 0);
			if (pays)
				assert_int_equal(near, 8);
			free(graphs[r].lines);
		}
		fg_seating_free(&seating);
	}
	seats_end(&seats);
}

static int
larger_first(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;
	return (*x < *y) - (*x > *y);
}

/* All of 256 members use each block, in other numbers: too many terms, so a sample of them counts. The sum over all
 * pairs of the lesser counts is known from the counts in their order. */
static void
a_sample_of_terms(void **state)
{
	enum { MEMBERS = 256, BLOCKS = 5000 };
	struct fg_uses uses = {0};
	struct fg_graph graph;
	double exact = 0, found = 0, least = INFINITY, most = 0;
	seed = 5;
	for (unsigned b = 0; b < BLOCKS; b++) {
		unsigned count[MEMBERS];
		for (unsigned k = 0; k < MEMBERS; k++) {
			count[k] = 8 * (1 + chance(1000));
			fg_uses_add(&uses, 0, k, (uint64_t)b * LINE, LINE, true);
			uses.list[uses.n - 1].writes = count[k];
		}
		qsort(count, MEMBERS, sizeof *count, larger_first);
		for (unsigned k = 0; k < MEMBERS; k++)
			exact += (double)k * count[k];
	}
	fg_uses_sort(&uses);
	fg_graph_make(&uses, 0, MEMBERS, &graph);
	assert_true(graph.sampled);
	for (unsigned i = 0; i < MEMBERS; i++)
		for (unsigned k = 0; k < i; k++) {
			double weight = graph.sm[(size_t)i * MEMBERS + k];
			found += weight;
			least = fmin(least, weight);
			most = fmax(most, weight);
		}
	assert_true(fabs(found - exact) < 0.01 * exact);
	assert_true(most < 1.2 * least);
	fg_graph_free(&graph);
	fg_uses_free(&uses);
}

/* 256 members and a million blocks, each of two to six of them. */
static void
large(void **state)
{
	struct fg_seats seats;
	struct fg_uses uses = {0};
	struct fg_graph graph;
	static uint16_t compact[256];
	struct timespec begin, end;
	seats_make(&seats, "numa:8 l3:4 core:8");
	seed = 3;
	for (unsigned k = 0; k < 256; k++)
		compact[k] = (uint16_t)k;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	for (unsigned b = 0; b < 1000000; b++) {
		unsigned owner = chance(256);
		for (unsigned i = 0, n = 2 + chance(5); i < n;
		     i++) /* neighbours on a grid of 16 x 16, far numbers apart */
			fg_uses_add(&uses, 0, (owner + (i % 2 ? i : 16 * i)) % 256 * 7 % 256, (uint64_t)b * LINE, LINE,
				    i == 0 || chance(2));
	}
	fg_uses_sort(&uses);
	fg_graph_make(&uses, 0, 256, &graph);
	const uint16_t *starts[] = {compact};
	static double none[256];
	double follows = 0;
	bool hot = true;
	struct fg_seating seating;
	struct fg_seating_ask ask = {&seats, 1, &graph, &hot, &follows, none, starts, 1, 0.01};
	fg_seating_find(&ask, &seating);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
	print_message("%zu uses, %.2f s of a processor, %.3g -> %.3g\n", uses.n, seconds,
		      fg_seating_price(&ask, compact), seating.fixed_price);
	assert_true(seating.fixed_price < 0.8 * fg_seating_price(&ask, compact));
	fg_seating_free(&seating);
	fg_graph_free(&graph);
	fg_uses_free(&uses);
	seats_end(&seats);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uses_of_parts),
		cmocka_unit_test(graphs_by_definition),
		cmocka_unit_test(matchings),
		cmocka_unit_test(all_orders_of_eight),
		cmocka_unit_test(a_grid),
		cmocka_unit_test(moves_that_pay),
		cmocka_unit_test(a_sample_of_terms),
		cmocka_unit_test(large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
