// errno is each member's own and survives constructs that wait: barrier, single, critical, dynamic loops, locks, nested
// regions.
// threads: 1 2 8 64
#include <errno.h>
#include <omp.h>

#include "check.h"

#define STILL(what) CHECK(errno == mine, what ": %d for %d", errno, mine)

int
main(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
	omp_set_max_active_levels(2);
#pragma omp parallel
	for (int round = 0; round < 10; round++) {
		int mine = 1000 + omp_get_thread_num() * 20 + round, copied;

		errno = mine;
#pragma omp barrier
		STILL("barrier");
#pragma omp critical
		CHECK(errno == mine);
		STILL("critical");
#pragma omp single copyprivate(copied)
		copied = round;
		CHECK(copied == round);
		STILL("single");
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 20; i++)
			STILL("in dynamic");
		STILL("dynamic");
		omp_set_lock(&lock);
		STILL("set_lock");
		omp_unset_lock(&lock);
		STILL("unset_lock");
#pragma omp taskwait
		STILL("taskwait");
		if (omp_get_thread_num() < 4) {
#pragma omp parallel num_threads(3)
			if (omp_get_thread_num())
				errno = 5;
			STILL("nested region");
		}
	}
	errno = 77;
#pragma omp parallel
	if (omp_get_thread_num())
		errno = 5;
	CHECK(errno == 77, "%d", errno);
	return check_end();
}
