// Members busy-wait for a flag which another member sets: with more members than PUs, the runtime must make some give
// way.
// threads: 2 8 16
// cpus: 2
// env: -
// env: OMP_WAIT_POLICY=active
// limit: 40
#include <omp.h>

#include "check.h"

static void
ring(int size, int rounds)
{
	volatile int turn = 0;

#pragma omp parallel num_threads(size)
	for (int r = 0; r < rounds; r++) {
		/* From the last to the first: those that begin first wait longest. */
		int mine = r * size + size - 1 - omp_get_thread_num();

		while (turn != mine)
			;
		turn = mine + 1;
	}
	CHECK(turn == size * rounds, "%d", turn);
}

int
main(void)
{
	int threads = omp_get_max_threads();
	volatile int go = 0;

	ring(threads, 2);
	/* All wait for the last one. */
	for (int i = 1; i <= 3; i++) {
#pragma omp parallel
		if (omp_get_thread_num() == threads - 1)
			go = i;
		else
			while (go < i)
				;
	}
	/* In a nested team, whose members are yet to begin. */
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	ring(threads < 8 ? threads : 8, 1);
	return check_end();
}
