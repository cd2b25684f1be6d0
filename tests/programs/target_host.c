// Target constructs on the host: a fresh initial thread whose ICVs and levels are its own; firstprivate copies; the
// caller's state is as before. Also inside regions. Teams on the host and in target regions.
// threads: 1 2 8
// env: -
// env: FGOMP_THREADS=kernel
#include <omp.h>

#include "check.h"

static void
once(void)
{
	int level = omp_get_level(), num = omp_get_thread_num(), threads = omp_get_max_threads();
	int inner_level = -1, inner_num = -1, inner_size = -1, shared = 1, private = 1, host = 0;
	int array[4] = {1, 2, 3, 4};

#pragma omp target map(from : inner_level, inner_num, inner_size, host) map(tofrom : shared, array)                    \
	firstprivate(private)
	{
		inner_level = omp_get_level();
		inner_num = omp_get_thread_num();
		host = omp_is_initial_device();
		omp_set_num_threads(3);
		shared++;
		private++;
		int count = 0;
#pragma omp parallel reduction(+ : count)
		count++;
		inner_size = count;
#pragma omp taskgroup task_reduction(+ : array[0])
#pragma omp task in_reduction(+ : array[0])
		array[0] += 10;
	}
	CHECK(inner_level == 0 && inner_num == 0 && host, "level %d, number %d", inner_level, inner_num);
	CHECK(inner_size == 3 || omp_get_thread_limit() < 3, "%d", inner_size);
	CHECK(shared == 2 && private == 1 && array[0] == 11, "%d %d %d", shared, private, array[0]);
	CHECK(omp_get_level() == level && omp_get_thread_num() == num && omp_get_max_threads() == threads);
}

int
main(void)
{
	int leagues = 0, members = 0, sum = 0;

	once();
#pragma omp parallel
	for (int i = 0; i < 20; i++)
		once();
#pragma omp parallel
#pragma omp single
#pragma omp task
	once();

#pragma omp teams num_teams(4) thread_limit(2) reduction(+ : leagues, members)
	{
		int size = 0;
		leagues += omp_get_num_teams() == 4 ? 1 + 10 * omp_get_team_num() : 1000;
#pragma omp parallel num_threads(2) reduction(+ : size)
		size += omp_get_num_teams() == 4 && omp_get_thread_limit() == 2;
		members += size;
	}
	CHECK(leagues == 4 + 10 * (0 + 1 + 2 + 3), "%d", leagues);
	CHECK(members == 8, "%d", members);
	CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
	for (int i = 0; i < 1000; i++)
		sum += i;
	CHECK(sum == 499500, "%d", sum);

	int device = omp_get_initial_device();
	int *memory = omp_target_alloc(100 * sizeof *memory, device), copy[100];
	for (int i = 0; i < 100; i++)
		memory[i] = i;
	CHECK(omp_target_memcpy(copy, memory, sizeof copy, 0, 0, device, device) == 0 && copy[99] == 99);
	/* A box of 2 x 3 out of 10 x 10 into another place of the same array. */
	size_t volume[] = {2, 3}, to[] = {0, 0}, from[] = {5, 4}, shape[] = {10, 10};
	CHECK(omp_target_memcpy_rect(copy, memory, sizeof *copy, 2, volume, to, from, shape, shape, device, device) ==
	      0);
	CHECK(copy[0] == 54 && copy[2] == 56 && copy[3] == 3 && copy[10] == 64 && copy[12] == 66 && copy[13] == 13);
	omp_target_free(memory, device);
	CHECK(omp_target_alloc(8, 77) == NULL && omp_target_is_present(&sum, device));
	return check_end();
}
