// Simple and nestable locks: exclusion, test, depth, a lock passed on from one member to another's wait.
// threads: 1 2 8 64
#include <omp.h>

#include "check.h"

static omp_lock_t lock, many[16];
static omp_nest_lock_t nest;
static long count, counts[16];
static int inside;

static void
nested_bump(int depth)
{
	omp_set_nest_lock(&nest);
	if (depth)
		nested_bump(depth - 1);
	else
		count++;
	omp_unset_nest_lock(&nest);
}

int
main(void)
{
	int threads = omp_get_max_threads(), polled = 0;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	for (int i = 0; i < 16; i++)
		omp_init_lock(&many[i]);

#pragma omp parallel
	for (int i = 0; i < 1000; i++) {
		omp_set_lock(&lock);
		count++;
		omp_unset_lock(&lock);
	}
	CHECK(count == 1000l * threads, "%ld", count);

	/* Polling: a member that fails tries again, at once or after a nap. */
#pragma omp parallel reduction(+ : polled)
	for (int i = 0; i < 20; i++) {
		while (!omp_test_lock(&lock))
			if (i % 2)
				usleep(20);
		CHECK(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) == 1);
		polled++;
		__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
		omp_unset_lock(&lock);
	}
	CHECK(polled == 20 * threads, "%d", polled);

	/* Held over work and sleep. */
#pragma omp parallel
	for (int i = 0; i < 2; i++) {
		omp_set_lock(&lock);
		CHECK(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) == 1);
		i ? (void)usleep(300) : check_burn(300);
		__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
		omp_unset_lock(&lock);
	}

	count = 0;
#pragma omp parallel
	for (int i = 0; i < 200; i++)
		nested_bump(i % 4);
	CHECK(count == 200l * threads, "%ld", count);

#pragma omp parallel
	for (int i = 0; i < 2000; i++) {
		int which = (i * 7 + omp_get_thread_num()) % 16;

		omp_set_lock(&many[which]);
		counts[which]++;
		omp_unset_lock(&many[which]);
	}
	count = 0;
	for (int i = 0; i < 16; i++)
		count += counts[i];
	CHECK(count == 2000l * threads, "%ld", count);

	/* The owner counts its depth, others are kept out. */
	CHECK(omp_test_nest_lock(&nest) == 1 && omp_test_nest_lock(&nest) == 2);
#pragma omp parallel num_threads(4)
	if (omp_get_thread_num())
		CHECK(omp_test_nest_lock(&nest) == 0);
	omp_unset_nest_lock(&nest);
	omp_unset_nest_lock(&nest);
	CHECK(omp_test_nest_lock(&nest) == 1);
	omp_unset_nest_lock(&nest);

	/* A lock set by one thread may be unset by another (by the time order, not by ownership). */
	omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1 || omp_get_num_threads() == 1)
		omp_unset_lock(&lock);
	CHECK(omp_test_lock(&lock));
	omp_unset_lock(&lock);
	for (int i = 0; i < 16; i++)
		omp_destroy_lock(&many[i]);
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	return check_end();
}
