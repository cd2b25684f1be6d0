/* Counters: the policies are told of events that a made-up source counts, on made-up workers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "exec/thread/levels.h"
#include "exec/ground/options.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "exec/watch/pu_counters.h"
#include "platform/counters.h"
#include "sched/policy.h"

#define PUS 2
#define MS UINT64_C(1000000)

static uint64_t counted[10]; /* by number of the kernel thread */
static int opened, closed, last_kind, refuse;

static int64_t
fake_open(enum fg_event_kind kind, int tid, unsigned pu)
{
	assert_int_equal(pu, tid % PUS);
	last_kind = kind;
	if (refuse)
		return -refuse;
	opened++;
	return tid;
}

static bool
fake_read(int64_t handle, uint64_t *count)
{
	*count = counted[handle];
	return true;
}

static void
fake_close(int64_t handle)
{
	assert_in_range(handle, 0, 9);
	closed++;
}

static const struct fg_counters source = {.open = fake_open, .read = fake_read, .close = fake_close};

static unsigned told[PUS];

static void
changed(void *self, enum fgomp_change change, struct fg_runqueue *level)
{
	(void)self;
	assert_int_equal(change, FGOMP_CHANGE_COUNTERS);
	assert_int_equal(fgomp_queue_n_pus(level), 1);
	told[fgomp_queue_first_pu(level)]++;
}

static struct fgomp_counters wanted = {FGOMP_CACHE_MISSES, 1000, 4 * MS};

static void
counters(void *self, struct fgomp_counters *ask)
{
	(void)self;
	*ask = wanted;
}

static const struct fgomp_sched asks = {
	.abi = FGOMP_SCHED_ABI, .name = "asks", .summary = "x", .changed = changed, .counters = counters};

static struct fg_whole_worker whole[3];
static struct fg_identity home[3];

/* Workers 0 and 2 are on PU 0; 2 carries nothing. */
static int
setup(void **state)
{
	(void)state;
	const char *why;
	fg_exec_options.n_pus = PUS;
	fg_counters = &source;
	fg_levels_start();
	fg_store_relaxed(&fg_all_workers.first, NULL);
	memset(whole, 0, sizeof whole);
	for (unsigned i = 0; i < 3; i++) {
		fg_worker_init(&whole[i].worker, &home[i], i, fg_levels_leaf(i));
		whole[i].worker.carries = i < 2;
		whole[i].worker.tid = (int)i;
		fg_store_relaxed(&fg_levels_leaf(i)->events, 0);
	}
	memset(counted, 0, sizeof counted);
	memset(told, 0, sizeof told);
	opened = closed = refuse = 0;
	wanted = (struct fgomp_counters){FGOMP_CACHE_MISSES, 1000, 4 * MS};
	assert_true(fg_policy_start(&fg_policy, &asks, NULL, &why));
	fg_pu_counters_ask(fg_policy.counters.event, fg_policy.counters.period, "asks");
	return 0;
}

static void
rates(void **state)
{
	(void)state;
	assert_true(fgomp_queue_events(fg_levels_top()) < 0);
	assert_false(fg_pu_counters_look(100 * MS)); /* opened, and nothing to compare with */
	assert_int_equal(opened, 2);
	assert_int_equal(last_kind, FG_COUNT_MISSES);
	assert_true(fgomp_queue_events(fg_levels_leaf(0)) < 0);
	counted[1] = 100;
	assert_false(fg_pu_counters_look(103 * MS)); /* too early */
	assert_true(fg_pu_counters_look(110 * MS));
	assert_true(fgomp_queue_events(fg_levels_leaf(0)) == 0);
	assert_true(fgomp_queue_events(fg_levels_leaf(1)) == 10000);
	assert_true(fgomp_queue_events(fg_levels_top()) == 10000);
	assert_int_equal(told[0], 0);
	assert_int_equal(told[1], 1);
	counted[0] = 5; /* 500 a second: below the threshold */
	counted[1] = 110;
	whole[2].worker.carries = true;
	counted[2] = 15;
	assert_true(fg_pu_counters_look(120 * MS));
	assert_true(fgomp_queue_events(fg_levels_leaf(0)) == 2000); /* both workers there */
	assert_int_equal(told[0], 1);
	assert_int_equal(told[1], 1); /* exactly at the threshold */
	/* Nothing moves: the monitor may sleep. */
	assert_false(fg_pu_counters_look(130 * MS));
	assert_true(fgomp_queue_events(fg_levels_top()) == 0);
	assert_int_equal(told[0] + told[1], 2);
}

static void
another_kernel_thread(void **state)
{
	(void)state;
	fg_pu_counters_look(1000 * MS);
	counted[1] = 50;
	counted[3] = 7;
	fg_pu_counters_look(1010 * MS);
	assert_int_equal(opened, 2);
	whole[1].worker.tid = 3; /* a spare carries it now */
	fg_pu_counters_look(1020 * MS);
	assert_int_equal(opened, 3);
	assert_int_equal(closed, 1);
	assert_true(fgomp_queue_events(fg_levels_leaf(1)) == 700);
	fg_pu_counters_forget(&whole[1].worker);
	fg_pu_counters_forget(&whole[1].worker);
	assert_int_equal(closed, 2);
}

static void
not_to_be_had(void **state)
{
	(void)state;
	refuse = ESRCH; /* that thread is gone: the next look may find another */
	fg_pu_counters_look(2000 * MS);
	refuse = 0;
	fg_pu_counters_look(2010 * MS);
	assert_int_equal(opened, 2);
	whole[1].worker.tid = 3;
	refuse = ENOENT;
	assert_false(fg_pu_counters_look(2020 * MS));
	assert_int_equal(closed, 2);
	assert_true(fgomp_queue_events(fg_levels_top()) < 0);
	counted[0] = 1000000;
	refuse = 0;
	assert_false(fg_pu_counters_look(2030 * MS));
	assert_int_equal(opened, 2);
	assert_int_equal(told[0] + told[1], 0);
}

static bool
fake_of_pu(enum fg_event_kind kind, unsigned pu, uint64_t *count)
{
	*count = counted[pu];
	return kind == FG_COUNT_MISSES && !refuse;
}

/* Where PUs have counters, nothing is opened, and the placement of threads does not matter. */
static void
counters_of_pus(void **state)
{
	static const struct fg_counters pus = {.of_pu = fake_of_pu};
	(void)state;
	fg_counters = &pus;
	counted[0] = counted[1] = 70;
	assert_int_equal(fg_pu_counters_due(), 4 * MS);
	fg_pu_counters_look(100 * MS);
	assert_int_equal(fg_pu_counters_due(), 104 * MS);
	counted[1] = 170;
	whole[1].worker.carries = false;
	assert_true(fg_pu_counters_look(110 * MS));
	assert_true(fgomp_queue_events(fg_levels_leaf(0)) == 0);
	assert_true(fgomp_queue_events(fg_levels_leaf(1)) == 10000);
	assert_int_equal(told[1], 1);
	assert_int_equal(opened, 0);
	refuse = 1;
	assert_false(fg_pu_counters_look(120 * MS));
	assert_true(fgomp_queue_events(fg_levels_top()) < 0);
	assert_true(fg_pu_counters_due() == UINT64_MAX);
}

static void
bad_wishes(void **state)
{
	(void)state;
	static const struct fgomp_counters bad[] = {
		{99, 1, 1}, {FGOMP_PAGE_FAULTS, -1, 1}, {FGOMP_PAGE_FAULTS, 0.0 / 0.0, 1}};
	for (unsigned i = 0; i < 3; i++) {
		const char *why = NULL;
		wanted = bad[i];
		assert_false(fg_policy_start(&fg_policy, &asks, NULL, &why));
		assert_non_null(strstr(why, "asks asks for event"));
	}
	assert_int_equal(fg_policy.counters.event, FGOMP_CACHE_MISSES); /* as before */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rates, setup),	      cmocka_unit_test_setup(another_kernel_thread, setup),
		cmocka_unit_test_setup(not_to_be_had, setup), cmocka_unit_test_setup(counters_of_pus, setup),
		cmocka_unit_test_setup(bad_wishes, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
