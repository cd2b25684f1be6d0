/* Which PUs a program uses: distances, how many are wanted, and the three choices against slow ways to the same. */
#include "share/choice.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SQUARE "numa:4 core:4"

/* A square of four nodes: two links to the one that is opposite. */
static const uint8_t square[] = {0, 1, 1, 2, 1, 0, 2, 1, 1, 2, 0, 1, 2, 1, 1, 0};
static struct fg_distances distances;
static struct fg_pus taken;
static uint16_t reply[FG_CHOICE_PUS];

static void
set_up(const char *text, const uint8_t *links, unsigned n_nodes)
{
	const char *why = "";
	struct fg_machine *machine = fg_machine_synthetic(text, &why);
	if (!machine)
		fail_msg("%s: %s", text, why);
	distances = (struct fg_distances){machine, links, n_nodes};
	fg_distance_check(&distances);
	memset(&taken, 0, sizeof taken);
}

static void
tear_down(void)
{
	fg_machine_free((struct fg_machine *)distances.machine);
}

static void
take(const char *text)
{
	for (char *end; *text; text = end) {
		fg_pus_add(&taken, (unsigned)strtoul(text, &end, 10));
		assert_ptr_not_equal(end, text);
	}
}

/* Text of the reply, such as "3 0 1". */
static void
expect(enum fg_choice choice, unsigned pu, unsigned wanted, unsigned largest, const char *pus)
{
	struct fg_request request = {.pu = pu, .optimal = wanted, .largest = largest};
	unsigned n = fg_choice_make(choice, &distances, &taken, &request, wanted, reply);
	char text[1024] = "";
	for (unsigned i = 0; i < n; i++)
		sprintf(text + strlen(text), i ? " %u" : "%u", reply[i]);
	assert_string_equal(text, pus);
}

static void
apart(void **state)
{
	set_up(SQUARE, NULL, 0);
	assert_int_equal(fg_distance(&distances, 3, 3), 0);
	assert_int_equal(fg_distance(&distances, 3, 0), 1);
	assert_int_equal(fg_distance(&distances, 3, 15), 3);
	tear_down();
	set_up(SQUARE, square, 4);
	assert_int_equal(fg_distance(&distances, 0, 1), 1);
	assert_int_equal(fg_distance(&distances, 0, 4), 3);
	assert_int_equal(fg_distance(&distances, 0, 12), 5);
	assert_int_equal(fg_distance(&distances, 12, 0), 5);
	tear_down();
	set_up("package:2 l3:2 core:2 pu:2", NULL, 0);
	unsigned far[] = {0, 1, 3, 3, 7, 7, 7, 7, 15, 15, 15, 15, 15, 15, 15, 15};
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(fg_distance(&distances, 0, i), far[i]);
	tear_down();
}

/* Links that do not fit the machine are not used. */
static void
wrong_links(void **state)
{
	set_up("numa:5 core:2", square, 4);
	assert_null(distances.links);
	tear_down();
	static const uint8_t many[65 * 65];
	set_up("numa:4 core:4", many, 65);
	assert_null(distances.links);
	tear_down();
}

static void
wanted(void **state)
{
	struct fg_request request = {.optimal = 4, .largest = 12}, odd = {.optimal = 9, .largest = 3}, none = {0},
			  huge = {.optimal = 4, .largest = 100000};
	assert_int_equal(fg_choice_wanted(&request, 16, 16), 12);
	assert_int_equal(fg_choice_wanted(&request, 8, 16), 8);
	assert_int_equal(fg_choice_wanted(&request, 0, 16), 4);
	assert_int_equal(fg_choice_wanted(&request, 1, 16), 5); /* a half more is one more */
	assert_int_equal(fg_choice_wanted(&odd, 16, 16), 3);
	assert_int_equal(fg_choice_wanted(&none, 16, 16), 1);
	assert_int_equal(fg_choice_wanted(&huge, 16, 16), 16);
	assert_int_equal(fg_choice_wanted(&request, 2, 2), 2);
	set_up(SQUARE, NULL, 0);
	take("0 1 2 15");
	assert_int_equal(fg_choice_free(&distances, &taken, 3), 12);
	assert_int_equal(fg_choice_free(&distances, &taken, 0), 13);
	tear_down();
}

static void
simple(void **state)
{
	set_up(SQUARE, square, 4);
	expect(FG_CHOICE_SIMPLE, 5, 1, 16, "5");
	expect(FG_CHOICE_SIMPLE, 5, 4, 16, "5 4 6 7");
	expect(FG_CHOICE_SIMPLE, 5, 6, 16, "5 4 6 7 0 1");
	take("0 1 2 3 6 7 12 13");
	expect(FG_CHOICE_SIMPLE, 5, 5, 16, "5 4 14 15 8");	    /* node 3 is one link away, node 2 is two */
	expect(FG_CHOICE_SIMPLE, 0, 4, 16, "0 4 5 8");		    /* its own PU is taken */
	expect(FG_CHOICE_SIMPLE, 5, 16, 16, "5 4 14 15 8 9 10 11"); /* no more are free */
	tear_down();
}

static void
queued(void **state)
{
	set_up(SQUARE, NULL, 0);
	take("4 5 6 7 8 9 10 11 12 13 14 15");
	struct fg_request request = {.pu = 0, .optimal = 5, .largest = 5, .queue = true};
	for (enum fg_choice choice = 0; choice < FG_CHOICES; choice++) {
		assert_int_equal(fg_choice_make(choice, &distances, &taken, &request, 5, reply), 0);
		assert_int_equal(fg_choice_make(choice, &distances, &taken, &request, 4, reply), 4);
	}
	tear_down();
}

static void
clustering(void **state)
{
	set_up(SQUARE, square, 4);
	take("2 3 4 5 8 9 10");
	/* Node 0 has 0, 1; node 1 has 6, 7; node 2 has 11; node 3 is empty. */
	expect(FG_CHOICE_CLUSTERING, 0, 2, 16, "0 1");
	expect(FG_CHOICE_CLUSTERING, 0, 3, 16, "0 1 11");	      /* it fits */
	expect(FG_CHOICE_CLUSTERING, 0, 4, 16, "0 1 6 7");	      /* it fits */
	expect(FG_CHOICE_CLUSTERING, 0, 5, 16, "0 1 12 13 14");	      /* in use: none; empty */
	expect(FG_CHOICE_CLUSTERING, 0, 6, 16, "0 1 12 13 14 15");    /* it fits, far away as it is */
	expect(FG_CHOICE_CLUSTERING, 0, 7, 16, "0 1 12 13 14 15 11"); /* empty, then what fits */
	expect(FG_CHOICE_CLUSTERING, 0, 8, 16, "0 1 12 13 14 15 6 7");
	take("11 13");
	expect(FG_CHOICE_CLUSTERING, 0, 3, 16, "0 1 6"); /* node 1 in use is nearer than node 3 */
	tear_down();
	/* Sets in sets: the package in use that is nearest has an L3 in use. */
	set_up("package:3 l3:3 core:4", NULL, 0);
	take("0 1 2 4 5 6 7 8 9 10 11 12 24 25 28");
	expect(FG_CHOICE_CLUSTERING, 3, 3, 36, "3 13 14");
	expect(FG_CHOICE_CLUSTERING, 3, 4, 36, "3 13 14 15");
	expect(FG_CHOICE_CLUSTERING, 3, 6, 36, "3 16 17 18 19 13");
	tear_down();
}

static void
enhanced(void **state)
{
	set_up(SQUARE, square, 4);
	take("2 3 4 5 8 9 10");
	expect(FG_CHOICE_ENHANCED, 0, 1, 16, "0");
	expect(FG_CHOICE_ENHANCED, 0, 2, 16, "0 1");
	expect(FG_CHOICE_ENHANCED, 0, 3, 16, "0 1");	      /* one less */
	expect(FG_CHOICE_ENHANCED, 0, 5, 16, "0 1 6 7");      /* two of three fit */
	expect(FG_CHOICE_ENHANCED, 12, 3, 16, "12 13 14 15"); /* one more */
	expect(FG_CHOICE_ENHANCED, 12, 3, 3, "12 13 14");     /* but that is not more than the largest */
	expect(FG_CHOICE_ENHANCED, 12, 2, 16, "12 13");	      /* no border is near */
	expect(FG_CHOICE_ENHANCED, 12, 5, 16, "12 13 14 15");
	expect(FG_CHOICE_ENHANCED, 12, 6, 16, "12 13 14 15 6 7");
	expect(FG_CHOICE_ENHANCED, 12, 7, 16,
	       "12 13 14 15 6 7"); /* two of three fit; one more would be a further node */
	tear_down();
}

/* ---- the example of the slides, in spirit: four processes on four nodes of four PUs ---- */

static unsigned
local_distance(const uint16_t *pus, unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 1; i < n; i++)
		sum += fg_distance(&distances, pus[i - 1], pus[i]);
	return sum;
}

/* "+4@9": a process on PU 9 gets 4 PUs. "-0": the first one leaves. Returns the sum of those that are there at the
 * end. */
static unsigned
processes(enum fg_choice choice, const char *text)
{
	uint16_t pus[8][FG_CHOICE_PUS];
	unsigned n[8] = {0}, next = 0, sum = 0;
	memset(&taken, 0, sizeof taken);
	for (char *end; *text; text = end) {
		unsigned number = (unsigned)strtoul(text + 1 + (*text == ' '), &end, 10);
		if (*end != '@') {
			for (unsigned i = 0; i < n[number]; i++)
				fg_pus_remove(&taken, pus[number][i]);
			n[number] = 0;
			continue;
		}
		struct fg_request request = {
			.pu = (unsigned)strtoul(end + 1, &end, 10), .optimal = number, .largest = number};
		n[next] = fg_choice_make(choice, &distances, &taken, &request, number, pus[next]);
		assert_int_equal(n[next], number);
		for (unsigned i = 0; i < number; i++)
			fg_pus_add(&taken, pus[next][i]);
		next++;
	}
	for (unsigned i = 0; i < next; i++)
		sum += local_distance(pus[i], n[i]);
	return sum;
}

static void
four_processes(void **state)
{
	set_up(SQUARE, square, 4);
	/* The slides have 44 where they are fragmented, and 13 where they are not. */
	unsigned fragmented = 0;
	for (uint16_t i = 0; i < 4; i++)
		fragmented += local_distance((uint16_t[]){i, 4 + i, 8 + i, 12 + i}, 4);
	assert_int_equal(fragmented, 44);
	assert_int_equal(processes(FG_CHOICE_CLUSTERING, "+4@0 +4@4 +4@8 +4@12"), 12);
	/* Six processes come and two go. (The sequence was searched for, so it says nothing of others.) */
	static const char *const story = "+4@9 +2@5 +2@2 -0 +5@3 -1 +3@13 +4@4";
	assert_int_equal(processes(FG_CHOICE_SIMPLE, story), 20);
	assert_int_equal(processes(FG_CHOICE_CLUSTERING, story), 12);
	tear_down();
}

/* ---- laws ---- */

static bool
is_taken(unsigned pu)
{
	return fg_pus_has(&taken, pu);
}

/* The slow way: the nearest free PU again and again. */
static void
check_nearest(const struct fg_request *request, unsigned n)
{
	bool used[FG_CHOICE_PUS] = {false};
	used[request->pu] = true;
	for (unsigned i = 1; i < n; i++) {
		unsigned best = FG_CHOICE_PUS;
		for (unsigned pu = 0; pu < distances.machine->n_pus; pu++)
			if (!used[pu] && !is_taken(pu) &&
			    (best == FG_CHOICE_PUS ||
			     fg_distance(&distances, request->pu, pu) < fg_distance(&distances, request->pu, best)))
				best = pu;
		assert_int_equal(reply[i], best);
		used[best] = true;
	}
}

/* No PU twice, none that is taken, its own first; so many as wanted, or all. */
static void
check_laws(enum fg_choice choice, const struct fg_request *request, unsigned wanted)
{
	uint16_t again[FG_CHOICE_PUS];
	bool seen[FG_CHOICE_PUS] = {false};
	unsigned free = fg_choice_free(&distances, &taken, request->pu), most = wanted < free ? wanted : free;
	unsigned n = fg_choice_make(choice, &distances, &taken, request, wanted, reply);
	assert_in_range(n, 1, free);
	assert_int_equal(reply[0], request->pu);
	for (unsigned i = 0; i < n; i++) {
		assert_true(reply[i] < distances.machine->n_pus && !seen[reply[i]]);
		assert_true(i == 0 || !is_taken(reply[i]));
		seen[reply[i]] = true;
	}
	unsigned slack = choice == FG_CHOICE_ENHANCED ? (wanted + 1) / 4 : 0;
	assert_true(n + slack >= most && n <= wanted + slack &&
		    n <= (request->largest > wanted ? request->largest : wanted));
	assert_int_equal(fg_choice_make(choice, &distances, &taken, request, wanted, again), n);
	assert_memory_equal(again, reply, n * sizeof *reply);
	if (choice == FG_CHOICE_SIMPLE)
		check_nearest(request, n);
}

static void
take_some(unsigned per_mille)
{
	memset(&taken, 0, sizeof taken);
	for (unsigned pu = 0; pu < distances.machine->n_pus; pu++)
		if ((unsigned)rand() % 1000 < per_mille)
			fg_pus_add(&taken, pu);
}

static void
laws(void **state)
{
	static const struct {
		const char *machine;
		const uint8_t *links;
	} machines[] = {{SQUARE, square},
			{SQUARE, NULL},
			{"package:3 l3:3 core:4", NULL},
			{"numa:4 l3:2 core:5 pu:2", square},
			{"core:7", NULL},
			{"package:2 numa:2 l3:2 core:3", square},
			{"numa:4 l3:4 core:32 pu:2", square}};
	srand(1);
	for (unsigned m = 0; m < sizeof machines / sizeof *machines; m++) {
		set_up(machines[m].machine, machines[m].links, 4);
		unsigned pus = distances.machine->n_pus, rounds = pus > 64 ? 60 : 800;
		for (unsigned round = 0; round < rounds; round++) {
			take_some((unsigned)rand() % 1001);
			struct fg_request request = {.pu = (unsigned)rand() % pus,
						     .optimal = 1 + (unsigned)rand() % pus};
			request.largest = request.optimal + (unsigned)rand() % pus;
			unsigned free = fg_choice_free(&distances, &taken, request.pu);
			unsigned n = fg_choice_wanted(&request, free, pus);
			assert_in_range(n, 1, pus);
			assert_true(n >= request.optimal && n <= request.largest);
			for (enum fg_choice choice = 0; choice < FG_CHOICES; choice++)
				check_laws(choice, &request, n);
		}
		tear_down();
	}
}

/* ---- all ways to choose, on a small machine ---- */

static unsigned
nodes_of(unsigned n)
{
	bool used[4] = {false};
	for (unsigned i = 0; i < n; i++)
		used[reply[i] / 4] = true;
	return used[0] + used[1] + used[2] + used[3];
}

/* The fewest nodes whose free PUs suffice, the own one among them. */
static unsigned
fewest_nodes(unsigned own_pu, unsigned wanted)
{
	unsigned fewest = 4;
	for (unsigned nodes = 0; nodes < 16; nodes++) {
		unsigned free = is_taken(own_pu);
		for (unsigned pu = 0; pu < 16; pu++)
			free += nodes >> pu / 4 & 1 && !is_taken(pu);
		unsigned n = (unsigned)__builtin_popcount(nodes);
		if (nodes >> own_pu / 4 & 1 && free >= wanted && n < fewest)
			fewest = n;
	}
	return fewest;
}

/* At most one node that is used has free PUs left. */
static unsigned
nodes_left_open(unsigned n)
{
	bool used[4] = {false}, chosen[16] = {false}, open[4] = {false};
	for (unsigned i = 0; i < n; i++)
		used[reply[i] / 4] = chosen[reply[i]] = true;
	for (unsigned pu = 0; pu < 16; pu++)
		if (used[pu / 4] && !is_taken(pu) && !chosen[pu])
			open[pu / 4] = true;
	return open[0] + open[1] + open[2] + open[3];
}

static void
fewest(void **state)
{
	unsigned bordered = 0, adjusted = 0;
	set_up(SQUARE, square, 4);
	srand(2);
	for (unsigned round = 0; round < 4000; round++) {
		take_some((unsigned)rand() % 700);
		struct fg_request request = {.pu = (unsigned)rand() % 16, .largest = 16};
		unsigned wanted = 1 + (unsigned)rand() % fg_choice_free(&distances, &taken, request.pu);
		unsigned n = fg_choice_make(FG_CHOICE_CLUSTERING, &distances, &taken, &request, wanted, reply);
		assert_int_equal(nodes_of(n), fewest_nodes(request.pu, wanted));
		assert_true(nodes_left_open(n) <= 1);
		n = fg_choice_make(FG_CHOICE_ENHANCED, &distances, &taken, &request, wanted, reply);
		assert_true(nodes_of(n) <= fewest_nodes(request.pu, wanted));
		/* Where it does not end at a border, the number is as wanted. */
		assert_true(n == wanted || nodes_left_open(n) == 0);
		bordered += nodes_left_open(n) == 0;
		adjusted += n != wanted;
	}
	assert_true(bordered > 2000 && adjusted > 500);
	tear_down();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(apart),    cmocka_unit_test(wrong_links),
					   cmocka_unit_test(wanted),   cmocka_unit_test(simple),
					   cmocka_unit_test(queued),   cmocka_unit_test(clustering),
					   cmocka_unit_test(enhanced), cmocka_unit_test(four_processes),
					   cmocka_unit_test(laws),     cmocka_unit_test(fewest)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
