// Members that wait with sched_yield for a flag which another member sets: the flag must go round at the price of a
// switch, not of a time slice (4 ms). Flat and nested; and errno stays.
// threads: 2 8 16
// cpus: 2
// limit: 20
#include <errno.h>
#include <omp.h>
#include <sched.h>

#include "check.h"

static void
ring(int size, int rounds)
{
	volatile int turn = 0;

#pragma omp parallel num_threads(size)
	for (int r = 0; r < rounds; r++) {
		/* From the last to the first: those that begin first wait longest. */
		int mine = r * size + size - 1 - omp_get_thread_num();

		errno = mine;
		while (turn != mine)
			CHECK(sched_yield() == 0, "sched_yield failed");
		CHECK(errno == mine, "errno is %d", errno);
		turn = mine + 1;
	}
	CHECK(turn == size * rounds, "%d", turn);
}

int
main(void)
{
	int threads = omp_get_max_threads();

	CHECK(sched_yield() == 0, "before any region");
	ring(threads, 2000);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	ring(4, 1000);
	CHECK(sched_yield() == 0, "after the regions");
	return check_end();
}
