/* Golden placements: where every policy puts flat teams, nested teams and whole trees of bubbles, and what a thief takes, on made-up machines.
 *
 * The expected texts are derived by hand from the published algorithms, beside each; never from what the code prints. Of the papers:
 *   [A] Affinity, IWOMP 2008, 3.2: count the entities; enough for all PUs below: deal them to the children, least filled first; else bubbles
 *       that fill a child stay whole if every child gets something; else burst the one that fills the least, and again.
 *   [C] Cache, IPDPS 2010, III.A: sort by load; while fewer entities than PUs burst the largest; each, heaviest first, goes to the child where
 *       it ran last if the balance allows, else to the least filled.
 * Choices that they leave open (src/sched/deal.h): a child with nothing comes before one with something; the filling is per PU; entities
 * that weigh the same are dealt in their order, and where there are fewer than equal children, evenly: of n on P equal children, i goes to
 * child i P / n, rounded down. "t" below is the thread that met the region: it is an entity, and sits on its PU already.
 * "Bubble b of 4" has 4 members that have not begun. */
#include "fake_machine.h"

#include <stdio.h>
#include <string.h>

#define N4X4 "n(....)n(....)n(....)n(....)"
#define N8X2 "n(..)n(..)n(..)n(..)n(..)n(..)n(..)n(..)"
#define P2X2L3X4 "p(3(....)3(....))p(3(....)3(....))"
#define SMALL_LAST "p(......)p(..)"
#define SMALL_FIRST "p(..)p(......)"
#define UNEVEN "n(....)n(.)n(...)"
#define OFFLINE "n(....)n(.x..)n(..xx)n(....)" /* 13 PUs: 0-3, 4-6, 7-8, 9-12 */
#define P_E                                                                                                            \
	"2(c(..))2(c(..))2(c(..))2(c(..))2(....)2(....)" /* 4 large cores of two threads, 2 clusters of 4 small ones */
/* From hwloc. The children of hybrid.xml's machine are two L2 caches of 2 PUs, 0-1 and 2-3, each a large core, and one of 4, 4-7, small cores.
 * Of offline.xml there are left: a node of 3 PUs, 0-2 (the system's 0, 2, 3), and one of 2, 3-4 (its 4, 5). */
#define HYBRID MACHINES "/hybrid.xml"
#define OFFLINE_XML MACHINES "/offline.xml"
#define SMT "package:2 core:4 pu:2"
#define ODD "numa:2 l3:2 core:3 pu:1"
#define N2X2 "n(..)n(..)"
#define BIG "numa:8 l3:4 core:8 pu:1"

static void
use(const char *policy)
{
	char name[64], *options;
	const char *why;
	snprintf(name, sizeof name, "%s", policy);
	options = strchr(name, ',');
	if (options)
		*options++ = '\0';
	const struct fgomp_sched *sched = fg_sched_find(name);
	assert_non_null(sched);
	fg_policy_wants = fg_sched_wants(sched);
	assert_true(fg_policy_start(&fg_policy, sched, options, &why));
}

static unsigned wrong;

static void
expect(const char *what, const char *policy, const char *machine, const char *text, const char *expected)
{
	if (!strcmp(text, expected))
		return;
	print_error("%s, %s on %s:\n  expected %s\n  but was  %s\n", what, policy, machine, expected, text);
	wrong++;
}

static void
all_right(const struct fg_runqueue *top)
{
	const char *why = fg_runqueue_check((struct fg_runqueue *)top);
	if (why)
		fail_msg("%s", why);
}

/* ---- Flat teams ----
 *
 * Where each member sits: "4" on PU 4, which it has for itself; "4[4-7]" and it has the PUs 4 to 7 for itself; "4s": it has nothing
 * for itself. */

static char *
flat_text(const struct fg_bubble *team)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	for (unsigned k = 0; k < team->size; k++) {
		const struct fg_member *member = &team->members[k];
		const struct fg_runqueue *queue = fg_holder_runqueue(fg_load_relaxed(&member->entity.holder)),
					 *range = member->range;
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
static const char *const alike[] = {"default",	"spread", "steal",	   "random",	 "global",
				    "affinity", "cache",  "cache,load=no", "cache,tuned"};

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
	/* 4: a node each. 6: nodes i 4 / 6 = 0 0 1 2 2 3; two on 4 PUs: 0 and 2. 20: five a node, those on PUs i 4 / 5 = 0 0 1 2 3. */
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
	/* Sizes 6 and 2. One each, the next to the least filled: 2/6 before 2/2: 3 gives 2, 1; 4: 3/6 before 2/2 gives 3, 1; 8: up to 6/6, 2/2.
	 * On the 6 PUs 2 lie at i 6 / 2 = 0 3, and 3 at 0 2 4. */
	{SMALL_LAST, 3, "0 3 6[6-7]", "0s 1s 2s"},
	{SMALL_LAST, 4, "0 2 4 6[6-7]", "0s 1s 2s 3s"},
	{SMALL_LAST, 8, "0 1 2 3 4 5 6 7", "0s 1s 2s 3s 4s 5s 6s 7s"},
	/* Sizes 4, 1 and 3. 2: the empty ones, largest first: 4 and 3. 5: one each, 2/4 before 2/3, then 2/3 before 3/4: 2, 1, 2. */
	{UNEVEN, 2, "0[0-3] 5[5-7]", "0s 1s"},
	{UNEVEN, 3, "0[0-3] 4 5[5-7]", "0s 1s 2s"},
	{UNEVEN, 5, "0 2 4 5 6", "0s 1s 2s 3s 4s"},
/* One each; all PUs. */
#ifdef FG_HAVE_HWLOC
	/* One alone has the whole machine. Per PU the small ones are filled least: first to them, one to each large core; 4 and 5: the small ones (2 / 4, 3 / 4 < 2 / 2); 6: all alike, to the
	 * first core; 8: so on. 2 on the 4 small ones: the first and the third; 3: the first three. */
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
	/* 6: one each. 10: then the clusters, 2/4 and 3/4 before a large core's 2/2; three on 4 PUs lie at i 4 / 3 = 0 1 2. */
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

/* 256 PUs, 8 nodes of 4 L3 of 8: n members sit 256 / n PUs apart, each with all up to the next one for itself where that is a level: one a PU;
 * 64: two an L3, which is no level between L3 and PU; one an L3, one a node. */
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
	/* [C] 8 n0, 7 n1 (empty), 6 n1 (13 < 14), 5 n0 (13 < 18), 4 n0 (17 = 17), 3 n1 (16 < 20), 2 n1 (18 < 19), 1 n0 (18 < 19).
	 * n0: 8 to PU 0, 5 to 1, 4 to 1 (9 < 12), 1 to 0 (9 < 10). n1: 7 to 2, 6 to 3, 3 to 3 (9 < 10), 2 to 2 (9 < 11): 9 on each PU. */
	flat("cache", N2X2, 8, falling, NULL, "0s 2s 3s 1s 1s 3s 2s 0s");
	/* [A] knows no loads: 8 threads, 2 a PU. */
	flat("affinity", N2X2, 8, falling, NULL, "0s 0s 1s 1s 2s 2s 3s 3s");
	flat("cache,load=no", N2X2, 8, falling, NULL, "0s 0s 1s 1s 2s 2s 3s 3s");
	flat("spread", N2X2, 8, falling, NULL, "0s 0s 1s 1s 2s 2s 3s 3s");
	/* [C] Threads go back, which keeps the balance here; with loads told or not. */
	flat("cache", N2X2, 4, NULL, turned, "3 2 1 0");
	flat("cache,load=no", N2X2, 4, NULL, turned, "3 2 1 0");
	flat("affinity", N2X2, 4, NULL, turned, "0 1 2 3");
	/* All ran on PU 0, which has room for one, and its node for two. */
	flat("cache", N2X2, 4, NULL, crowd, "0 1 2 3");
	/* 5 a PU is the balance. 4 back to 0; 3 not (7): to 1, which is empty; 2 back to 1 (5); 1 not (6): both have less than that, 0 has 4, so 0. */
	flat("cache", "core:2 pu:1", 4, four, two, "0s 1s 1s 0s");
	/* No more threads than PUs: each has one. 9 n0, 1 n1 (empty), 1 n1 (2 < 10), which is full: the last n0. The first is three quarters of it
	 * all, and has the machine for its teams. */
	flat("cache", N2X2, 4, heavy, NULL, "0[0-3] 2 3 1");
	flat("cache,load=told", N2X2, 4, heavy, NULL, "0[0-3] 2 3 1");
	flat("cache,load=none", N2X2, 4, heavy, NULL, "0 1 2 3");
	/* 6 n0, 6 n1, 2 n0 (8 = 8), 1 n1. Neither 6 is more than half of the machine's, but each is of its node's. */
	flat("cache", N2X2, 4, two_heavy, NULL, "0[0-1] 2[2-3] 1 3");
	/* 16 members were, 8 are: 2 a node. 0 1 go back to node 0, 4 5 to node 1; nodes 2 and 3 take 2 3 and 6 7. In a node one goes to each of
	 * the PUs 0 and 2 of it; 0 ran there, 1 takes the other. */
	flat("cache", N4X4, 8, NULL, grown, "0 2 8 10 4 6 12 14");
	assert_int_equal(wrong, 0);
}

/* ---- Nested teams: bubble a is born; t is on `leaf` and has `first` to `last` for itself ---- */

struct nested_case {
	const char *policy, *machine;
	unsigned first, last, leaf, unborn;
	const char *expected;
	const float *loads;
	const int *history; /* of members 1 ... */
};

static struct fg_bubble *
nested_bubble(const struct nested_case *one)
{
	struct fg_entity *room[256];
	struct fg_bubble *bubble = fake_bubble(NULL, 'a', one->unborn);
	if (one->history) {
		fg_bubble_burst(bubble, room);
		for (unsigned k = 1; k <= one->unborn; k++)
			bubble->members[k].entity.last_pu = (uint16_t)one->history[k - 1];
		bubble->born = 1;
	}
	bubble->loads = one->loads;
	return bubble;
}

static void
born(struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct fg_runqueue *queue = fg_policy_born(bubble, range, leaf);
	if (queue)
		fg_runqueue_push(queue, &bubble->entity);
	assert_int_equal(fg_load_relaxed(&fg_policy.failed), 0);
}

static void
nested(const struct nested_case *one)
{
	struct fg_runqueue *top = fake_machine(one->machine);
	struct fg_bubble *bubble = nested_bubble(one);
	use(one->policy);
	born(bubble, fake_level(top, one->first, one->last), fgomp_queue_of_pu(top, one->leaf));
	all_right(top);
	assert_int_equal(fg_runqueue_threads(top), one->unborn);
	char *text = fake_text(top);
	expect("nested team", one->policy, one->machine, text, one->expected);
	free(text);
	fg_bubble_free(bubble);
	free(bubble);
	fake_free(top);
}

static const float last_heavy[] = {1, 1, 1, 3}, first_heavy[] = {3, 1, 1, 1};
static const int moved[] = {3, 1, 2};

static const struct nested_case nested_cases[] = {
	/* It stays where it was met; goes to the top; to the smallest level with a PU for each, t counted. */
	{"default", N4X4, 0, 3, 0, 3, .expected = "0:a(3)"},
	{"steal", N4X4, 0, 3, 2, 3, .expected = "2:a(3)"},
	{"random", N4X4, 0, 3, 2, 3, .expected = "2:a(3)"},
	{"global", N4X4, 0, 3, 2, 3, .expected = "0-15:a(3)"},
	{"spread", N4X4, 0, 3, 2, 3, .expected = "0-3:a(3)"},
	{"spread", N4X4, 4, 7, 5, 4, .expected = "0-15:a(4)"},
	{"spread", N8X2, 4, 5, 4, 1, .expected = "4-5:a(1)"},
	{"spread", P2X2L3X4, 8, 8, 8, 4, .expected = "8-15:a(4)"},
	{"spread", SMALL_LAST, 0, 7, 6, 2, .expected = "0-7:a(2)"},
	{"spread", P_E, 8, 11, 9, 3, .expected = "8-11:a(3)"},
	{"spread", "pu:1", 0, 0, 0, 3, .expected = "0:a(3)"},
	{"compact", N4X4, 0, 3, 2, 3, .expected = "0-3:a(3)"},
	{"compact", UNEVEN, 4, 4, 4, 1, .expected = "0-7:a(1)"},
	{"global", P_E, 8, 11, 9, 3, .expected = "0-15:a(3)"},
	{"global", BIG, 8, 8, 8, 3, .expected = "0-255:a(3)"},
	/* A PU alone: nothing to distribute. */
	{"affinity", N4X4, 5, 5, 5, 3, .expected = "5:a(3)"},
	{"cache", "pu:1", 0, 0, 0, 3, .expected = "0:a(3)"},
	/* One bubble, fewer than 4 PUs: burst. With t 4 threads, one a PU. */
	{"affinity", N4X4, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3"},
	{"cache", N4X4, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3"},
	/* 8, two a PU, t being the first on PU 2 that is dealt there. */
	{"affinity", N4X4, 0, 3, 2, 7, .expected = "0:a1 a2 1:a3 a4 2:a5 3:a6 a7"},
	/* The whole machine: 4 a node, t one of node 1's, and so on. */
	{"affinity", N4X4, 0, 15, 5, 15,
	 .expected = "0:a1 1:a2 2:a3 3:a4 4:a5 6:a6 7:a7 8:a8 9:a9 10:a10 11:a11 12:a12 13:a13 14:a14 15:a15"},
	{"cache", N4X4, 0, 15, 5, 15,
	 .expected = "0:a1 1:a2 2:a3 3:a4 4:a5 6:a6 7:a7 8:a8 9:a9 10:a10 11:a11 12:a12 13:a13 14:a14 15:a15"},
	/* Two PUs are more than one bubble: 4 threads, 2 a PU. */
	{"affinity", N8X2, 0, 1, 0, 3, .expected = "0:a1 1:a2 a3"},
	{"cache", N8X2, 0, 1, 0, 3, .expected = "0:a1 1:a2 a3"},
	{"affinity", "core:2 pu:1", 0, 1, 1, 1, .expected = "0:a1"},
	/* A package of two L3 of 4. 8 threads fill it: the bubble does not stay whole, for the other L3 would have t only. */
	{"affinity", P2X2L3X4, 0, 7, 0, 7, .expected = "1:a1 2:a2 3:a3 4:a4 5:a5 6:a6 7:a7"},
	/* 4: two an L3, and two on 4 PUs: the first and the third. */
	{"affinity", P2X2L3X4, 0, 7, 0, 3, .expected = "2:a1 4:a2 6:a3"},
	{"cache", P2X2L3X4, 8, 15, 8, 3, .expected = "10:a1 12:a2 14:a3"},
	/* Sizes 6 and 2, t in the small one: a1 to the empty one, then 2/6 and 3/6 before 2/2; three on 6 PUs: 0 2 4. */
	{"affinity", SMALL_LAST, 0, 7, 7, 3, .expected = "0:a1 2:a2 4:a3"},
/* Sizes 4 3 2 4, t in the second: one each to the others, the fourth: 2/4 before 2/3. */
#ifdef FG_HAVE_HWLOC
	/* t on PU 0: the first to the small ones, the second to the other large core, then the small ones (2 / 4, 3 / 4 < 1). */
	{"affinity", HYBRID, 0, 7, 0, 4, .expected = "2:a1 4:a2 5:a3 6:a4"},
	{"cache", HYBRID, 0, 7, 0, 4, .expected = "2:a1 4:a2 5:a3 6:a4"},
	/* t on PU 0: node 1, node 0 (2 / 3 < 1), node 0 (alike). t on PU 3: node 0 each time. */
	{"affinity", OFFLINE_XML, 0, 4, 0, 3, .expected = "1:a1 2:a2 3:a3"},
	{"cache", OFFLINE_XML, 0, 4, 3, 3, .expected = "0:a1 1:a2 2:a3"},
#endif
	{"affinity", OFFLINE, 0, 12, 4, 4, .expected = "0:a1 2:a2 7:a3 9:a4"},
	{"cache", OFFLINE, 0, 12, 4, 4, .expected = "0:a1 2:a2 7:a3 9:a4"},
	{"affinity", SMT, 0, 1, 1, 1, .expected = "0:a1"},
	{"affinity", ODD, 3, 5, 3, 2, .expected = "4:a1 5:a2"},
	/* t on a large core: the other children one each, larger first but all get one: 5 threads and t. */
	{"affinity", P_E, 0, 15, 0, 5, .expected = "2:a1 4:a2 6:a3 8:a4 12:a5"},
	/* [C] Loads 1 (t), 1 1 3: 3 to the empty node 1, the two 1 to node 0 (2, then 3, of 2 PUs each). Node 0: three alike, 2 and 1. */
	{"cache", N2X2, 0, 3, 0, 3, .expected = "0:a1 1:a2 2:a3", .loads = last_heavy},
	{"cache,load=no", N2X2, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3", .loads = last_heavy},
	{"affinity", N2X2, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3", .loads = last_heavy},
	/* t has 3: the three 1 go to node 1 (1, 2 < 4, 3 < 4), there 2 and 1. */
	{"cache", N2X2, 0, 3, 0, 3, .expected = "2:a1 a2 3:a3", .loads = first_heavy},
	/* Two a node, of which t is one. a1 ran on PU 3, a2 on 1, a3 on 2: all go back. [A] does not ask. */
	{"cache", N2X2, 0, 3, 0, 3, .expected = "1:a2 2:a3 3:a1", .history = moved},
	{"affinity", N2X2, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3", .history = moved},
};

static void
nested_teams(void **state)
{
	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof nested_cases / sizeof *nested_cases; i++)
		nested(&nested_cases[i]);
	/* 256 threads with t on PU 0: member k on PU k. */
	char expected[8192], *end = expected;
	for (unsigned k = 1; k < 256; k++)
		end += sprintf(end, k > 1 ? " %u:a%u" : "%u:a%u", k, k);
	struct nested_case big = {"affinity", BIG, 0, 255, 0, 255, .expected = expected};
	nested(&big);
	big.policy = "cache";
	nested(&big);
	assert_int_equal(wrong, 0);
}

/* ---- Trees: bubble a holds bubbles b, c ... and nothing else ---- */

struct tree_case {
	const char *policy, *machine;
	unsigned sizes[8]; /* of b, c ... */
	float loads[8];	   /* of these; 0: not known */
	int leaf;	   /* of t; -1: there is none, all of a is new, and is placed as an outermost team */
	const char *expected;
};

static void
tree(const struct tree_case *one)
{
	struct fg_runqueue *top = fake_machine(one->machine);
	struct fg_bubble *outer = fake_bubble(NULL, 'a', 0), *inner[8];
	unsigned n = 0, threads = 0;
	while (one->sizes[n])
		n++;
	for (unsigned i = n; i-- > 0;) { /* what was put in last comes first */
		inner[i] = fake_bubble(outer, (char)('b' + i), one->sizes[i]);
		inner[i]->entity.load = one->loads[i];
		threads += one->sizes[i];
		assert_true(fg_bubble_put_locked(outer, &inner[i]->entity));
	}
	use(one->policy);
	if (one->leaf < 0) {
		fg_policy_hand_take(&outer->entity);
		fg_policy.sched->place(fg_policy.self, outer, top);
		assert_true(fg_policy_hand_empty(&fg_policy, top));
	} else {
		born(outer, top, fgomp_queue_of_pu(top, (unsigned)one->leaf));
	}
	all_right(top);
	assert_int_equal(fg_runqueue_threads(top), threads);
	char *text = fake_text(top);
	expect("tree", one->policy, one->machine, text, one->expected);
	free(text);
	for (unsigned i = 0; i < n; i++) {
		fg_bubble_free(inner[i]);
		free(inner[i]);
	}
	fg_bubble_free(outer);
	free(outer);
	fake_free(top);
}

#define ONE_A_PU "0:b1 1:b2 2:b3 3:b4 4:c1 5:c2 6:c3 7:c4 8:d1 9:d2 10:d3 11:d4 12:e1 13:e2 14:e3 15:e4"

static const struct tree_case tree_cases[] = {
	/* [A] figure 1: only the outer bubble bursts at the top; each of 4 fills a node, arrives whole, and bursts there.
	 * [C] 4 entities for 16 PUs: all burst at the top, largest first: 7, 10, 13, 16; in their order one a PU. */
	{"affinity", N4X4, {4, 4, 4, 4}, {0}, -1, ONE_A_PU},
	{"cache", N4X4, {4, 4, 4, 4}, {0}, -1, ONE_A_PU},
	/* t on PU 5. [A] With t 5 entities, 4 of them whole. They weigh 4, t 1: b, c, d to the empty nodes 0, 2, 3, e to node 1. There e and t are
	 * 2 for 4 PUs: burst; 5 threads on 4 PUs, rounded up from the left: 2, t, 1, 1.
	 * [C] 5, 8, 11, 14, 17 with t: all burst. 17 on 4 nodes, rounded up: 5, t and 3, 4, 4. */
	{"affinity",
	 N4X4,
	 {4, 4, 4, 4},
	 {0},
	 5,
	 "0:b1 1:b2 2:b3 3:b4 4:e1 e2 6:e3 7:e4 8:c1 9:c2 10:c3 11:c4 12:d1 13:d2 14:d3 15:d4"},
	{"cache",
	 N4X4,
	 {4, 4, 4, 4},
	 {0},
	 5,
	 "0:b1 b2 1:b3 2:b4 3:c1 4:c2 6:c3 7:c4 8:d1 9:d2 10:d3 11:d4 12:e1 13:e2 14:e3 15:e4"},
	/* 4, 2, 2 on two nodes of 4. [A] b fills a node, all nodes get something: whole. b to the empty node 0, c to node 1, d to node 1 (4 < 6).
	 * There two for 4 PUs, none of which gives every PU something: burst c, then d. [C] burst b (6), c (7), d (8): in order. */
	{"affinity", "n(....)n(....)", {4, 2, 2}, {0}, -1, "0:b1 1:b2 2:b3 3:b4 4:c1 5:c2 6:d1 7:d2"},
	{"cache", "n(....)n(....)", {4, 2, 2}, {0}, -1, "0:b1 1:b2 2:b3 3:b4 4:c1 5:c2 6:d1 7:d2"},
	/* 8, 2, 1, 1 on 4 nodes of 4. [A] keeps b together: a node each, b 2 a PU. [C] keeps the balance: burst b (11), c (12), d, e (12): three
	 * a node in the order in which they came out. Three on 4 PUs: 0 1 2; two: 0 2. */
	{"affinity", N4X4, {8, 2, 1, 1}, {0}, -1, "0:b1 b2 1:b3 b4 2:b5 b6 3:b7 b8 4:c1 6:c2 8:d1 12:e1"},
	{"cache", N4X4, {8, 2, 1, 1}, {0}, -1, "0:b1 1:b2 2:b3 4:b4 5:b5 6:b6 8:b7 9:b8 10:c1 12:c2 13:d1 14:e1"},
	/* A small package first. Both fill one: c, the larger, to the one that it fills least, b to the other. */
	{"affinity", SMALL_FIRST, {2, 6}, {0}, -1, "0:b1 1:b2 2:c1 3:c2 4:c3 5:c4 6:c5 7:c6"},
	{"affinity", SMALL_LAST, {2, 6}, {0}, -1, "0:c1 1:c2 2:c3 3:c4 4:c5 5:c6 6:b1 7:b2"},
	/* Offline PUs leave nodes of 4, 3, 2, 4, and b to e of 4, 3, 2, 4 fill the smallest: b to the first of the largest that is empty, e (4) to
	 * the other, c (3) to the empty one of 3 and d to that of 2. */
	{"affinity",
	 OFFLINE,
	 {4, 3, 2, 4},
	 {0},
	 -1,
	 "0:b1 1:b2 2:b3 3:b4 4:c1 5:c2 6:c3 7:d1 8:d2 9:e1 10:e2 11:e3 12:e4"},
#ifdef FG_HAVE_HWLOC
	/* Both fill a node: c, the larger, the one of 3. */
	{"affinity", OFFLINE_XML, {2, 3}, {0}, -1, "0:c1 1:c2 2:c3 3:b1 4:b2"},
#endif
	/* 5 teams, 4 PUs: none bursts. [A] all alike: 3 and 2; 2 and 1, 1 and 1.
	 * [C] loads 8 7 5 3 2: 8 n0, 7 n1, 5 n1 (12 < 13), 3 n0 (11 < 15), 2 n0 (13 < 14). n0: 8; 3, 2 (5 < 10). n1: 7; 5. */
	{"affinity", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, -1, "0:b(2) c(2) 1:d(2) 2:e(2) 3:f(2)"},
	{"cache,load=no", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, -1, "0:b(2) c(2) 1:d(2) 2:e(2) 3:f(2)"},
	{"cache", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, -1, "0:b(2) 1:e(2) f(2) 2:c(2) 3:d(2)"},
	/* The same with t on PU 0: as heavy as the mean thread, 25 / 10 = 2.5. 8 to the empty n1, 7 n0 (9.5 < 15), 5 n1 (13 < 14.5), 3 n0 (12.5 < 16),
	 * 2 n0 (14.5 < 15). In n0 t is 12 / 6 = 2: 7 to the empty PU 1, 3 to PU 0 (5), 2 to PU 0 (7 < 9).
	 * Tuned: the runqueue with the most goes to the node's: of 5 and 7 the second, of 8 and 5 the first. */
	{"cache", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, 0, "0:e(2) f(2) 1:c(2) 2:b(2) 3:d(2)"},
	{"cache,tuned", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, 0, "0-1:c(2) 0:e(2) f(2) 2-3:b(2) 3:d(2)"},
	/* One node of 2. Loads 4 3 2 2, t 11 / 8 = 1.375: 4 to the empty PU 1, 3 to PU 0 (4.375), the first 2 to PU 1 (6 < 6.375), the second to PU 0
	 * (6.375 < 8). On the queues lie 5 and 6: PU 1's goes up, the heaviest is found first. */
	{"cache,tuned=yes", "numa:1 core:2 pu:1", {2, 2, 2, 2}, {4, 3, 2, 2}, 0, "0-1:b(2) d(2) 0:c(2) e(2)"},
};

static void
trees(void **state)
{
	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof tree_cases / sizeof *tree_cases; i++)
		tree(&tree_cases[i]);
	assert_int_equal(wrong, 0);
}

/* ---- What an idle PU takes. Machine of 4 nodes of 4; PU 5 is idle ---- */

static struct fg_bubble *b, *c, *d, *held;

static struct fg_runqueue *
scene(const char *policy, int pu_b, int pu_c, int pu_d)
{
	struct fg_runqueue *top = fake_machine(N4X4);
	use(policy);
	b = fake_bubble(NULL, 'b', 3);
	c = fake_bubble(NULL, 'c', 5);
	d = fake_bubble(NULL, 'd', 9);
	if (pu_b >= 0)
		fg_runqueue_push(fgomp_queue_of_pu(top, (unsigned)pu_b), &b->entity);
	if (pu_c >= 0)
		fg_runqueue_push(fgomp_queue_of_pu(top, (unsigned)pu_c), &c->entity);
	if (pu_d >= 0)
		fg_runqueue_push(fgomp_queue_of_pu(top, (unsigned)pu_d), &d->entity);
	return top;
}

static void
steals(struct fg_runqueue *top, unsigned turn, const char *claimed, const char *expected)
{
	struct fg_claim claim = {0};
	char what[32] = "nothing";
	if (fg_policy_idle(fgomp_queue_of_pu(top, 5), turn, &claim))
		snprintf(what, sizeof what, "%c%u", fake_name(claim.bubble ? claim.bubble : claim.thread->bubble),
			 claim.member);
	assert_string_equal(what, claimed);
	all_right(top);
	char *text = fake_text(top);
	assert_string_equal(text, expected);
	free(text);
	fg_bubble_free(b);
	fg_bubble_free(c);
	fg_bubble_free(d);
	free(b);
	free(c);
	free(d);
	fake_free(top);
}

static uint64_t
seven(void)
{
	return 7;
}

static void
thieves(void **state)
{
	(void)state;
	/* [A] 3.3: the nearest level with something; several: the one with the most threads, whole. */
	steals(scene("affinity", 6, 7, 0), 0, "c1", "0:d(9) 5:c(4) 6:b(3)");
	/* A lone bubble: a part of it, and it moves to the innermost level above both: the node, the machine. */
	steals(scene("affinity", 6, -1, 0), 0, "b1", "0:d(9) 4-7:b(2)");
	steals(scene("affinity", -1, -1, 0), 0, "d1", "0-15:d(8)");
	/* A lone bubble that holds others: a complete subtree, with all that it holds, the largest; the bubble around it moves up. */
	struct fg_runqueue *top = scene("affinity", -1, -1, -1);
	held = fake_bubble(NULL, 'a', 0);
	b->entity.bubble = c->entity.bubble = held;
	assert_true(fg_bubble_put_locked(held, &b->entity) && fg_bubble_put_locked(held, &c->entity));
	fg_runqueue_push(fgomp_queue_of_pu(top, 4), &held->entity);
	steals(top, 0, "c1", "4-7:a(3) 5:c(4)");
	fg_bubble_free(held);
	free(held);
	/* b has fewer threads than c, but c was made by one of b's: b holds it all. */
	top = scene("affinity", 6, 6, 0);
	c->entity.bubble = b;
	steals(top, 0, "b1", "0:d(9) 5:b(2) 6:c(5)");
	/* Any PU: the dice say 7, and a lone bubble lies there; 7 again, where nothing is. */
	fg_world.random = seven;
	steals(scene("affinity,near=no", 6, 7, 0), 0, "c1", "0:d(9) 4-7:c(4) 6:b(3)");
	steals(scene("affinity,near=no", 6, 6, 0), 0, "nothing", "0:d(9) 6:c(5) b(3)");
	fg_world.random = NULL;
	/* [C] the nearest, of these the heaviest by load: b, of which one member goes; d is farther. */
	top = scene("cache", 6, 7, 0);
	b->entity.load = 10;
	d->entity.load = 99;
	steals(top, 0, "b1", "0:d(9) 6:b(2) 7:c(5)");
	/* The nearest, the oldest: on PU 6 b came before c. d is farther. Turn 3 begins with PU 7. */
	steals(scene("steal", 6, 6, 0), 0, "b1", "0:d(9) 6:c(5) b(2)");
	steals(scene("default", 6, 7, 0), 3, "c1", "0:d(9) 6:b(3) 7:c(4)");
	/* Any PU with the same probability: the dice say 7. */
	fg_world.random = seven;
	steals(scene("random", 6, 7, 0), 0, "c1", "0:d(9) 6:b(3) 7:c(4)");
	steals(scene("random", 6, 6, 0), 0, "nothing", "0:d(9) 6:c(5) b(3)");
	fg_world.random = NULL;
	/* Nested regions as `steal`; no stealing at all. */
	steals(scene("compact", 6, 6, 0), 0, "b1", "0:d(9) 6:c(5) b(2)");
	steals(scene("spread", 6, 7, 0), 0, "nothing", "0:d(9) 6:b(3) 7:c(5)");
	steals(scene("global", 6, 7, 0), 0, "nothing", "0:d(9) 6:b(3) 7:c(5)");
}

/* A policy on each node, inside another one: it takes from its own node, what crosses nodes is done as the outer one does it. */
static struct fg_policy inner;

static struct fg_runqueue *
layered(const char *outer, const char *policy, int pu_b, int pu_c, int pu_d)
{
	struct fg_runqueue *top = scene(outer, pu_b, pu_c, pu_d);
	const char *why;
	assert_true(fg_policy_start(&inner, fg_sched_find(policy), NULL, &why));
	inner.outer = &fg_policy;
	for (unsigned node = 0; node < 4; node++)
		fake_policy(fgomp_queue_child(top, node), &inner);
	return top;
}

static void
layers(void **state)
{
	(void)state;
	struct fg_runqueue *leaf, *top;
	struct fg_claim claim = {0};
	/* [C] one member of the heaviest in the node. Nothing there: [A] from elsewhere, one member of a lone bubble, which rises to the machine. */
	steals(layered("affinity", "cache", 6, 7, 0), 0, "c1", "0:d(9) 6:b(3) 7:c(4)");
	steals(layered("affinity", "cache", -1, -1, 0), 0, "d1", "0-15:d(8)");
	/* [A] in the node: b rises to the node; from elsewhere [C] takes a member, and d stays. */
	steals(layered("cache", "affinity", 6, -1, 0), 0, "b1", "0:d(9) 4-7:b(2)");
	steals(layered("cache", "affinity", -1, -1, 0), 0, "d1", "0:d(8)");
	/* The dice say 7: the last of the 4 PUs of the node. */
	fg_world.random = seven;
	steals(layered("steal", "random", 6, 7, 0), 0, "c1", "0:d(9) 6:b(3) 7:c(4)");
	fg_world.random = NULL;
	/* By itself none finds what lies on another node. */
	static const char *const thieves[] = {"default", "steal", "compact", "random", "affinity", "cache"};
	for (size_t i = 0; i < sizeof thieves / sizeof *thieves; i++) {
		top = layered("global", thieves[i], -1, -1, 0);
		steals(top, 0, "nothing", "0:d(9)");
	}
	/* The one queue is the node's; a bubble of 8 finds no level of the node with so many PUs. */
	top = layered("steal", "global", -1, -1, -1);
	leaf = fgomp_queue_of_pu(top, 5);
	assert_ptr_equal(fg_policy_born(b, leaf, leaf), fake_level(top, 4, 7));
	assert_ptr_equal(fg_policy_woken_slow(&b->entity, leaf), fake_level(top, 4, 7));
	steals(top, 0, "nothing", "");
	top = layered("steal", "spread", -1, -1, -1);
	leaf = fgomp_queue_of_pu(top, 5);
	assert_ptr_equal(fg_policy_born(d, leaf, leaf), fake_level(top, 4, 7));
	assert_false(fg_policy_idle(leaf, 0, &claim));
	steals(top, 0, "nothing", "");
	/* Around others it puts bubbles where they fit. */
	top = layered("spread", "steal", -1, -1, -1);
	leaf = fgomp_queue_of_pu(top, 5);
	assert_ptr_equal(fg_policy_born(b, top, leaf), fake_level(top, 4, 7));
	assert_ptr_equal(fg_policy_born(d, top, leaf), top);
	steals(top, 0, "nothing", "");
	fg_policy_stop(&inner);
}

/* `global` is the one that moves threads that are ready. */
static void
ready_threads(void **state)
{
	(void)state;
	struct fg_runqueue *top = fake_machine(N4X4), *near = fgomp_queue_of_pu(top, 5);
	struct fg_entity thread = {.kind = FG_ENTITY_THREAD};
	for (unsigned i = 0; fg_sched_built_in(i); i++) {
		use(fg_sched_built_in(i)->name);
		assert_ptr_equal(fg_policy_woken(&thread, near), strcmp(fg_policy.sched->name, "global") ? near : top);
	}
	fake_free(top);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(flat_teams), cmocka_unit_test(flat_256),
					   cmocka_unit_test(flat_loads), cmocka_unit_test(nested_teams),
					   cmocka_unit_test(trees),	 cmocka_unit_test(thieves),
					   cmocka_unit_test(layers),	 cmocka_unit_test(ready_threads)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fg_policy_stop(&fg_policy);
	return failed;
}
