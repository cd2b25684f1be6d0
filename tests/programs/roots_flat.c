// Several threads of the program have flat teams at a time. Members keep their numbers and threadprivate data, and
// barriers hold. The first thread opens regions before, between and after the others.
// threads: 1 2 4
// env: -
// env: OMP_WAIT_POLICY=passive
// limit: 60
#include <omp.h>
#include <pthread.h>

#include "check.h"

#define ROOTS 3
#define ROUNDS 300

static int mine;
#pragma omp threadprivate(mine)

static void
rounds(int size, int n)
{
	int count[8] = {0}, before[8] = {0};

	for (int round = 0; round < n; round++) {
#pragma omp parallel num_threads(size)
		{
			int k = omp_get_thread_num();

			before[k] = 2 * round + 1;
#pragma omp barrier
			for (int j = 0; j < omp_get_num_threads(); j++)
				CHECK(before[j] == 2 * round + 1, "member %d in round %d", j, round);
#pragma omp barrier
			count[k]++;
		}
		if (round % 100 == 50)
			usleep(200);
	}
	for (int k = 0; k < size; k++)
		CHECK(count[k] == n, "member %d", k);
}

static void *
body(void *arg)
{
	rounds(2 + (int)(long)arg % 2, ROUNDS);
	return arg;
}

int
main(void)
{
	pthread_t thread[ROOTS];

#pragma omp parallel
	mine = 100 + omp_get_thread_num();
	for (int again = 0; again < 3; again++) {
		for (long i = 0; i < ROOTS; i++)
			pthread_create(&thread[i], NULL, body, (void *)i);
		if (again)
			rounds(2, ROUNDS / 3);
		for (int i = 0; i < ROOTS; i++)
			pthread_join(thread[i], NULL);
		/* The others are gone, so this region has its workers back. */
#pragma omp parallel
		CHECK(mine == 100 + omp_get_thread_num(), "member %d has %d", omp_get_thread_num(), mine);
		omp_pause_resource(omp_pause_soft, omp_get_initial_device());
#pragma omp parallel
		mine = 100 + omp_get_thread_num();
	}
	return check_end();
}
