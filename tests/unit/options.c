/* The FGOMP_ options: the values that are taken, and those that are refused with a message. */
#include "base/options.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char said[4096];

/* Reads one setting and collects the text on stderr. */
static void
read_setting(const char *setting)
{
	static char copy[256]; /* the options keep pointers to it */
	assert_true(strlen(setting) < sizeof copy);
	strcpy(copy, setting);
	char *environment[] = {"HOME=/", copy, "FGOMP", NULL};
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	fg_options_read(environment);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	said[fread(said, 1, sizeof said - 1, file)] = '\0';
	fclose(file);
}

static void
defaults(void **state)
{
	read_setting("X=1");
	assert_string_equal(said, "");
	assert_string_equal(fg_options.sched, "default");
	assert_string_equal(fg_options.threads, "user");
	assert_int_equal(fg_options.slice, 4000000);
	assert_int_equal(fg_options.spin, 5000000);
	assert_int_equal(fg_options.signal, SIGURG);
	assert_int_equal(fg_options.stacksize, 0);
	assert_string_equal(fg_options.topology, "");
	assert_false(fg_options.verbose);
	assert_int_equal(fg_options.stuck, 0);
	for (unsigned i = 0; i < FG_OPTION_COUNT; i++)
		assert_false(fg_option_table[i].given);
}

static void
good(void **state)
{
	read_setting("FGOMP_SLICE=250us");
	assert_int_equal(fg_options.slice, 250000);
	assert_true(fg_option_table[FG_OPTION_slice].given);
	read_setting("FGOMP_SLICE=0");
	assert_int_equal(fg_options.slice, 0);
	read_setting("FGOMP_SPIN=1.5 s");
	assert_int_equal(fg_options.spin, 1500000000);
	read_setting("FGOMP_SCHED=Steal");
	assert_string_equal(fg_options.sched, "Steal"); /* registry.c does not look at the case */
	read_setting("FGOMP_SCHED=cache,tuned+numa:affinity");
	assert_string_equal(fg_options.sched, "cache,tuned+numa:affinity");
	read_setting("FGOMP_SCHED=./mine.so");
	assert_string_equal(fg_options.sched, "./mine.so");
	read_setting("FGOMP_THREADS=kernel");
	assert_string_equal(fg_options.threads, "kernel");
	read_setting("FGOMP_STACKSIZE=1m");
	assert_int_equal(fg_options.stacksize, 1 << 20);
	read_setting("FGOMP_STACKSIZE=128");
	assert_int_equal(fg_options.stacksize, 128 << 10);
	read_setting("FGOMP_SIGNAL=usr2");
	assert_int_equal(fg_options.signal, SIGUSR2);
	read_setting("FGOMP_SIGNAL=SIGRTMIN+3");
	assert_int_equal(fg_options.signal, SIGRTMIN + 3);
	read_setting("FGOMP_VERBOSE=1");
	assert_true(fg_options.verbose);
	read_setting("FGOMP_STUCK=30");
	assert_int_equal(fg_options.stuck, UINT64_C(30000000000));
	read_setting("FGOMP_STUCK=2.5");
	assert_int_equal(fg_options.stuck, UINT64_C(2500000000));
	read_setting("FGOMP_STUCK=1500ms");
	assert_int_equal(fg_options.stuck, 1500000000);
	read_setting("FGOMP_STUCK=24h");
	assert_int_equal(fg_options.stuck, UINT64_C(86400000000000));
	read_setting("FGOMP_STUCK=0");
	assert_int_equal(fg_options.stuck, 0);
	read_setting("FGOMP_SHARE=ON");
	assert_string_equal(fg_options.share, "on");
	read_setting("FGOMP_SHARE=server");
	assert_string_equal(fg_options.share, "server");
	read_setting("FGOMP_SHARE=off");
	assert_string_equal(fg_options.share, "off");
	read_setting("FGOMP_TOPOLOGY=pu:4");
	assert_string_equal(fg_options.topology, "pu:4");
	assert_string_equal(said, "");
}

static void
bad(void **state)
{
	static const char *const settings[] = {
		"FGOMP_SLICE=",		  "FGOMP_SLICE=fast",	   "FGOMP_SLICE=-3ms",	   "FGOMP_SLICE=1us",
		"FGOMP_SLICE=1h",	  "FGOMP_SLICE=4 parsecs", "FGOMP_SLICE=nan",	   "FGOMP_SPIN=1e300h",
		"FGOMP_SCHED=",		  "FGOMP_SCHED=fair",	   "FGOMP_SCHED=stea",	   "FGOMP_SCHED=,steal",
		"FGOMP_THREADS=green",	  "FGOMP_STACKSIZE=1K",	   "FGOMP_STACKSIZE=-64K", "FGOMP_SIGNAL=SIGKILL",
		"FGOMP_SIGNAL=0",	  "FGOMP_SIGNAL=4711",	   "FGOMP_SIGNAL=SIGNONE", "FGOMP_SIGNAL=SIGRTMIN+99",
		"FGOMP_SIGNAL=RTMIN+-40", "FGOMP_VERBOSE=perhaps", "FGOMP_STUCK=",	   "FGOMP_STUCK=true",
		"FGOMP_STUCK=0.5",	  "FGOMP_STUCK=999ms",	   "FGOMP_STUCK=25h",	   "FGOMP_STUCK=-1",
		"FGOMP_STUCK=1e300",	  "FGOMP_SHARE=served",	   "FGOMP_SHARE="};
	for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
		read_setting(settings[i]);
		if (!strstr(said, settings[i]) || !strstr(said, "accepted: ") || !strstr(said, "; using "))
			fail_msg("%s: said '%s'", settings[i], said);
		/* one line, with libgomp's empty one before it */
		assert_int_equal(said[0], '\n');
		assert_ptr_equal(strchr(said + 1, '\n'), said + strlen(said) - 1);
	}
	assert_false(fg_options.verbose);
	assert_int_equal(fg_options.slice, 4000000);
	assert_int_equal(fg_options.signal, SIGURG);
	read_setting("FGOMP_SLICE=1\nor\x1b[1m2\x7f");
	assert_non_null(strstr(said, "FGOMP_SLICE=1\\nor\\x1b[1m2\\x7f is not valid"));
	assert_ptr_equal(strchr(said + 1, '\n'), said + strlen(said) - 1);
	read_setting("FGOMP_SHED=steal");
	assert_non_null(strstr(said, "FGOMP_SHED is not an option"));
}

int
main(void)
{
	alarm(300);
	const struct CMUnitTest tests[] = {cmocka_unit_test(defaults), cmocka_unit_test(good), cmocka_unit_test(bad)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
