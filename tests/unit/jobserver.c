/* The job server that MAKEFLAGS names. */
#include "share/jobserver.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct fg_jobserver_name name;

static enum fg_jobserver_kind
read_flags(const char *makeflags)
{
	memset(&name, 'x', sizeof name);
	fg_jobserver_read(makeflags, &name);
	return name.kind;
}

static void
pipes(void **state)
{
	assert_int_equal(read_flags(" -j8 --jobserver-auth=3,4"), FG_JOBSERVER_PIPE);
	assert_int_equal(name.reader, 3);
	assert_int_equal(name.writer, 4);
	assert_int_equal(read_flags("w --jobserver-fds=10,11 -j -- A=--jobserver-auth=1,2"), FG_JOBSERVER_PIPE);
	assert_int_equal(name.reader, 10);
	assert_int_equal(read_flags("--jobserver-auth=3,4 --jobserver-auth=5,6"), FG_JOBSERVER_PIPE);
	assert_int_equal(name.writer, 6);
}

static void
fifos(void **state)
{
	assert_int_equal(read_flags("k -j2 --jobserver-auth=fifo:/tmp/GMfifo12 --"), FG_JOBSERVER_FIFO);
	assert_string_equal(name.path, "/tmp/GMfifo12");
	assert_int_equal(read_flags("--jobserver-auth=fifo:/a\\ b/c\\\\d -j2"), FG_JOBSERVER_FIFO);
	assert_string_equal(name.path, "/a b/c\\d");
}

static void
none(void **state)
{
	static const char *const flags[] = {
		NULL, "", "   ", "k", "-j8", "-j -- --jobserver-auth=3,4", "--jobserver-aut=3,4"};
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
		assert_int_equal(read_flags(flags[i]), FG_JOBSERVER_NONE);
	assert_int_equal(read_flags("--jobserver-auth=-2,-2"), FG_JOBSERVER_WITHHELD);
	assert_int_equal(read_flags("--jobserver-auth=3,-1"), FG_JOBSERVER_WITHHELD);
}

static void
strange(void **state)
{
	static const char *const words[] = {"",	   "3",	    "3,",	 "3,4,5", "3,4x",
					    "x,4", "fifo:", "fifo:here", "sem:1", "99999999999999999999,1"};
	char flags[1000];
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		strcpy(flags, "-j2 --jobserver-auth=");
		assert_int_equal(read_flags(strcat(flags, words[i])), FG_JOBSERVER_STRANGE);
		assert_string_equal(name.path, words[i]);
	}
	strcpy(flags, "--jobserver-auth=fifo:/");
	memset(flags + strlen(flags), 'a', 700);
	flags[800] = '\0';
	assert_int_equal(read_flags(flags), FG_JOBSERVER_STRANGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipes),
		cmocka_unit_test(fifos),
		cmocka_unit_test(none),
		cmocka_unit_test(strange),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
