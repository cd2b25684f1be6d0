/* Assignment of places to the members of a team: the cases of OpenMP 5.2, 10.1.3, and its rules for all small sizes. */
#include "team/env/icv.h"
#include "team/places/bind.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define MEMBERS 20

/* The slots as "place:first+count ...", for reading. */
static void
expect(struct fg_place_slot primary, unsigned bind, unsigned size, const unsigned (*slots)[3])
{
	struct fg_place_slot got[MEMBERS];
	fg_places_assign(&primary, bind, size, got);
	for (unsigned i = 0; i < size; i++) {
		assert_int_equal(got[i].place, slots[i][0]);
		assert_int_equal(got[i].first, slots[i][1]);
		assert_int_equal(got[i].count, slots[i][2]);
	}
}

static void
known(void **state)
{
	const struct fg_place_slot eight = {5, 0, 8, 0}, part = {5, 4, 3, 0};
	expect(eight, FG_BIND_PRIMARY, 3, (const unsigned[][3]){{5, 0, 8}, {5, 0, 8}, {5, 0, 8}});
	expect(eight, FG_BIND_CLOSE, 4, (const unsigned[][3]){{5, 0, 8}, {6, 0, 8}, {7, 0, 8}, {0, 0, 8}});
	expect(part, FG_BIND_CLOSE, 2, (const unsigned[][3]){{5, 4, 3}, {6, 4, 3}});
	/* 7 members on 3 places: two each, and the one left over where the primary thread is. */
	expect(part, FG_BIND_CLOSE, 7,
	       (const unsigned[][3]){{5, 4, 3}, {5, 4, 3}, {6, 4, 3}, {6, 4, 3}, {4, 4, 3}, {4, 4, 3}, {5, 4, 3}});
	/* Even parts; the primary thread stays inside the third. */
	expect(eight, FG_BIND_SPREAD, 4, (const unsigned[][3]){{5, 4, 2}, {6, 6, 2}, {0, 0, 2}, {2, 2, 2}});
	/* 8 = 3 + 3 + 2: the primary thread is in the second part. */
	expect(eight, FG_BIND_SPREAD, 3, (const unsigned[][3]){{5, 3, 3}, {6, 6, 2}, {0, 0, 3}});
	expect(part, FG_BIND_SPREAD, 4, (const unsigned[][3]){{5, 5, 1}, {6, 6, 1}, {4, 4, 1}, {5, 5, 1}});
}

static void
check(const struct fg_place_slot *primary, unsigned bind, unsigned size)
{
	struct fg_place_slot slots[MEMBERS];
	unsigned on[MEMBERS] = {0}, covered[MEMBERS] = {0};
	fg_places_assign(primary, bind, size, slots);
	assert_int_equal(slots[0].place, primary->place);
	for (unsigned i = 0; i < size; i++) {
		assert_in_range(slots[i].place, slots[i].first, slots[i].first + slots[i].count - 1);
		assert_true(slots[i].first >= primary->first);
		assert_true(slots[i].first + slots[i].count <= primary->first + primary->count);
		on[slots[i].place]++;
		for (unsigned place = 0; place < slots[i].count; place++)
			covered[slots[i].first + place]++;
	}
	for (unsigned place = primary->first; place < primary->first + primary->count && bind != FG_BIND_PRIMARY;
	     place++) {
		assert_in_range(on[place], size / primary->count, (size + primary->count - 1) / primary->count);
		/* Parts of a spread team share no place, and leave none out. */
		if (bind == FG_BIND_SPREAD && size <= primary->count)
			assert_int_equal(covered[place], 1);
	}
}

static void
rules(void **state)
{
	static const unsigned binds[] = {FG_BIND_TRUE, FG_BIND_PRIMARY, FG_BIND_CLOSE, FG_BIND_SPREAD};
	for (unsigned b = 0; b < sizeof binds / sizeof *binds; b++)
		for (unsigned first = 0; first < 3; first++)
			for (unsigned count = 1; count < 10; count++)
				for (unsigned place = first; place < first + count; place++)
					for (unsigned size = 1; size <= MEMBERS; size++)
						check(&(struct fg_place_slot){place, first, count, 0}, binds[b], size);
}

int
main(void)
{
	alarm(300);
	const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(rules)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
