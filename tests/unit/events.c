/* Events of threads: a made-up source counts them for kernel threads, whose workers switch from thread to thread. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/options.h"
#include "exec/thread/levels.h"
#include "exec/ground/options.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker_parts.h"
#include "exec/thread/worker.h"
#include "forest/bubble.h"
#include "platform/counters.h"
#include "sched/policy.h"
#include "team/hints/history.h"
#include "team/team.h"

static uint64_t now, counted[10]; /* by number of the kernel thread */
static int opened, closed, refuse;

static int64_t
fake_open(enum fg_event_kind kind, int tid, unsigned pu)
{
	(void)pu;
	assert_int_equal(kind, FG_COUNT_FAULTS);
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
	(void)handle;
	closed++;
}

static bool
fake_of_caller(enum fg_event_kind kind, uint64_t *count)
{
	*count = counted[kind];
	return !refuse;
}

static uint64_t
clock_now(void)
{
	return ++now;
}

static struct fg_whole_worker whole;
static struct fg_identity a, b;
static struct fg_time times[4];

static int
setup(void **state)
{
	static const struct fg_counters source = {.open = fake_open, .read = fake_read, .close = fake_close};
	static struct fg_carrier clocks = {.now = clock_now};
	(void)state;
	fg_carrier = &clocks;
	fg_counters = &source;
	fg_exec_options.n_pus = 1;
	fg_levels_start();
	fg_clock_on = true;
	fg_policies.measures = FGOMP_MEASURE_EVENTS;
	memset(&whole, 0, sizeof whole);
	memset(times, 0, sizeof times);
	memset(counted, 0, sizeof counted);
	fg_store_relaxed(&whole.worker.leaf, fg_levels_leaf(0));
	whole.worker.tid = 1;
	a = b = (struct fg_identity){.worker = &whole.worker};
	opened = closed = refuse = 0;
	fg_thread_counters_ask(FG_COUNT_FAULTS, "asks");
	return 0;
}

static void
while_the_clock_runs(void **state)
{
	(void)state;
	counted[1] = 100;
	b.entity.time = &times[1];
	fg_clock_take(&a, &times[0]);
	counted[1] = 130;
	assert_true(fgomp_entity_events(&a.entity, false) == 0); /* until it leaves its PU */
	fg_clock_switch(&a, &b);
	assert_true(fgomp_entity_events(&a.entity, false) == 30);
	counted[1] = 137;
	fg_clock_switch(&b, &a);
	assert_true(fgomp_entity_events(&b.entity, false) == 7);
	counted[1] = 140;
	bool ran = fg_clock_stop(&a);
	counted[1] = 150; /* while it waits for its team */
	fg_clock_go(&a, ran);
	counted[1] = 155;
	fg_clock_take(&a, NULL);
	assert_int_equal(fg_load_relaxed(&times[0].own_events), 30 + 3 + 5);
	assert_true(isnan(fgomp_entity_events(&a.entity, false))); /* it is not measured any more */
	assert_int_equal(opened, 1);
}

/* A spare has taken over: its counter tells nothing of before. */
static void
another_kernel_thread(void **state)
{
	(void)state;
	fg_clock_take(&a, &times[0]);
	counted[1] = 10;
	counted[2] = 5000;
	whole.worker.tid = 2;
	fg_clock_take(&a, &times[0]);
	assert_true(fgomp_entity_events(&a.entity, false) == 0);
	counted[2] = 5003;
	fg_clock_out(&a);
	assert_true(fgomp_entity_events(&a.entity, false) == 3);
	assert_int_equal(opened, 2);
	assert_int_equal(closed, 1);
}

/* An inner region of 3 with 1, 2 and 4 events, in an outer one's member 1 that has 8 itself; member 0 has 16. */
static void
whole_and_own(void **state)
{
	(void)state;
	struct fg_load_history_site site = {0};
	struct fg_team *team[2];
	for (unsigned i = 0; i < 2; i++) {
		team[i] = aligned_alloc(64, (sizeof *team[i] + 63) & ~(size_t)63);
		assert_non_null(team[i]);
		memset(team[i], 0, sizeof *team[i]);
		team[i]->size = team[i]->births.bubble.size = 3 - i;
		team[i]->births.bubble.entity.kind = FG_ENTITY_BUBBLE;
	}
	struct fg_team *inner = team[0], *outer = team[1];
	outer->outer = inner; /* none of a root */
	inner->outer = outer;
	struct fg_entity *inner_entity = &inner->births.bubble.entity, *outer_entity = &outer->births.bubble.entity;
	a.site = &site;
	fg_load_history_begin(&a, outer);
	fg_load_history_member(&a, outer, 0);
	counted[1] += 16;
	fg_load_history_member(&a, outer, 1);
	counted[1] += 8;
	fg_load_history_begin(&a, inner);
	for (unsigned k = 0; k < 3; k++) {
		fg_load_history_member(&a, inner, k);
		counted[1] += 1u << k;
	}
	fg_clock_stop(&a);
	struct fg_member unborn = {.entity = {.kind = FG_ENTITY_MEMBER, .bubble = &inner->births.bubble}};
	assert_true(fgomp_entity_events(&unborn.entity, true) == 0);
	assert_true(fgomp_entity_events(inner_entity, true) == 7 && fgomp_entity_events(inner_entity, false) == 7);
	assert_true(fgomp_entity_events(outer_entity, true) == 24); /* the inner one is not over */
	fg_load_history_end(&a, inner);
	fg_clock_stop(&a);
	assert_true(fgomp_entity_events(outer_entity, true) == 31 && fgomp_entity_events(outer_entity, false) == 24);
	assert_true(fgomp_entity_events(&a.entity, true) == 15 && fgomp_entity_events(&a.entity, false) == 8);
	fg_load_history_end(&a, outer);
	fg_load_history_forget(&site);
	for (unsigned i = 0; i < 2; i++) {
		fg_bubble_free(&team[i]->births.bubble);
		free(team[i]);
	}
}

static void
not_to_be_had(void **state)
{
	(void)state;
	refuse = ESRCH; /* a kernel thread that has just ended */
	fg_clock_take(&a, &times[0]);
	refuse = 0;
	fg_clock_take(&a, &times[0]);
	counted[1] = 4;
	fg_clock_out(&a);
	assert_int_equal(fgomp_events_counted(), FGOMP_PAGE_FAULTS);
	assert_true(fgomp_entity_events(&a.entity, false) == 4);
	whole.worker.tid = 3;
	refuse = EACCES;
	fg_clock_in(&a);
	fg_clock_out(&a);
	assert_int_equal(fgomp_events_counted(), FGOMP_NO_EVENT);
	assert_true(isnan(fgomp_entity_events(&a.entity, false)));
}

static unsigned
lines_said(FILE *said)
{
	char text[999];
	rewind(said);
	unsigned lines = 0;
	while (fgets(text, sizeof text, said))
		lines += strstr(text, "asks wants") && strstr(text, strerror(EMFILE));
	return lines;
}

/* A switch may be in a signal handler: a fault seen there is told at the next begin or end of a region, and once. */
static void
told_later(void **state)
{
	(void)state;
	FILE *said = tmpfile();
	assert_non_null(said);
	int saved = dup(STDERR_FILENO);
	dup2(fileno(said), STDERR_FILENO);
	fg_options.verbose = true;
	fg_clock_take(&a, &times[0]);
	b.entity.time = &times[1];
	whole.worker.tid = 4;
	refuse = EMFILE;
	fg_clock_switch(&a, &b);
	unsigned at_once = lines_said(said);
	fg_clock_switch(&b, &a);
	fg_clock_take(&a, &times[2]);
	fg_clock_take(&a, NULL);
	fg_options.verbose = false;
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(at_once, 0);
	assert_int_equal(lines_said(said), 1);
	fclose(said);
}

static void
of_the_caller(void **state)
{
	static const struct fg_counters source = {.of_caller = fake_of_caller};
	(void)state;
	fg_counters = &source;
	fg_clock_take(&a, &times[0]);
	counted[FG_COUNT_FAULTS] = 6;
	fg_clock_switch(&a, &b);
	assert_true(fgomp_entity_events(&a.entity, false) == 6);
	refuse = 1;
	fg_clock_in(&a);
	assert_true(isnan(fgomp_entity_events(&a.entity, false)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(while_the_clock_runs, setup),
		cmocka_unit_test_setup(another_kernel_thread, setup),
		cmocka_unit_test_setup(whole_and_own, setup),
		cmocka_unit_test_setup(not_to_be_had, setup),
		cmocka_unit_test_setup(told_later, setup),
		cmocka_unit_test_setup(of_the_caller, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
