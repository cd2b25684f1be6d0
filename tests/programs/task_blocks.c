// Tasks that block in the kernel, one for each PU, free their PUs: the task that ends their wait runs on another
// member. At a barrier, behind the end of the others' part of the region, at a taskwait, and in nested regions.
// threads: 4 8
// cpus: 2
// env: -
// env: FGOMP_SCHED=spread
// env: FGOMP_THREADS=kernel
#include <omp.h>

#include "check.h"

#define PUS 2

static void
make_tasks(void)
{
	static int pipes[PUS][2];
	int blocked = 0;

	for (int i = 0; i < PUS; i++) {
		CHECK(pipe(pipes[i]) == 0);
#pragma omp task firstprivate(i) shared(blocked)
		{
			char byte;
			__atomic_fetch_add(&blocked, 1, __ATOMIC_SEQ_CST);
			CHECK(read(pipes[i][0], &byte, 1) == 1);
		}
	}
#pragma omp task shared(blocked)
	{
		while (__atomic_load_n(&blocked, __ATOMIC_SEQ_CST) < PUS)
			usleep(100);
		for (int i = 0; i < PUS; i++)
			CHECK(write(pipes[i][1], "x", 1) == 1);
	}
#pragma omp taskwait
	for (int i = 0; i < PUS; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

static void
at_a_barrier(void)
{
#pragma omp parallel
	{
#pragma omp single
		make_tasks();
#pragma omp barrier
	}
}

static void
at_the_end(void)
{
#pragma omp parallel
#pragma omp masked
	make_tasks();
}

static void
nested(void)
{
#pragma omp parallel num_threads(2)
#pragma omp masked
#pragma omp parallel
	{
#pragma omp single
		make_tasks();
#pragma omp barrier
	}
}

int
main(void)
{
	omp_set_max_active_levels(2);
	for (int i = 0; i < 5; i++) {
		at_a_barrier();
		at_the_end();
		nested();
	}
	return check_end();
}
