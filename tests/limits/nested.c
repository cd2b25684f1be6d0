/* Nested regions of several sizes and depths, with tasks and loops in them; settings of each member; locks that all
 * want. */
#include "limits.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long locked, nest_locked, named, members;

static long
below(int level)
{
	long sum = 0, done = 0;
	if (level == 0)
		return 1;
#pragma omp parallel num_threads(1 + level)
	{
#pragma omp single
#pragma omp task shared(done)
		done++;
#pragma omp for schedule(dynamic) reduction(+ : sum)
		for (int i = 0; i < 6; i++)
			sum += i == 5 ? below(level - 1) : 0;
	}
	return done == 1 ? sum : -100;
}

static void
locks(void)
{
#pragma omp parallel num_threads(2 * THREADS)
	for (int i = 0; i < 20; i++) {
		if (i == 0)
#pragma omp atomic
			members++;
		omp_set_lock(&lock);
		locked++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest_lock);
		omp_set_nest_lock(&nest_lock);
		nest_locked++;
		omp_unset_nest_lock(&nest_lock);
		omp_unset_nest_lock(&nest_lock);
		while (!omp_test_lock(&lock))
			;
		omp_unset_lock(&lock);
#pragma omp critical(name)
		named++;
#pragma omp barrier
	}
}

/* As many members as there are may be fewer than was asked for: without memory or threads. */
static void
settings(void)
{
	long bad = 0, outermost = 0, inner = 0;
#pragma omp parallel reduction(+ : bad, outermost, inner)
	{
		outermost++;
		omp_set_num_threads(2 + omp_get_thread_num() % 2);
		omp_set_schedule(omp_sched_dynamic, 3);
		bad += omp_get_max_threads() != 2 + omp_get_thread_num() % 2;
		int outer = omp_get_thread_num();
#pragma omp parallel reduction(+ : bad, inner)
		{
			bad += omp_get_num_threads() > 2 + outer % 2;
			bad += omp_get_ancestor_thread_num(1) != outer;
			bad += omp_get_level() != 2;
			if (omp_get_thread_num() == 0)
				inner++;
		}
	}
	CHECK(bad, 0);
	CHECK(inner, outermost);
}

int
main(void)
{
	first_team();
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	for (int r = 0; r < 2; r++) {
		CHECK(below(3), 1);
		locks();
		settings();
	}
	CHECK(named, members * 20);
	CHECK(members >= 2, 1);
	CHECK(locked, named);
	CHECK(nest_locked, named);
	return wrong;
}
