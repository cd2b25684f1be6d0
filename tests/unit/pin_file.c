/* Pin files: what is read, what is refused and why, and which layout a region has. */
#include "machine/pin_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "pin = 1\nmachine = 4 0123456789abcdef\n"

static char why[160];

static void
read_right(struct fg_pin *pin, const char *text)
{
	why[0] = '\0';
	if (!fg_pin_read(text, pin, why, sizeof why))
		fail_msg("%s", why);
}

static void
right(void **state)
{
	struct fg_pin pin;
	read_right(&pin, "pin=1 # of a program\n" HEAD "\n# a comment\n  threads = 4\r\ndefault = 0 1 2 3\n"
			 "region = ab12+7f0 0 2 1 3\nthreads = 2\ndefault=3 1");
	assert_int_equal(pin.pus, 4);
	assert_true(pin.digest == UINT64_C(0x0123456789abcdef));
	const struct fg_pin_layout *rest = fg_pin_find(&pin, 4, "ab12+7f1"), *one = fg_pin_find(&pin, 4, "ab12+7f0"),
				   *two = fg_pin_find(&pin, 2, "ab12+7f0");
	assert_string_equal(rest->name, "");
	assert_int_equal(rest->pu[1], 1);
	assert_string_equal(one->name, "ab12+7f0");
	assert_int_equal(one->pu[1], 2);
	assert_int_equal(two->size, 2);
	assert_int_equal(two->pu[0], 3);
	assert_null(fg_pin_find(&pin, 3, "ab12+7f0"));
	fg_pin_free(&pin);
}

static void
wrong(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "there is no layout"},
		{HEAD, "there is no layout"},
		{"machine = 4 1\n", "line 1: accepted: `pin = 1` as the first line"},
		{"pin = 2\n", "line 1: accepted: version 1"},
		{"pin = 1 1\n", "line 1: accepted: version 1"},
		{"pin = 1\nthreads = 4\n", "line 2: accepted: `machine = PUS DIGEST` before it"},
		{"pin = 1\nmachine = 4\n", "line 2: accepted: PUS DIGEST, before the layouts"},
		{"pin = 1\nmachine = 0 1\n", "line 2: accepted: PUS DIGEST, before the layouts"},
		{"pin = 1\nmachine = 5000 1\n", "line 2: accepted: PUS DIGEST, before the layouts"},
		{HEAD "default = 0 1\n", "line 3: accepted: `threads = N` before it"},
		{HEAD "threads = 1\n", "line 3: accepted: 2 up to the number of PUs"},
		{HEAD "threads = 5\n", "line 3: accepted: 2 up to the number of PUs"},
		{HEAD "threads = 99999999999999999999\n", "line 3: accepted: 2 up to the number of PUs"},
		{HEAD "threads = 2\ndefault = 0\n", "line 4: accepted: a PU of the machine for each member"},
		{HEAD "threads = 2\ndefault = 0 4\n", "line 4: accepted: a PU of the machine for each member"},
		{HEAD "threads = 2\ndefault = 0 -1\n", "line 4: accepted: a PU of the machine for each member"},
		{HEAD "threads = 2\ndefault = 0 1x\n", "line 4: accepted: a PU of the machine for each member"},
		{HEAD "threads = 2\ndefault = 0 1 2\n", "line 4: accepted: as many PUs as threads"},
		{HEAD "threads = 2\ndefault = 1 1\n", "line 4: a PU stands there twice"},
		{HEAD "threads = 2\ndefault = 0 1\nregion = a+1 1 0\n",
		 "line 5: accepted: the PUs of the other layouts of this size, with the same first one"},
		{HEAD "threads = 2\ndefault = 0 1\nregion = a+1 0 2\n",
		 "line 5: accepted: the PUs of the other layouts of this size, with the same first one"},
		{HEAD "threads = 2\nregion = a+1 0 1\n", "there is no default for a number of threads"},
		{HEAD "threads = 2\nregion = main 0 1\n", "line 4: accepted: BUILD-ID+OFFSET PU PU ..."},
		{HEAD "threads = 2\nthreats = 2\n", "line 4: accepted: pin, machine, threads, default, region"},
		{HEAD "threads\n", "line 3: accepted: KEY = VALUE"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fg_pin pin;
		if (fg_pin_read(cases[i].text, &pin, why, sizeof why))
			fail_msg("'%s' is read", cases[i].text);
		assert_string_equal(why, cases[i].why);
		assert_null(pin.first);
	}
}

/* Cut off and changed at each byte, it is read or refused, and nothing else happens. */
static void
bytes(void **state)
{
	static const char text[] = HEAD "threads = 4\ndefault = 0 1 2 3\nregion = ab12+7f0 0 2 1 3\n";
	char changed[sizeof text];
	for (size_t i = 0; i < sizeof text; i++)
		for (unsigned byte = 0; byte < 256; byte += i % 3 ? 7 : 1) {
			struct fg_pin pin;
			memcpy(changed, text, sizeof text);
			changed[i] = (char)byte;
			changed[sizeof text - 1] = '\0';
			if (fg_pin_read(changed, &pin, why, sizeof why))
				fg_pin_free(&pin);
		}
}

/* Trees of other shapes have other digests. */
static void
digests(void **state)
{
	static const char *const shapes[] = {"core:8", "numa:2 core:4", "numa:4 core:2", "numa:2 l3:2 core:2",
					     "core:4 pu:2"};
	uint64_t digest[5];
	for (unsigned i = 0; i < 5; i++) {
		const char *why;
		struct fg_machine *machine = fg_machine_synthetic(shapes[i], &why);
		assert_non_null(machine);
		digest[i] = fg_pin_digest(machine);
		fg_machine_free(machine);
	}
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < i; k++)
			assert_true((digest[i] == digest[k]) == (i == 4 && k == 2)); /* the same tree, by other names */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(right), cmocka_unit_test(wrong), cmocka_unit_test(bytes),
					   cmocka_unit_test(digests)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
