/* Properties of the forest and of every policy on random machines, with random trees of bubbles and random operations.
 * Every entity lies in exactly one holder, each member is claimed exactly once, and none is lost. Threads and load are
 * conserved, and no PU stays idle while there is something that it may run. All holds with four kernel threads at once,
 * too.
 *
 *   unit_sched_properties [SEED [ROUNDS]]    the seed is printed */
#include "random_world.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static unsigned rounds = 400;

/* ---- Invariants that hold at any time ---- */

static void
all_right(void)
{
	const char *why = fg_runqueue_check(world.top);
	if (why) {
		fg_runqueue_print(world.top, stderr);
		fail_msg("%s", why);
	}
	assert_int_equal(fg_runqueue_threads(world.top), THREADS);
	assert_int_equal(fg_load_relaxed(&fg_policy.failed), 0);
}

static void
each_once(void)
{
	for (unsigned i = 0; i < N_BUBBLES; i++)
		for (unsigned k = 1; k < world.bubble[i].size; k++)
			assert_int_equal(fg_load_relaxed(&world.claimed[i][k]), 1);
	for (unsigned i = 0; i < fg_load_relaxed(&world.n_ready); i++)
		assert_int_equal(fg_load_relaxed(&world.ready[i].claimed), 1);
}

static bool
is_above(struct fg_runqueue *leaf)
{
	for (struct fg_runqueue *queue = leaf; queue; queue = fgomp_queue_parent(queue))
		if (fgomp_queue_count(queue))
			return true;
	return false;
}

/* `random` looks at runqueues of PUs only, and at some: until it has had bad luck this often. */
static bool
is_random(void)
{
	return fg_policy.sched == &fg_sched_random;
}

static bool
may_steal(void)
{
	if (!is_random())
		return fg_policy.sched->idle && THREADS;
	bool some = false;
	for (unsigned pu = 0; pu < world.n_pus; pu++)
		some = some || fgomp_queue_count(fgomp_queue_of_pu(world.top, pu));
	return some;
}

static void
run_somewhere(void)
{
	struct fg_runqueue *leaf = any_leaf();
	bool must = is_above(leaf) || may_steal(), ran = false;
	for (unsigned turn = 0; !ran && turn < (is_random() ? 200u : 1u); turn++)
		ran = run(leaf, turn);
	if (must && !ran) {
		fg_runqueue_print(world.top, stderr);
		fail_msg("%s: PU %u stays idle", fg_policy.sched->name, leaf->first_pu);
	}
}

static void
drain(void)
{
	for (unsigned pu = 0, turn = 0; THREADS; pu = (pu + 1) % world.n_pus, turn++) {
		run(fgomp_queue_of_pu(world.top, pu), turn);
		assert_in_range(turn, 0, 1000000);
	}
	all_right();
	each_once();
}

static const char *const options[] = {NULL, NULL, NULL, NULL,	 NULL,	    NULL,
				      NULL, NULL, NULL, "tuned", "load=no", "load=told"};
#define N_POLICIES 12

static void
use(unsigned number)
{
	const char *why;
	const struct fgomp_sched *sched = number < 9 ? fg_sched_built_in(number) : &fg_sched_cache;
	assert_non_null(sched);
	fg_policies.wants = fg_sched_wants(sched);
	assert_true(fg_policy_start(&fg_policy, sched, options[number], &why));
}

/* Now and then another policy looks after each part of the machine. */
static void
use_inside(void)
{
	static struct fg_policy inside;
	const char *why;
	if (below(3))
		return;
	assert_true(fg_policy_start(&inside, fg_sched_built_in(below(9)), NULL, &why));
	inside.outer = &fg_policy;
	fg_policies.wants |= fg_sched_wants(inside.sched);
	for (unsigned c = 0; c < fgomp_queue_n_children(world.top); c++)
		fake_policy(fgomp_queue_child(world.top, c), &inside);
}

static void
one_thread(void **state)
{
	(void)state;
	fg_world.random = throw;
	for (unsigned i = 0; i < rounds; i++) {
		begin(i);
		use(i % N_POLICIES);
		world_begin(machines[below(sizeof machines / sizeof *machines)]);
		use_inside();
		for (unsigned step = 0; step < 200; step++) {
			switch (below(9)) {
			case 0:
			case 1:
				born();
				break;
			case 2:
				wake();
				break;
			case 3:
				move();
				break;
			case 4:
			case 5:
				arrange();
				break;
			case 6:
				claim_by_name();
				break;
			default:
				run_somewhere();
			}
			all_right();
		}
		drain();
		world_end();
	}
}

/* ---- Four threads: one makes bubbles, all run, move and arrange ---- */

#define N_THREADS 4

static pthread_barrier_t barrier;
static uint64_t stress_round;
static struct fg_atomic_u32 makes;

static void *
stress(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	begin(stress_round * 100 + me + 1);
	pthread_barrier_wait(&barrier);
	for (unsigned step = 0; step < 600 || THREADS || fg_load_acquire(&makes); step++) {
		unsigned what = below(8);
		if (me == 0 && step < 600 && what < 3)
			what ? born() : wake();
		else if (what == 3 && step < 600)
			arrange();
		else if (what == 4 && step < 600)
			move();
		else if (what == 5)
			claim_by_name();
		else
			run(any_leaf(), step);
		if (me == 0 && step == 600)
			fg_store_release(&makes, 0);
		assert_in_range(step, 0, 20000000);
	}
	return NULL;
}

static void
four_threads(void **state)
{
	(void)state;
	pthread_barrier_init(&barrier, NULL, N_THREADS);
	for (unsigned i = 0; i < rounds / 10; i++) {
		pthread_t thread[N_THREADS];
		begin(stress_round = 1000000 + i);
		use(i % N_POLICIES);
		world_begin(machines[below(sizeof machines / sizeof *machines)]);
		use_inside();
		fg_store_relaxed(&makes, 1);
		for (unsigned t = 0; t < N_THREADS; t++)
			pthread_create(&thread[t], NULL, stress, (void *)(uintptr_t)t);
		for (unsigned t = 0; t < N_THREADS; t++)
			pthread_join(thread[t], NULL);
		all_right();
		each_once();
		world_end();
	}
	pthread_barrier_destroy(&barrier);
}

int
main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
	rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : rounds;
	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	const struct CMUnitTest tests[] = {cmocka_unit_test(one_thread), cmocka_unit_test(four_threads)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fg_policy_stop(&fg_policy);
	return failed;
}
