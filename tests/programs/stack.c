// Members may use 1 MiB of stack when OMP_STACKSIZE grants it, in flat and nested teams, over barriers.
// threads: 2 8
// env: OMP_STACKSIZE=4M
// env: OMP_STACKSIZE=3000
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

static int __attribute__((noinline))
deep(int left, char mark)
{
	char room[1024];

	memset(room, mark, sizeof room);
	int rest = left ? deep(left - 1, mark) : 0;

	if (left == 0) {
#pragma omp barrier
	}
	for (int i = 0; i < 1024; i += 100)
		rest += room[i] != mark;
	return rest;
}

int
main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel
	{
		pthread_attr_t attr;
		void *low;
		size_t size;
		char here;

		CHECK(deep(1024, (char)(omp_get_thread_num() + 1)) == 0);
		pthread_getattr_np(pthread_self(), &attr);
		pthread_attr_getstack(&attr, &low, &size);
		pthread_attr_destroy(&attr);
		CHECK(&here > (char *)low && &here < (char *)low + size, "%p not in %p + %zx", &here, low, size);
		CHECK(size >= 2900 * 1024, "%zu", size);
	}
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
	CHECK(deep(1024, (char)(omp_get_thread_num() + 1)) == 0);
	return check_end();
}
