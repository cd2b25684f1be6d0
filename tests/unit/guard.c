/* The guard of a pin file: how often it decides where nothing differs, and how soon where something does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "team/hints/guard.h"

static uint64_t seed = 1;

static double
part(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) / (double)(UINT64_C(1) << 53);
}

enum kind { PLAIN, EVERY_OTHER, DRIFT, KINDS };

/* Runs a program of 70 passes. gain: that of layouts by region. Returns the passes until one side was dropped. */
static unsigned
run(struct fg_guard *guard, enum kind kind, double gain)
{
	*guard = (struct fg_guard){.own = true, .chance = seed};
	for (unsigned pass = 0; pass < 70; pass++) {
		double time = 1e6 * (1 + 0.1 * part());
		time *= kind == EVERY_OTHER && pass % 2 ? 3 : kind == DRIFT ? 1 + 0.05 * pass : 1;
		if (guard->over)
			return guard->n[0] + guard->n[1];
		fg_guard_pass(guard, (uint64_t)(time / (guard->own ? gain : 1)));
	}
	assert_true(guard->over);
	return guard->n[0] + guard->n[1];
}

/* Pure noise, also where every other pass is long, or each is longer than the one before: one side is preferred in at
 * most one of twenty cases. */
static void
noise(void **state)
{
	enum { CASES = 4000 };
	(void)state;
	for (enum kind kind = PLAIN; kind < KINDS; kind++) {
		unsigned wrong = 0, own = 0;
		for (unsigned i = 0; i < CASES; i++) {
			struct fg_guard guard;
			bool early = run(&guard, kind, 1) < 64;
			wrong += early || guard.own;
			own += guard.own;
		}
		if (wrong > CASES / 20 || own > CASES / 35)
			fail_msg("kind %u: %u of %u cases, %u for layouts of their own", kind, wrong, CASES, own);
	}
}

/* A clear difference is seen after five pairs, and the right side stays. */
static void
clear(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct fg_guard guard;
		assert_int_equal(run(&guard, PLAIN, 0.75), 10);
		assert_false(guard.own);
		assert_int_equal(run(&guard, PLAIN, 1.3), 10);
		assert_true(guard.own);
	}
}

/* A difference of a third of the noise is seen in most cases. */
static void
small(void **state)
{
	unsigned found = 0;
	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		struct fg_guard guard;
		run(&guard, PLAIN, 1.033);
		found += guard.own;
	}
	assert_true(found > 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(noise), cmocka_unit_test(clear), cmocka_unit_test(small)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
