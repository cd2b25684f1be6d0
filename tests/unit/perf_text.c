/* The text of `perf script`: lines of Intel, AMD and Arm, and lines that lack a field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf_text.h"
#include <string.h>

#define WORDS "|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A"

static void
expect_sample(const char *line, struct perf_sample wanted)
{
	struct perf_sample sample;
	assert_int_equal(perf_sample_read(line, &sample), PERF_WHOLE);
	assert_int_equal(sample.time, wanted.time);
	assert_int_equal(sample.address, wanted.address);
	assert_int_equal(sample.period, wanted.period);
	assert_int_equal(sample.tid, wanted.tid);
	assert_int_equal(sample.loads, wanted.loads);
	assert_int_equal(sample.writes, wanted.writes);
}

static void
test_lines(void **state)
{
	(void)state;
	expect_sample("  17243 87986.956951125:      20303 cpu/mem-loads,ldlat=30/P:     7fbb65236110      "
		      "6868100142 |OP LOAD" WORDS,
		      (struct perf_sample){87986956951125, 0x7fbb65236110, 20303, 17243, .loads = true});
	expect_sample(
		"17243 87986.956951:        4 cpu_core/mem-stores/P:     7fbb65236110      5080144 |OP STORE" WORDS,
		(struct perf_sample){87986956951000, 0x7fbb65236110, 4, 17243, .writes = true});
	expect_sample("a program 7  17243/17245  [003] 86.956951125: ibs_op//:     7ffd name+0x8 (/usr/lib/a.so)      "
		      "7500142 |OP LOAD" WORDS "        44     55aa main+0x1 (/a)",
		      (struct perf_sample){86956951125, 0x7ffd, 1, 17245, .loads = true});
	expect_sample(" 17245 86.956951125:          1                memory:     ffff8000aa    10184 |OP STORE" WORDS,
		      (struct perf_sample){86956951125, 0xffff8000aa, 1, 17245, .writes = true});
}

/* Operations that are no access, the kernel's data, and those whose address is not known. */
static void
test_no_access(void **state)
{
	(void)state;
	expect_sample("1 2.000000: 3 ibs_op//: 7fa0 1e05080021 |OP N/A" WORDS,
		      (struct perf_sample){2000000000, 0x7fa0, 3, 1, false, false});
	expect_sample("1 2.000000: 3 ibs_op//: 0 5080142 |OP LOAD" WORDS,
		      (struct perf_sample){2000000000, 0, 3, 1, false, false});
	expect_sample("1 2.000000: 3 ibs_op//: ffffffff81000000 5080142 |OP LOAD" WORDS,
		      (struct perf_sample){2000000000, 0xffffffff81000000, 3, 1, false, false});
}

static void
test_missing(void **state)
{
	static const struct {
		const char *line;
		enum perf_field missing;
	} all[] = {
		{"", PERF_TIME},
		{"# a comment", PERF_TIME},
		{"\t    7fbb65236110 main+0x10 (/usr/bin/a)", PERF_TIME},
		{"17243 3 cpu/mem-loads/P: 7fa0 5080142 |OP LOAD", PERF_TIME},
		{"17243 2.0000: 3 cpu/mem-loads/P: 7fa0 5080142 |OP LOAD", PERF_TIME},
		{"2.000000: 3 cpu/mem-loads/P: 7fa0 5080142 |OP LOAD", PERF_TID},
		{"99999999999 2.000000: 3 cpu/mem-loads/P: 7fa0 5080142 |OP LOAD", PERF_TID},
		{"1 2.000000: 3 7fa0 5080142 |OP LOAD", PERF_EVENT},
		{"1 2.000000: ", PERF_EVENT},
		{"1 2.000000: 3 cpu/mem-loads/P:", PERF_ADDR},
		{"1 2.000000: 3 cpu/mem-loads/P: 5080142 |OP LOAD|LVL", PERF_ADDR},
		{"1 2.000000: 3 cpu/mem-loads/P: 7fa0 55aa main+0x1 (/a)", PERF_DATA_SRC},
		{"1 2.000000: 3 cpu/mem-loads/P: 7fa0", PERF_DATA_SRC},
	};
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct perf_sample sample;
		assert_int_equal(perf_sample_read(all[i].line, &sample), all[i].missing);
	}
}

/* A line that is too long for us ends where it ends, and the last one may have no end. */
static void
test_ends(void **state)
{
	static char text[3 * PERF_LINE] = "first\n\n";
	char line[PERF_LINE];
	bool cut = false;
	(void)state;
	memset(text + 7, 'x', 2 * PERF_LINE);
	memcpy(text + 7 + 2 * PERF_LINE, "\nlast", 5);
	FILE *file = fmemopen(text, 7 + 2 * PERF_LINE + 5, "r");
	assert_non_null(file);
	assert_true(perf_line_next(file, line, &cut) && !cut);
	assert_string_equal(line, "first");
	assert_true(perf_line_next(file, line, &cut) && !cut);
	assert_string_equal(line, "");
	assert_true(perf_line_next(file, line, &cut) && !cut);
	assert_int_equal(strlen(line), PERF_LINE - 1);
	assert_true(perf_line_next(file, line, &cut) && cut);
	assert_string_equal(line, "last");
	assert_false(perf_line_next(file, line, &cut));
	assert_true(cut);
	fclose(file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_no_access),
					   cmocka_unit_test(test_missing), cmocka_unit_test(test_ends)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
