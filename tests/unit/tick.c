/* Ticks: a refusal that concerns one kernel thread, or that is over soon, leaves others their ticks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/carrier.h"
#include "platform/thread.h"
#include "platform/tick.h"

static uint64_t now_ns;

static uint64_t
fake_now(void)
{
	return now_ns;
}

static const struct fg_carrier carrier = {.now = fake_now};

static void *
tell(void *tid)
{
	*(int *)tid = fg_thread_id();
	return NULL;
}

static int
an_ended_thread(void)
{
	pthread_t thread;
	int tid;
	assert_int_equal(pthread_create(&thread, NULL, tell, &tid), 0);
	pthread_join(thread, NULL);
	return tid;
}

static bool
opens(int tid)
{
	struct fg_tick tick;
	bool opened = fg_tick_open(&tick, tid, SIGURG);
	if (opened)
		fg_tick_close(&tick);
	return opened;
}

static int
prepare(void **state)
{
	(void)state;
	fg_carrier = &carrier;
	fg_tick_prepare();
	return 0;
}

static int
forget(void **state)
{
	(void)state;
	fg_tick_forget();
	return 0;
}

static void
one_thread_has_ended(void **state)
{
	(void)state;
	if (!fg_tick_is_ready())
		skip();
	assert_false(opens(an_ended_thread()));
	assert_true(fg_tick_is_ready());
	assert_true(opens(fg_thread_id()));
}

/* It waits before it asks again, because each attempt costs. */
static void
no_descriptors_for_a_while(void **state)
{
	(void)state;
	struct rlimit before, none;
	if (!fg_tick_is_ready())
		skip();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_false(opens(fg_thread_id()));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_false(fg_tick_is_ready());
	assert_false(opens(fg_thread_id()));
	now_ns += 1000000000;
	assert_true(fg_tick_is_ready());
	assert_true(opens(fg_thread_id()));
}

/* Ticks of the shortest period come, `took` after one another. */
static void
come(struct fg_tick_brief *brief, unsigned n, uint64_t took)
{
	static uint64_t now = 1000000000;
	struct fg_tick tick = {0};
	for (unsigned i = 0; i < n; i++) {
		fg_store_relaxed(&tick.period_ns, fg_load_relaxed(&brief->ns));
		fg_tick_judge(brief, &tick, took, now += took);
	}
}

/* Each machine has a shortest period of its own. */
static void
two_machines(void **state)
{
	(void)state;
	struct fg_tick_brief slow = {.ns = {FG_TICK_BRIEF_MIN_NS}}, fast = slow;
	come(&slow, 1000, 70000);
	come(&fast, 1000, FG_TICK_BRIEF_MIN_NS);
	assert_int_equal(fg_load_relaxed(&fast.ns), FG_TICK_BRIEF_MIN_NS);
	uint64_t late = fg_load_relaxed(&slow.ns);
	assert_true(late > 3 * FG_TICK_BRIEF_MIN_NS && late <= 200000);
	for (unsigned i = 0; i < 20; i++)
		come(&slow, 1000, FG_TICK_BRIEF_MIN_NS * 6);
	assert_true(fg_load_relaxed(&slow.ns) < 200000);
	assert_int_equal(fg_load_relaxed(&fast.ns), FG_TICK_BRIEF_MIN_NS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_thread_has_ended, prepare, forget),
		cmocka_unit_test_setup_teardown(no_descriptors_for_a_while, prepare, forget),
		cmocka_unit_test(two_machines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
