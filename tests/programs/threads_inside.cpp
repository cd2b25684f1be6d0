// std::thread and std::async from members: they may open regions, and be waited for, inside and after the region.
// threads: 1 2 8
#include <future>
#include <thread>
#include <vector>
#include <omp.h>

#include "check.h"

static int
region()
{
	int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	sum++;
	return sum;
}

int
main()
{
	std::vector<std::thread> later(omp_get_max_threads());

#pragma omp parallel
	{
		int me = omp_get_thread_num();

		for (int i = 0; i < 3; i++) {
			int sum = 0;
			std::thread helper([&] { sum = region(); });

			helper.join();
			CHECK(sum == 3, "%d", sum);
			CHECK(std::async(std::launch::async, region).get() == 3);
#pragma omp barrier
			CHECK(omp_get_thread_num() == me);
		}
		later[me] = std::thread([] { CHECK(region() == 3); });
	}
	for (auto &thread : later)
		thread.join();
	return check_end();
}
