/* Load from outside: when it counts, and which CPU time is that of the board's programs. */
#include "share/outside.h"
#include "platform/thread_clock.h"
#include "share/entry.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define S UINT64_C(1000000000)
#define MS UINT64_C(1000000)

static struct fg_board board;
static const struct fg_fair_entry told = {1000, FG_FAIR_WEIGHT};
static uint64_t now = 100 * S;
static const struct fg_cpuset all = {{1}};
static bool left;

/* A process that computes, with an entry of the board. */
static pid_t
busy(unsigned entry)
{
	struct fg_cpuset cpus = {{1}};
	pid_t parent = getpid(), process = fork();
	if (process == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (volatile unsigned i = 0; getppid() == parent; i++)
			;
		_exit(0);
	}
	assert_true(process > 0);
	fg_store_relaxed(&board.entry[entry].taken, fg_entry_word(process, now));
	fg_entry_tell(&board, entry, now, &told, &cpus);
	return process;
}

static void
end(pid_t process)
{
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
}

/* Until the process has used some more CPU time. Returns what it has used then, in seconds. */
static double
used_more(pid_t process)
{
	uint64_t before = fg_process_clock_used(process), used;
	do
		usleep(1000);
	while ((used = fg_process_clock_used(process)) < before + 20 * MS);
	return (double)used * 1e-9;
}

static void
programs(void **state)
{
	pid_t process = busy(3);
	used_more(process);
	assert_true(fg_outside_used(&board, now, getpid(), &all, &left) == 0); /* nothing is known from before */
	double first = (double)fg_process_clock_used(process) * 1e-9, last = used_more(process);
	double used = fg_outside_used(&board, now, getpid(), &all, &left);
	assert_true(used > (last - first) / 2); /* the clock of a process that runs is up to date within some ms */
	assert_true(used < 10 * (last - first) + 10);
	used_more(process);
	assert_true(fg_outside_used(&board, now + S / 10, getpid(), &all, &left) > 0 && !left); /* it stamps late */
	used_more(process);
	assert_true(fg_outside_used(&board, now, process, &all, &left) ==
		    0); /* the caller's own is subtracted elsewhere */
	fg_outside_used(&board, now, getpid(), &all, &left);
	used_more(process);
	assert_true(fg_outside_used(&board, now + S, getpid(), &all, &left) ==
		    0); /* it has not looked for long, and is outside */
	fg_outside_used(&board, now, getpid(), &all, &left);
	used_more(process);
	fg_store_relaxed(&board.entry[3].taken, fg_entry_word(process, now + S));
	assert_true(fg_outside_used(&board, now, getpid(), &all, &left) == 0); /* another program has the entry now */
	assert_true(left);
	end(process);
	assert_true(fg_outside_used(&board, now, getpid(), &all, &left) == 0);
}

static void
numbers(void **state)
{
	static const uint32_t wrong[] = {0, UINT32_MAX, 1u << 31, 4194304, 1};
	struct fg_cpuset cpus = {{1}};
	for (unsigned i = 0; i < 5; i++) {
		fg_store_relaxed(&board.entry[i].taken, S << 32 | wrong[i]);
		fg_entry_tell(&board, i, now, &told, &cpus);
	}
	for (unsigned i = 0; i < 3; i++)
		assert_in_range(fg_outside_used(&board, now, getpid(), &all, &left), 0, 10);
	memset(&board, 0, sizeof board);
}

/* It counts after a worker has found its PU shared, and it is not measured before. The trial asks whether it pays: the
 * program makes more steps while it leaves PUs. */
static void
counts(void **state)
{
	struct fg_cpuset mask;
	uint64_t steps = 0;
	fg_cpuset_affinity(&mask);
	assert_false(fg_outside_is_on(now));
	pid_t process = busy(0); /* it is not on the board of this look, which is empty */
	memset(&board, 0, sizeof board);
	assert_true(fg_outside_found(now)); /* the monitor must look */
	assert_true(fg_outside_is_on(now));
	unsigned counted = 0, looks = 0;
	for (unsigned i = 0; i < 100 && looks < 20; i++) {
		fg_outside_look(&board, now, getpid(), &mask, steps);
		used_more(process);
		now += 50 * MS;
		counted = fg_outside_counts(now);
		steps += counted ? 300 : 100;
		looks = counted ? looks + 1 : 0;
		fg_outside_found(now);
	}
	assert_true(counted > 0 && looks == 20);
	now += 3 * S;
	assert_int_equal(fg_outside_counts(now), 0); /* nobody has looked since */
	assert_true(fg_outside_is_on(now));	     /* it paid, so the monitor looks without being asked */
	fg_outside_look(&board, now, getpid(), &mask, steps);
	assert_int_equal(fg_outside_counts(now), 0); /* the old load is forgotten */
	assert_false(fg_outside_is_on(now));
	end(process);
}

/* Fewer PUs bring nothing: then the monitor need not look before the next trial is due. */
static void
rests(void **state)
{
	struct fg_cpuset mask;
	uint64_t steps = 0;
	fg_cpuset_affinity(&mask);
	fg_outside_after_fork();
	now += 10 * S;
	pid_t process = busy(0);
	memset(&board, 0, sizeof board);
	unsigned looks = 0, counted = 0;
	for (; looks < 100 && fg_outside_found(now); looks++) {
		fg_outside_look(&board, now, getpid(), &mask, steps += 100);
		used_more(process);
		now += 50 * MS;
		counted += fg_outside_counts(now) != 0;
	}
	assert_true(counted >= 2 && looks < 100); /* it has tried */
	assert_false(fg_outside_is_on(now));
	now += S / 2;
	assert_false(fg_outside_found(now) || fg_outside_is_on(now));
	now += S;
	assert_true(fg_outside_found(now) && fg_outside_is_on(now));
	counted = 0;
	for (unsigned i = 0; i < 20; i++) {
		fg_outside_look(&board, now, getpid(), &mask, steps += 100);
		used_more(process);
		now += 50 * MS;
		counted += fg_outside_counts(now) != 0;
	}
	assert_true(counted >= 2); /* and tries again */
	end(process);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(programs), cmocka_unit_test(numbers),
					   cmocka_unit_test(counts), cmocka_unit_test(rests)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
