/* Unit tests of the groups of a flat team, on made-up machines. A text tells them: "((0 1 2)(3 4 5) 6)". */
#include "fake_machine.h"

#include "exec/flat/groups.h"

#define PUS 256

static void
print(const struct fg_groups *groups, unsigned number, FILE *file)
{
	const struct fg_group *group = &groups->groups[number];
	putc('(', file);
	for (unsigned i = 0; i < group->n; i++) {
		struct fg_group_part part = groups->parts[group->first + i];
		if (part.is_group)
			print(groups, part.which, file);
		else
			fprintf(file, "%s%u", i ? " " : "", part.which);
	}
	putc(')', file);
}

/* What a member of the team reads at a barrier, at most. */
static unsigned
most_reads(const struct fg_groups *groups)
{
	unsigned most = 0;
	for (unsigned slot = 0; slot < groups->slots; slot++) {
		unsigned reads = 0;
		for (unsigned number = groups->group_of[slot];; number = groups->groups[number].around) {
			reads += groups->groups[number].n - 1u;
			if (groups->groups[number].around == number)
				break;
		}
		if (most < reads)
			most = reads;
	}
	return most;
}

/* Each slot is in one group, each group but the last is a part of one other, and the ranges are those of the parts. */
static void
check(const struct fg_groups *groups, const unsigned *pus)
{
	unsigned parts = 0, last = groups->n_groups - 1;
	for (unsigned i = 0; i < groups->n_groups; i++) {
		const struct fg_group *group = &groups->groups[i];
		unsigned at = group->from, lowest = PUS;
		assert_true(group->n >= 2 && group->n <= 16 && group->first == parts);
		assert_true((group->around == i) == (i == last) && group->around >= i);
		parts += group->n;
		for (unsigned k = 0; k < group->n; k++) {
			struct fg_group_part part = groups->parts[group->first + k];
			const struct fg_group *inner = &groups->groups[part.which];
			assert_int_equal(part.is_group ? inner->from : at, at);
			assert_int_equal(part.is_group ? inner->around : groups->group_of[part.which], i);
			if (!part.is_group)
				assert_int_equal(groups->order[at], part.which);
			at = part.is_group ? inner->to : at + 1;
		}
		assert_int_equal(at, group->to);
		for (unsigned k = group->from; k < group->to; k++)
			lowest = groups->order[k] < lowest ? groups->order[k] : lowest;
		assert_int_equal(lowest, group->lowest);
	}
	assert_int_equal(parts, groups->n_parts);
	assert_int_equal(parts, groups->slots + groups->n_groups - 1);
	assert_int_equal(groups->groups[last].to - groups->groups[last].from, groups->slots);
	for (unsigned i = 1; i < groups->slots; i++)
		assert_true(pus[groups->order[i - 1]] < pus[groups->order[i]]);
	for (unsigned a = 0; a < groups->slots; a++) {
		assert_true(groups->inner[a] < groups->n_inner);
		for (unsigned b = 0; b < groups->slots; b++)
			assert_int_equal(groups->inner[a] == groups->inner[b],
					 groups->group_of[a] == groups->group_of[b]);
	}
}

static void
expect(const char *machine, unsigned slots, const unsigned *pus, const char *text)
{
	unsigned in_a_row[PUS];
	for (unsigned i = 0; i < PUS; i++)
		in_a_row[i] = i;
	struct fg_runqueue *top = fake_machine(machine);
	struct fg_groups *groups = fg_groups_new(PUS);
	fg_groups_make(groups, top, pus ? pus : in_a_row, slots);
	char *got;
	size_t size;
	FILE *file = open_memstream(&got, &size);
	if (groups->slots) {
		check(groups, pus ? pus : in_a_row);
		print(groups, groups->n_groups - 1, file);
	}
	fclose(file);
	assert_string_equal(got, text);
	free(got);
	fg_groups_free(groups);
	fake_free(top);
}

static void
small_teams(void **state)
{
	expect("l3:4 core:4", 8, NULL, "");
	expect("core:16", 16, NULL, "");
	expect("l3:2 core:16", 16, NULL, "");
	expect("l3:2 l2:4 core:4", 16, NULL, "");
	(void)state;
}

static void
levels(void **state)
{
	expect("numa:2 core:8", 16, NULL, "((0 1 2 3 4 5 6 7)(8 9 10 11 12 13 14 15))");
	expect("l3:4 core:4", 16, NULL, "((0 1 2 3)(4 5 6 7)(8 9 10 11)(12 13 14 15))");
	expect("l3:4 core:4", 9, NULL, "((0 1 2 3)(4 5 6 7) 8)");
	expect("numa:2 l3:2 core:3", 12, NULL, "(((0 1 2)(3 4 5))((6 7 8)(9 10 11)))");
	expect("l3:3 core:4 pu:2", 18, NULL, "((0 1 2 3 4 5 6 7)(8 9 10 11 12 13 14 15)(16 17))");
	expect("l3:1 l2:5 core:4", 20, NULL, "((0 1 2 3)(4 5 6 7)(8 9 10 11)(12 13 14 15)(16 17 18 19))");
	(void)state;
}

static void
blocks(void **state)
{
	expect("core:20", 20, NULL, "((0 1 2 3 4 5)(6 7 8 9 10 11 12)(13 14 15 16 17 18 19))");
	expect("l3:2 core:9 pu:2", 36, NULL,
	       "(((0 1 2 3 4 5)(6 7 8 9 10 11)(12 13 14 15 16 17))"
	       "((18 19 20 21 22 23)(24 25 26 27 28 29)(30 31 32 33 34 35)))");
	(void)state;
}

static void
scattered(void **state)
{
	const unsigned first_of_each[12] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44};
	expect("l3:12 core:4", 12, first_of_each, "");
	const unsigned turned[10] = {4, 5, 6, 7, 8, 9, 0, 1, 2, 3};
	expect("l3:3 core:4", 10, turned, "((6 7 8 9)(0 1 2 3)(4 5))");
	const unsigned alone[9] = {11, 0, 1, 2, 3, 4, 5, 6, 7};
	expect("l3:3 core:4", 9, alone, "((1 2 3 4)(5 6 7 8) 0)");
	(void)state;
}

static void
large(void **state)
{
	static const struct {
		const char *machine;
		unsigned slots, inner, reads;
	} cases[] = {
		{"numa:2 l3:6 core:8", 96, 12, 13}, {"numa:4 l3:4 core:16", 256, 16, 21}, {"core:256", 256, 32, 17}};
	unsigned pus[PUS];
	for (unsigned i = 0; i < PUS; i++)
		pus[i] = i;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fg_runqueue *top = fake_machine(cases[i].machine);
		struct fg_groups *groups = fg_groups_new(PUS);
		fg_groups_make(groups, top, pus, cases[i].slots);
		check(groups, pus);
		assert_int_equal(groups->n_inner, cases[i].inner);
		assert_int_equal(most_reads(groups), cases[i].reads);
		fg_groups_free(groups);
		fake_free(top);
	}
	(void)state;
}

/* Any slots on any PUs, and one set of groups for many layouts. */
static void
any(void **state)
{
	static const char *const machines[] = {"numa:2 l3:2 core:5 pu:2", "core:40",
					       "numa:2 package:2 l3:3 l2:2 core:4"};
	srand(1);
	for (unsigned i = 0; i < 3; i++) {
		struct fg_runqueue *top = fake_machine(machines[i]);
		struct fg_groups *groups = fg_groups_new(PUS);
		for (unsigned run = 0; run < 300; run++) {
			unsigned pus[PUS], n = top->n_pus, slots = 1 + (unsigned)rand() % n;
			for (unsigned k = 0; k < n; k++) {
				unsigned at = (unsigned)rand() % (k + 1);
				pus[k] = pus[at];
				pus[at] = k;
			}
			fg_groups_make(groups, top, pus, slots);
			assert_true(groups->slots == slots || groups->slots == 0);
			if (groups->slots)
				check(groups, pus);
		}
		fg_groups_free(groups);
		fake_free(top);
	}
	(void)state;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_teams), cmocka_unit_test(levels), cmocka_unit_test(blocks),
		cmocka_unit_test(scattered),   cmocka_unit_test(large),	 cmocka_unit_test(any),
	};
	return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
