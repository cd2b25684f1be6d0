/* Areas of memory: the registry, the threads that are attached, the nodes of pages, and the figures that a policy gets,
 * on made-up machines and pages. */
#include <stdint.h>
#include <string.h>

#include "fake_machine.h"

#include "base/carrier.h"
#include "memory/area.h"
#include "memory/haul.h"
#include "memory/where.h"

/* ---- A system whose pages are where a test wants them ---- */

#define PAGE 4096ul
static int (*node_of_page)(uintptr_t number);
static unsigned questions, most_pages;
static bool told = true;

static unsigned
four_nodes(void)
{
	return 4;
}

static bool
answer(unsigned n, void *const *pages, int *node)
{
	questions++;
	most_pages = n > most_pages ? n : most_pages;
	for (unsigned i = 0; i < n; i++)
		node[i] = node_of_page((uintptr_t)pages[i] / PAGE);
	return told;
}

static const struct fg_where made_up = {.nodes = four_nodes, .ask = answer};

static int
by_turns(uintptr_t page)
{
	return (int)(page % 4);
}

static int
half_touched(uintptr_t page)
{
	return page & 1 ? 2 : -2;
}

static int
all_on_three(uintptr_t page)
{
	return page ? 3 : 3;
}

static int
beyond_all(uintptr_t page)
{
	return page ? 77 : 77;
}

static uint64_t time_now;

static uint64_t
now(void)
{
	return time_now;
}

static struct fg_carrier clock_only;

static int
setup(void **state)
{
	(void)state;
	clock_only = *fg_carrier;
	clock_only.now = now;
	fg_carrier = &clock_only;
	fg_where = &made_up;
	time_now = 1;
	questions = most_pages = 0;
	told = true;
	node_of_page = all_on_three;
	fg_areas_after_fork();
	return 0;
}

/* ---- Where pages lie ---- */

static void
measure_small(void **state)
{
	(void)state;
	size_t on[4];
	node_of_page = by_turns;
	/* From the middle of page 5 to the middle of page 7. */
	assert_true(fg_where_measure(5 * PAGE + 96, 7 * PAGE + 1000, on, 4));
	assert_int_equal(on[1], PAGE - 96);
	assert_int_equal(on[2], PAGE);
	assert_int_equal(on[3], 1000);
	assert_int_equal(on[0], 0);
	assert_true(fg_where_measure(9 * PAGE + 5, 9 * PAGE + 6, on, 4)); /* a byte */
	assert_int_equal(on[1], 1);
	assert_int_equal(on[0] + on[2] + on[3], 0);
	node_of_page = half_touched;
	assert_true(fg_where_measure(0, FG_WHERE_SAMPLES * PAGE, on, 4));
	assert_int_equal(on[2], FG_WHERE_SAMPLES / 2 * PAGE);
	assert_int_equal(on[0] + on[1] + on[3], 0);
	assert_int_equal(most_pages, FG_WHERE_SAMPLES);
}

/* Of a large range a sample; a pattern with a period that divides the distance of the samples does not hide. */
static void
measure_large(void **state)
{
	(void)state;
	size_t on[4], pages = FG_WHERE_SAMPLES * 64;
	node_of_page = by_turns;
	assert_true(fg_where_measure(PAGE, (pages + 1) * PAGE, on, 4));
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(on[i], pages * PAGE * 18 / 100, pages * PAGE * 32 / 100);
	assert_int_equal(on[0] + on[1] + on[2] + on[3], pages * PAGE);
	assert_int_equal(most_pages, FG_WHERE_SAMPLES);
	node_of_page = all_on_three;
	assert_true(fg_where_measure(PAGE, SIZE_MAX, on, 4));
	assert_int_equal(on[3], SIZE_MAX - PAGE);
	node_of_page = beyond_all; /* a node that the machine lacks */
	assert_true(fg_where_measure(PAGE, 9 * PAGE, on, 4));
	assert_int_equal(on[0] + on[1] + on[2] + on[3], 0);
}

/* ---- The registry ---- */

static void
attach(uintptr_t start, uintptr_t bytes, const void *team, unsigned member, unsigned access)
{
	struct fg_area_stuff stuff;
	assert_true(fg_area_stuff(&stuff));
	fg_areas_lock();
	fg_area_stock_locked(stuff);
	enum fg_attached attached = fg_attach_locked(
		start, start + bytes, &(struct fg_attachment){.team = team, .member = member, .access = access});
	fg_areas_unlock();
	assert_int_not_equal(attached, FG_ATTACHED_NO_STOCK);
}

static bool
detach(uintptr_t start, uintptr_t bytes, const void *team, unsigned member)
{
	fg_areas_lock();
	bool was = fg_detach_locked(start, start + bytes, team, member);
	fg_areas_unlock();
	return was;
}

static unsigned
count(const struct fg_entity *entity, bool whole)
{
	return fgomp_entity_areas(entity, whole, NULL, 0);
}

static void
asked_when_needed(void **state)
{
	(void)state;
	size_t on[4];
	struct fg_bubble *a = fake_bubble(NULL, 'a', 3);
	a->areas = a;
	attach(PAGE, 10 * PAGE, a, 1, 1);
	assert_int_equal(questions, 0);
	assert_int_equal(fgomp_entity_memory(&a->entity, false, NULL, 0), 10 * PAGE);
	assert_int_equal(questions, 0); /* the caller does not ask for nodes */
	assert_int_equal(fgomp_entity_memory(&a->entity, false, on, 4), 10 * PAGE);
	assert_int_equal(on[3], 10 * PAGE);
	node_of_page = by_turns;
	time_now += FG_AREA_FRESH_NS - 1;
	fgomp_entity_memory(&a->entity, false, on, 4);
	assert_int_equal(questions, 1);
	assert_int_equal(on[3], 10 * PAGE);
	time_now += 1;
	assert_int_equal(fgomp_entity_memory(&a->entity, false, on, 2), 10 * PAGE); /* room for fewer nodes */
	assert_int_equal(questions, 2);
	attach(PAGE, 10 * PAGE, a, 1, 1); /* nothing new */
	fgomp_entity_memory(&a->entity, false, on, 4);
	assert_int_equal(questions, 2);
	attach(PAGE, 10 * PAGE, a, 2, 1);
	fgomp_entity_memory(&a->entity, false, on, 2);
	assert_int_equal(questions, 3);
	on[3] = 10 * PAGE;
	fgomp_entity_memory(&a->entity, false, on, 2);
	assert_int_equal(on[0], 2 * PAGE);
	assert_int_equal(on[3], 10 * PAGE); /* not written */
	told = false;
	time_now += FG_AREA_FRESH_NS;
	assert_int_equal(fgomp_entity_memory(&a->entity, false, on, 4), 10 * PAGE);
	assert_int_equal(on[0] + on[1] + on[2] + on[3], 0);
	struct fgomp_area area = {.start = (void *)PAGE, .bytes = 10 * PAGE},
			  none = {.start = (void *)PAGE, .bytes = 1};
	assert_int_equal(fgomp_area_memory(&area, on, 4), 10 * PAGE);
	assert_int_equal(fgomp_area_memory(&none, on, 4), 0);
	free(a);
}

static void
who_is_attached(void **state)
{
	(void)state;
	struct fg_bubble *a = fake_bubble(NULL, 'a', 3), *b = fake_bubble(a, 'b', 2), *c = fake_bubble(NULL, 'c', 1);
	struct fg_entity *member[3], thread = {.kind = FG_ENTITY_THREAD, .bubble = a, .number = 0};
	a->areas = a;
	b->areas = b;
	attach(1 * PAGE, PAGE, a, FG_ALL_MEMBERS, 1);
	attach(2 * PAGE, PAGE, a, 2, 2);
	attach(2 * PAGE, PAGE, a, 3, 1);
	attach(3 * PAGE, PAGE, b, 0, 3);
	attach(2 * PAGE, PAGE, b, 1, 1);
	assert_int_equal(fg_bubble_burst(a, member), 3);
	assert_int_equal(count(NULL, false), 3);
	assert_int_equal(count(&c->entity, true), 0);
	assert_int_equal(count(&a->entity, false), 2); /* pages 1 and 2, each once */
	assert_int_equal(count(&a->entity, true), 3);
	assert_int_equal(fgomp_entity_memory(&a->entity, true, NULL, 0), 3 * PAGE);
	assert_int_equal(count(&b->entity, true), 2);
	assert_int_equal(count(member[0], false), 1); /* that of the whole team */
	assert_int_equal(count(member[1], false), 2);
	assert_int_equal(count(&thread, false), 1);
	struct fgomp_area area[2];
	assert_int_equal(fgomp_entity_areas(&b->entity, false, area, 2), 2);
	struct fgomp_area *own = &area[area[0].start == (void *)(3 * PAGE) ? 0 : 1];
	assert_ptr_equal(own->start, (void *)(3 * PAGE));
	assert_int_equal(own->access, 3);
	assert_int_equal(own->attached, 1);
	assert_false(own->allocated);
	assert_int_equal(fgomp_entity_areas(&a->entity, true, area, 1), 3); /* room for one */
	/* A placed team has the areas under the name of another. */
	struct fg_bubble *plan = fake_bubble(NULL, 'p', 3);
	plan->areas = a;
	assert_int_equal(count(&plan->entity, false), 2);
	/* The member of b that met the region is a thread of a. */
	fg_areas_lock();
	struct fg_attachment *met = fg_attached_next_locked(b, NULL);
	while (met->member != 0)
		met = fg_attached_next_locked(b, met);
	met->thread = &thread;
	fg_areas_unlock();
	assert_int_equal(count(&thread, false), 2);
	assert_false(detach(3 * PAGE, PAGE, a, 0));
	assert_false(detach(3 * PAGE, PAGE + 1, b, 0));
	assert_true(detach(3 * PAGE, PAGE, b, 0));
	assert_int_equal(count(NULL, false), 2);
	fg_areas_lock();
	fg_detach_team_locked(a);
	fg_areas_unlock();
	assert_int_equal(count(NULL, false), 1); /* page 2: b's */
	fg_bubble_free(a);
	free(a);
	free(b);
	free(c);
	free(plan);
}

static void
blocks(void **state)
{
	(void)state;
	struct fg_bubble *a = fake_bubble(NULL, 'a', 3);
	struct fg_area_stuff stuff;
	a->areas = a;
	assert_false(fg_area_freed_locked(PAGE, 9 * PAGE));
	assert_null(fg_area_keep_locked(PAGE, 9 * PAGE, FG_AREA_OF_ALLOCATOR)); /* the stock is empty */
	assert_true(fg_area_stuff(&stuff));
	fg_area_stock_locked(stuff);
	struct fg_area *block = fg_area_keep_locked(PAGE, 9 * PAGE, FG_AREA_OF_ALLOCATOR);
	assert_non_null(block);
	assert_ptr_equal(fg_area_keep_locked(PAGE, 9 * PAGE, FG_AREA_OF_ALLOCATOR), block);
	assert_int_equal(count(NULL, false), 1);
	assert_int_equal(count(&a->entity, false), 0);
	attach(PAGE, 8 * PAGE, a, 1, 1); /* the block */
	attach(2 * PAGE, PAGE, a, 1, 1); /* a part */
	attach(2 * PAGE, PAGE, a, 2, 1);
	attach(8 * PAGE, 2 * PAGE, a, 1, 1); /* more than the block */
	assert_int_equal(count(NULL, false), 3);
	struct fgomp_area area[3];
	fgomp_entity_areas(NULL, false, area, 3);
	assert_int_equal(area[0].allocated + area[1].allocated + area[2].allocated, 1);
	assert_true(fg_area_freed_locked(PAGE, 9 * PAGE));
	assert_false(fg_area_freed_locked(PAGE, 9 * PAGE));
	assert_int_equal(fgomp_entity_areas(NULL, false, area, 3), 1);
	assert_ptr_equal(area[0].start, (void *)(8 * PAGE));
	free(a);
}

/* ---- Hauls ---- */

#define ROOM 1024
static int lies_on[ROOM]; /* by page; page 0 is in no area */
static unsigned moves;
static bool refuses;

static int
as_noted(uintptr_t page)
{
	return page < ROOM ? lies_on[page] : -2;
}

static bool
move_noted(unsigned n, void *const *pages, const int *to, int *node)
{
	moves++;
	for (unsigned i = 0; i < n; i++) {
		uintptr_t page = (uintptr_t)pages[i] / PAGE;
		if (!refuses)
			lies_on[page] = to[i];
		node[i] = lies_on[page];
	}
	return true;
}

static const struct fg_where movable = {.nodes = four_nodes, .ask = answer, .move = move_noted};

static bool
any_area(const struct fg_area *area, const void *arg)
{
	return area != arg;
}

/* The users of each attachment of the team are on these nodes. */
static void
request(const struct fg_bubble *team, uint64_t nodes)
{
	fg_areas_ask(any_area, NULL);
	fg_areas_lock();
	for (struct fg_attachment *one = fg_attached_next_locked(team, NULL); one;
	     one = fg_attached_next_locked(team, one))
		fg_haul_ask_locked(one, nodes);
	fg_areas_unlock();
}

static void
begin_hauls(void)
{
	fg_where = &movable;
	node_of_page = as_noted;
	memset(lies_on, 0, sizeof lies_on);
	moves = 0;
	refuses = false;
}

/* The written area first, whole pages only, and what nobody has touched stays. */
static void
data_are_hauled(void **state)
{
	(void)state;
	struct fg_bubble *team = fake_bubble(NULL, 'a', 3);
	struct fg_haul haul;
	team->areas = team;
	begin_hauls();
	lies_on[12] = -2;
	attach(2 * PAGE, 4 * PAGE, team, FG_ALL_MEMBERS, 1);
	attach(10 * PAGE + 100, 4 * PAGE, team, 1, 2);
	attach(20 * PAGE, PAGE, team, 2, 3);
	assert_false(fg_haul_take(team, 1, &haul)); /* nobody has asked */
	request(team, 1u << 2);
	assert_int_equal(fg_load_relaxed(&fg_hauls_left), 3);
	assert_true(fg_haul_take(team, 1, &haul));
	assert_int_equal(haul.low, 11 * PAGE);
	assert_int_equal(haul.high, 14 * PAGE);
	assert_int_equal(fg_haul_carry_out(&haul), 2);
	assert_int_equal(lies_on[10] + lies_on[14], 0);
	assert_int_equal(lies_on[11] + lies_on[13], 4);
	assert_int_equal(lies_on[12], -2);
	assert_true(fg_haul_take(team, 1, &haul));
	assert_int_equal(haul.low, 2 * PAGE);
	assert_int_equal(fg_haul_carry_out(&haul), 4);
	assert_false(fg_haul_take(team, 1, &haul)); /* the third is another member's */
	assert_true(fg_haul_take(team, 2, &haul));
	fg_haul_carry_out(&haul);
	assert_false(fg_haul_take(team, 2, &haul));
	assert_int_equal(fg_load_relaxed(&fg_hauls_left), 0);
	time_now += FG_AREA_FRESH_NS;
	request(team, 1u << 2); /* all but a page's part is there */
	assert_false(fg_haul_take(team, 2, &haul));
	free(team);
}

/* Data of users on several nodes go round these, and a piece has a limit. Where the system refuses, the rest stays. */
static void
shared_data_go_round(void **state)
{
	(void)state;
	struct fg_bubble *team = fake_bubble(NULL, 'a', 3);
	struct fg_haul haul;
	team->areas = team;
	begin_hauls();
	attach(PAGE, 600 * PAGE, team, FG_ALL_MEMBERS, 3);
	request(team, 1u << 1 | 1u << 3);
	while (fg_haul_take(team, 0, &haul))
		fg_haul_carry_out(&haul);
	assert_int_equal(moves, 2);
	for (unsigned page = 1; page <= 600; page++)
		assert_int_equal(lies_on[page], page % 2 ? 3 : 1);
	refuses = true;
	time_now += FG_AREA_FRESH_NS;
	request(team, 1);
	assert_true(fg_haul_take(team, 0, &haul));
	assert_int_equal(fg_haul_carry_out(&haul), 0);
	assert_false(fg_haul_take(team, 0, &haul));
	request(team, 1);
	assert_int_equal(fg_load_relaxed(&fg_hauls_left), 0);
	fg_areas_lock();
	fg_detach_team_locked(team);
	fg_areas_unlock();
	attach(PAGE, 600 * PAGE, team, FG_ALL_MEMBERS, 3);
	request(team, 1);
	assert_int_equal(fg_load_relaxed(&fg_hauls_left), 1);
	fg_areas_lock();
	fg_detach_team_locked(team); /* nothing is left of an area that is over */
	fg_areas_unlock();
	assert_int_equal(fg_load_relaxed(&fg_hauls_left), 0);
	free(team);
}

static void
stock_of(unsigned n)
{
	struct fg_area_stuff stuff;
	while (n-- > 0) {
		assert_true(fg_area_stuff(&stuff));
		fg_area_stock_locked(stuff);
	}
}

/* Areas that the program keeps are found by any of their bytes, and split at pages. What is attached to the whole
 * stays. */
static void
kept_and_split(void **state)
{
	(void)state;
	struct fg_bubble *a = fake_bubble(NULL, 'a', 3);
	const struct fg_area_range whole = {PAGE + 100, 9 * PAGE - 50};
	a->areas = a;
	stock_of(3);
	assert_non_null(fg_area_keep_locked(20 * PAGE, 29 * PAGE, FG_AREA_OF_ALLOCATOR));
	assert_null(fg_area_kept_locked(0, 30 * PAGE));
	struct fg_area *area = fg_area_keep_locked(whole.start, whole.end, FG_AREA_REGISTERED);
	assert_ptr_equal(fg_area_kept_locked(0, PAGE + 101), area);
	assert_ptr_equal(fg_area_kept_locked(9 * PAGE - 51, 30 * PAGE), area);
	assert_null(fg_area_kept_locked(0, PAGE + 100));
	assert_null(fg_area_kept_locked(9 * PAGE - 50, 30 * PAGE));
	attach(whole.start, whole.end - whole.start, a, 1, 1);
	assert_false(fg_area_split_locked(area, 3, PAGE)); /* the stock has too few */
	assert_ptr_equal(fg_area_kept_locked(0, 30 * PAGE), area);
	stock_of(2);
	assert_true(fg_area_split_locked(area, 3, PAGE)); /* 8 pages */
	assert_int_equal(count(&a->entity, false), 1);
	assert_int_equal(count(NULL, false), 5);
	const uintptr_t starts[] = {whole.start, 3 * PAGE, 6 * PAGE, whole.end};
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(fg_area_part(whole, 3, i, PAGE), starts[i]);
		const struct fg_area *part = fg_area_kept_locked(starts[i], starts[i] + 1);
		assert_true(part->start == starts[i] && part->end == starts[i + 1] && part->kept == FG_AREA_REGISTERED);
	}
	assert_true(fg_area_freed_locked(starts[1], starts[2]));
	assert_null(fg_area_kept_locked(starts[1], starts[2]));
	assert_int_equal(count(&a->entity, false), 1);
	free(a);
}

/* Random operations, against a table that says the same. */
#define RANGES 12
#define TEAMS 3
#define MEMBERS 3

static void
as_a_table_has_it(void **state)
{
	(void)state;
	static unsigned access[RANGES][TEAMS][MEMBERS];
	static bool allocated[RANGES];
	struct fg_bubble *team[TEAMS];
	struct fg_area_stuff stuff;
	uint32_t random = 7;
	for (unsigned t = 0; t < TEAMS; t++) {
		team[t] = fake_bubble(NULL, 'a', MEMBERS);
		team[t]->areas = team[t];
	}
	for (unsigned turn = 0; turn < 20000; turn++) {
		random = random * 1664525 + 1013904223;
		unsigned r = (random >> 8) % RANGES, t = (random >> 16) % TEAMS, m = (random >> 20) % MEMBERS,
			 op = random >> 29;
		uintptr_t start = (r + 1) * PAGE, end = start + PAGE; /* no range lies in another */
		if (op < 4) {
			attach(start, PAGE, team[t], m, 1 + op % 3);
			access[r][t][m] = 1 + op % 3;
		} else if (op == 4) {
			assert_int_equal(detach(start, PAGE, team[t], m), access[r][t][m] != 0);
			access[r][t][m] = 0;
		} else if (op == 5) {
			assert_true(fg_area_stuff(&stuff));
			fg_area_stock_locked(stuff);
			assert_non_null(fg_area_keep_locked(start, end, FG_AREA_OF_ALLOCATOR));
			allocated[r] = true;
		} else if (op == 6) {
			assert_int_equal(fg_area_freed_locked(start, end), allocated[r]);
			if (allocated[r])
				memset(access[r], 0, sizeof access[r]);
			allocated[r] = false;
		} else {
			fg_detach_team_locked(team[t]);
			for (unsigned k = 0; k < RANGES; k++)
				memset(access[k][t], 0, sizeof access[k][t]);
		}
		unsigned all = 0;
		for (unsigned k = 0; k < RANGES; k++) {
			bool used = allocated[k];
			for (unsigned i = 0; i < TEAMS * MEMBERS; i++)
				used |= access[k][i / MEMBERS][i % MEMBERS] != 0;
			all += used;
		}
		assert_int_equal(count(NULL, false), all);
		unsigned of_team = 0;
		for (unsigned k = 0; k < RANGES; k++)
			of_team += (access[k][t][0] | access[k][t][1] | access[k][t][2]) != 0;
		assert_int_equal(count(&team[t]->entity, false), of_team);
	}
	for (unsigned t = 0; t < TEAMS; t++)
		free(team[t]);
}

static void
nodes_of_levels(void **state)
{
	(void)state;
	struct fg_runqueue *top = fake_machine("package:2 node:2 core:2 pu:1");
	assert_int_equal(fgomp_nodes(), 4);
	assert_int_equal(fgomp_queue_node(top), -1);
	assert_int_equal(fgomp_queue_node(fake_level(top, 0, 3)), -1);
	assert_int_equal(fgomp_queue_node(fake_level(top, 2, 3)), 1);
	assert_int_equal(fgomp_queue_node(fake_level(top, 7, 7)), 3);
	struct fg_runqueue *aside = fgomp_queue_new();
	assert_int_equal(fgomp_queue_node(aside), -1);
	fgomp_queue_free(aside);
	fake_free(top);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(measure_small, setup),
		cmocka_unit_test_setup(measure_large, setup),
		cmocka_unit_test_setup(asked_when_needed, setup),
		cmocka_unit_test_setup(who_is_attached, setup),
		cmocka_unit_test_setup(blocks, setup),
		cmocka_unit_test_setup(data_are_hauled, setup),
		cmocka_unit_test_setup(shared_data_go_round, setup),
		cmocka_unit_test_setup(kept_and_split, setup),
		cmocka_unit_test_setup(as_a_table_has_it, setup),
		cmocka_unit_test_setup(nodes_of_levels, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
