/* Golden placements: every policy places flat teams on made-up machines.
 *
 * A text tells where each member sits. "4": it sits on PU 4, which it has for itself. "4[4-7]": it has the PUs 4 to 7
 * for itself. "4s": it has nothing for itself. */
#include "sched_golden.h"

static char *
flat_text(const struct fg_bubble *team)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	for (unsigned k = 0; k < team->size; k++) {
		const struct fg_member *member = &team->members[k];
		const struct fg_runqueue *queue = fg_holder_runqueue(fg_load_relaxed(&member->entity.holder)),
					 *range = fg_load_relaxed(&member->entity.range);
		fprintf(file, k ? " %u" : "%u", queue->first_pu);
		if (queue->n_pus > 1)
			fprintf(file, "-%u", queue->first_pu + queue->n_pus - 1);
		if (!range)
			fputc('s', file);
		else if (range->n_pus > 1)
			fprintf(file, "[%u-%u]", range->first_pu, range->first_pu + range->n_pus - 1);
	}
	fclose(file);
	return text;
}

static void
flat(const char *policy, const char *machine, unsigned size, const float *loads, const int *last, const char *expected)
{
	struct fg_runqueue *top = fake_machine(machine);
	struct fg_bubble team = {.size = 0};
	struct fg_entity *room[256];
	use(policy);
	fg_bubble_init(&team, size);
	team.born = 0;
	if (last) { /* as after a first placement */
		assert_int_equal(fg_bubble_burst(&team, room), size);
		for (unsigned k = 0; k < size; k++)
			team.members[k].entity.last_pu = (uint16_t)last[k];
		team.born = 0;
	}
	team.loads = loads;
	assert_true(fg_policy_place(&team, top));
	all_right(top);
	assert_int_equal(fg_runqueue_threads(top), size);
	char *text = flat_text(&team);
	expect("flat team", policy, machine, text, expected);
	free(text);
	fg_bubble_free(&team);
	fake_free(top);
}

/* Threads only, so [A] and [C] deal them alike, and the policies for nested regions place as `spread`. */
static const char *const alike[] = {"default",	"spread", "steal",	   "random",	  "global",
				    "affinity", "cache",  "cache,load=no", "cache,tuned", "memory"};

struct flat_case {
	const char *machine;
	unsigned size;
	const char *spread, *compact;
};

static const struct flat_case flat_cases[] = {
	/* One PU. */
	{"pu:1", 1, "0", "0s"},
	{"pu:1", 3, "0s 0s 0s", "0s 0s 0s"},
	/* 5 on 2: 5/2 rounded up, the rest. Compact: member i on PU i 2 / 5. */
	{"core:2 pu:1", 1, "0[0-1]", "0s"},
	{"core:2 pu:1", 2, "0 1", "0s 1s"},
	{"core:2 pu:1", 5, "0s 0s 0s 1s 1s", "0s 0s 0s 1s 1s"},
	/* 4: a node each. 6: nodes i 4 / 6 = 0 0 1 2 2 3; two on 4 PUs: 0 and 2. 20: five a node, those on PUs i 4 / 5
	 * = 0 0 1 2 3. */
	{N4X4, 4, "0[0-3] 4[4-7] 8[8-11] 12[12-15]", "0s 1s 2s 3s"},
	{N4X4, 6, "0 2 4[4-7] 8 10 12[12-15]", "0s 1s 2s 3s 4s 5s"},
	{N4X4, 16, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", "0s 1s 2s 3s 4s 5s 6s 7s 8s 9s 10s 11s 12s 13s 14s 15s"},
	{N4X4, 20, "0s 0s 1 2 3 4s 4s 5 6 7 8s 8s 9 10 11 12s 12s 13 14 15",
	 "0s 0s 1s 2s 3s 4s 4s 5s 6s 7s 8s 8s 9s 10s 11s 12s 12s 13s 14s 15s"},
	/* 12: nodes i 8 / 12 = 0 0 1 2 2 3 4 4 5 6 6 7. */
	{N8X2, 8, "0[0-1] 2[2-3] 4[4-5] 6[6-7] 8[8-9] 10[10-11] 12[12-13] 14[14-15]", "0s 1s 2s 3s 4s 5s 6s 7s"},
	{N8X2, 12, "0 1 2[2-3] 4 5 6[6-7] 8 9 10[10-11] 12 13 14[14-15]", "0s 1s 2s 3s 4s 5s 6s 7s 8s 9s 10s 11s"},
	/* 3: packages i 2 / 3 = 0 0 1; in the first an L3 each. */
	{P2X2L3X4, 2, "0[0-7] 8[8-15]", "0s 1s"},
	{P2X2L3X4, 3, "0[0-3] 4[4-7] 8[8-15]", "0s 1s 2s"},
	/* Sizes 6 and 2. One each, the next to the least filled: 2/6 before 2/2: 3 gives 2, 1; 4: 3/6 before 2/2 gives
	 * 3, 1; 8: up to 6/6, 2/2. On the 6 PUs 2 lie at i 6 / 2 = 0 3, and 3 at 0 2 4. */
	{SMALL_LAST, 3, "0 3 6[6-7]", "0s 1s 2s"},
	{SMALL_LAST, 4, "0 2 4 6[6-7]", "0s 1s 2s 3s"},
	{SMALL_LAST, 8, "0 1 2 3 4 5 6 7", "0s 1s 2s 3s 4s 5s 6s 7s"},
	/* Sizes 4, 1 and 3. 2: the empty ones, largest first: 4 and 3. 5: one each, 2/4 before 2/3, then 2/3 before
	 * 3/4: 2, 1, 2. */
	{UNEVEN, 2, "0[0-3] 5[5-7]", "0s 1s"},
	{UNEVEN, 3, "0[0-3] 4 5[5-7]", "0s 1s 2s"},
	{UNEVEN, 5, "0 2 4 5 6", "0s 1s 2s 3s 4s"},
/* One each; all PUs. */
#ifdef FG_HAVE_HWLOC
	/* One alone has the whole machine. Per PU the small ones are filled least: first to them, one to each large
	 * core; 4 and 5: the small ones (2 / 4, 3 / 4 < 2 / 2); 6: all alike, to the first core; 8: so on. 2 on the 4
	 * small ones: the first and the third; 3: the first three. */
	{HYBRID, 1, "4[0-7]", "0s"},
	{HYBRID, 3, "0[0-1] 2[2-3] 4[4-7]", "0s 1s 2s"},
	{HYBRID, 4, "0[0-1] 2[2-3] 4 6", "0s 1s 2s 3s"},
	{HYBRID, 6, "0 1 2[2-3] 4 5 6", "0s 1s 2s 3s 4s 5s"},
	{HYBRID, 8, "0 1 2 3 4 5 6 7", "0s 1s 2s 3s 4s 5s 6s 7s"},
	/* 3: the node of 3 (2 / 3 < 2 / 2), on its first two. 4: alike, the first. */
	{OFFLINE_XML, 2, "0[0-2] 3[3-4]", "0s 1s"},
	{OFFLINE_XML, 3, "0 1 3[3-4]", "0s 1s 2s"},
	{OFFLINE_XML, 4, "0 1 2 3[3-4]", "0s 1s 2s 3s"},
	{OFFLINE_XML, 5, "0 1 2 3 4", "0s 1s 2s 3s 4s"},
#endif
	{OFFLINE, 4, "0[0-3] 4[4-6] 7[7-8] 9[9-12]", "0s 1s 2s 3s"},
	{OFFLINE, 13, "0 1 2 3 4 5 6 7 8 9 10 11 12", "0s 1s 2s 3s 4s 5s 6s 7s 8s 9s 10s 11s 12s"},
	/* 6: one each. 10: then the clusters, 2/4 and 3/4 before a large core's 2/2; three on 4 PUs lie at i 4 / 3 = 0
	 * 1 2. */
	{P_E, 6, "0[0-1] 2[2-3] 4[4-5] 6[6-7] 8[8-11] 12[12-15]", "0s 1s 2s 3s 4s 5s"},
	{P_E, 10, "0[0-1] 2[2-3] 4[4-5] 6[6-7] 8 9 10 12 13 14", "0s 1s 2s 3s 4s 5s 6s 7s 8s 9s"},
	/* 8: a core each. */
	{SMT, 8, "0[0-1] 2[2-3] 4[4-5] 6[6-7] 8[8-9] 10[10-11] 12[12-13] 14[14-15]", "0s 1s 2s 3s 4s 5s 6s 7s"},
	/* 5: nodes i 2 / 5 = 0 0 0 1 1; three on two L3: 0 0 1; two on 3 PUs: 0 1; two on two L3: one each. */
	{ODD, 4, "0[0-2] 3[3-5] 6[6-8] 9[9-11]", "0s 1s 2s 3s"},
	{ODD, 5, "0 1 3[3-5] 6[6-8] 9[9-11]", "0s 1s 2s 3s 4s"},
};

static void
flat_teams(void **state)
{
	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof flat_cases / sizeof *flat_cases; i++) {
		const struct flat_case *one = &flat_cases[i];
		for (size_t p = 0; p < sizeof alike / sizeof *alike; p++)
			flat(alike[p], one->machine, one->size, NULL, NULL, one->spread);
		flat("compact", one->machine, one->size, NULL, NULL, one->compact);
	}
	assert_int_equal(wrong, 0);
}

/* 256 PUs, 8 nodes of 4 L3 of 8: n members sit 256 / n PUs apart, each with all up to the next one for itself where
 * that is a level: one a PU; 64: two an L3, which is no level between L3 and PU; one an L3, one a node. */
static void
flat_256(void **state)
{
	(void)state;
	wrong = 0;
	for (size_t p = 0; p < sizeof alike / sizeof *alike; p++)
		for (unsigned n = 8; n <= 256; n = n == 8 ? 32 : n * 2) {
			char expected[8192], *end = expected;
			for (unsigned k = 0; k < n; k++) {
				unsigned apart = 256 / n;
				end += sprintf(end, k ? " %u" : "%u", k * apart);
				if (apart == 8 || apart == 32)
					end += sprintf(end, "[%u-%u]", k * apart, (k + 1) * apart - 1);
			}
			flat(alike[p], BIG, n, NULL, NULL, expected);
		}
	assert_int_equal(wrong, 0);
}

static void
flat_loads(void **state)
{
	static const float falling[] = {8, 7, 6, 5, 4, 3, 2, 1}, four[] = {4, 3, 2, 1}, heavy[] = {9, 1, 1, 1},
			   two_heavy[] = {6, 6, 2, 1};
	static const int turned[] = {3, 2, 1, 0}, crowd[] = {0, 0, 0, 0}, two[] = {0, 0, 1, 1},
			 grown[] = {0, 1, 2, 3, 4, 5, 6, 7};
	(void)state;
	wrong = 0;
	/* [C] 8 n0, 7 n1 (empty), 6 n1 (13 < 14), 5 n0 (13 < 18), 4 n0 (17 = 17), 3 n1 (16 < 20), 2 n1 (18 < 19), 1 n0
	 * (18 < 19). n0: 8 to PU 0, 5 to 1, 4 to 1 (9 < 12), 1 to 0 (9 < 10). n1: 7 to 2, 6 to 3, 3 to 3 (9 < 10), 2 to
	 * 2 (9 < 11): 9 on each PU. */
	flat("cache", N2X2, 8, falling, NULL, "0s 2s 3s 1s 1s 3s 2s 0s");
	/* What the program told counts under [A] as well, and where a policy does not place. */
	flat("affinity", N2X2, 8, falling, NULL, "0s 2s 3s 1s 1s 3s 2s 0s");
	flat("steal", N2X2, 8, falling, NULL, "0s 2s 3s 1s 1s 3s 2s 0s");
	/* Without loads: 8 threads, 2 a PU. */
	flat("affinity", N2X2, 8, NULL, NULL, "0s 0s 1s 1s 2s 2s 3s 3s");
	flat("cache,load=no", N2X2, 8, falling, NULL, "0s 0s 1s 1s 2s 2s 3s 3s");
	flat("spread", N2X2, 8, falling, NULL, "0s 0s 1s 1s 2s 2s 3s 3s");
	/* [C] Threads go back, which keeps the balance here; with loads told or not. */
	flat("cache", N2X2, 4, NULL, turned, "3 2 1 0");
	flat("cache,load=no", N2X2, 4, NULL, turned, "3 2 1 0");
	flat("affinity", N2X2, 4, NULL, turned, "0 1 2 3");
	/* All ran on PU 0, which has room for one, and its node for two. */
	flat("cache", N2X2, 4, NULL, crowd, "0 1 2 3");
	/* 5 a PU is the balance. 4 back to 0; 3 not (7): to 1, which is empty; 2 back to 1 (5); 1 not (6): both have
	 * less than that, 0 has 4, so 0. */
	flat("cache", "core:2 pu:1", 4, four, two, "0s 1s 1s 0s");
	/* No more threads than PUs: each has one. 9 n0, 1 n1 (empty), 1 n1 (2 < 10), which is full: the last n0. The
	 * first is three quarters of it all, and has the machine for its teams. */
	flat("cache", N2X2, 4, heavy, NULL, "0[0-3] 2 3 1");
	flat("cache,load=told", N2X2, 4, heavy, NULL, "0[0-3] 2 3 1");
	flat("cache,load=none", N2X2, 4, heavy, NULL, "0 1 2 3");
	/* 6 n0, 6 n1, 2 n0 (8 = 8), 1 n1. Neither 6 is more than half of the machine's, but each is of its node's. */
	flat("cache", N2X2, 4, two_heavy, NULL, "0[0-1] 2[2-3] 1 3");
	/* 16 members were, 8 are: 2 a node. 0 1 go back to node 0, 4 5 to node 1; nodes 2 and 3 take 2 3 and 6 7. In a
	 * node one goes to each of the PUs 0 and 2 of it; 0 ran there, 1 takes the other. */
	flat("cache", N4X4, 8, NULL, grown, "0 2 8 10 4 6 12 14");
	assert_int_equal(wrong, 0);
}

/* [C] "where it ran last if the balance allows": a part of the machine that has at most 2% more than its share then is
 * balanced. */
static void
flat_back(void **state)
{
	static const float crew_1[] = {51, 50, 50, 49}, crew_3[] = {53, 50, 50, 47}, near[] = {101, 100, 100, 99},
			   far[] = {105, 100, 100, 95};
	static const int two[] = {0, 0, 1, 1}, four[] = {0, 1, 2, 3};
	(void)state;
	wrong = 0;
	/* 200 on two PUs: up to 102 each. 51 back to 0; the first 50 back to 0 (101); the second back to 1, 49 too
	 * (99). */
	flat("cache", "core:2 pu:1", 4, crew_1, two, "0s 0s 1s 1s");
	/* 53 back to 0; the first 50 not (103): to 1, which is empty; the second back to 1 (100); 47 not (147): to 0
	 * (100). */
	flat("cache", "core:2 pu:1", 4, crew_3, two, "0s 1s 1s 0s");
	/* 400 on two nodes: up to 204 each. 101 and the first 100 back to n0 (201), the others to n1. On the PUs of n0
	 * up to 102.51, of n1 101.49. */
	flat("cache", N2X2, 4, near, four, "0 1 2 3");
	/* 105 back to n0; the first 100 not (205): to n1; the second back to n1 (200), which is full: 95 to n0. The two
	 * of n1 weigh the same, one a PU: the second goes back to PU 2, the first has 3. In n0 105 may not go back to 0
	 * (102 a PU), and 95 did not run there: in order. */
	flat("cache", N2X2, 4, far, four, "0 3 2 1");
	assert_int_equal(wrong, 0);
}

/* Of two PUs, half of the heavier team's work and all of the lighter on one must be less than the heavier, by more than
 * 2%. Else each stays by itself. */
static void
flat_ranges(void **state)
{
	static const float even[] = {51, 49}, twice[] = {2, 1}, more[] = {2.1f, 1}, thrice[] = {3, 1};
	(void)state;
	wrong = 0;
	flat("cache", "core:2 pu:1", 2, even, NULL, "0 1");	   /* 25.5 + 49 > 51 */
	flat("cache", "core:2 pu:1", 2, twice, NULL, "0 1");	   /* 1 + 1 = 2 */
	flat("cache", "core:2 pu:1", 2, more, NULL, "0[0-1] 1");   /* (1.05 + 1) * 1.02 = 2.091 < 2.1 */
	flat("cache", "core:2 pu:1", 2, thrice, NULL, "0[0-1] 1"); /* 1.5 + 1 < 3 */
	assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(flat_teams), cmocka_unit_test(flat_256),
					   cmocka_unit_test(flat_loads), cmocka_unit_test(flat_back),
					   cmocka_unit_test(flat_ranges)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fg_policy_stop(&fg_policy);
	return failed;
}
