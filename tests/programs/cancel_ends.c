// Without cancellation, the end of a construct with a cancel in it is a plain barrier: it waits for the tasks of all.
// threads: 1 2 3 8 33
// env: OMP_CANCELLATION=false
// env: OMP_CANCELLATION=true
#include <omp.h>

#include "check.h"

enum { BARRIERS = 8, TASKS = 4 };
static int done;

static void
make_tasks(void)
{
	for (int i = 0; i < TASKS; i++)
#pragma omp task
	{
		usleep(100);
		__atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
	}
}

static void
check_done(void)
{
	CHECK(__atomic_load_n(&done, __ATOMIC_SEQ_CST) == TASKS, "%d tasks of %d are over", done, TASKS);
#pragma omp barrier
#pragma omp single
	done = 0;
}

static void
loop(int tasks)
{
#pragma omp for schedule(dynamic, 1)
	for (int i = 0; i < 8; i++)
		if (i == 3 && tasks)
			make_tasks();
}

/* No cancel is met. But the region holds a `cancel parallel`, so gcc emits the other end for each construct in it. */
static void
region(int never)
{
#pragma omp parallel
	{
#pragma omp cancel parallel if (never)
		for (int i = 0; i < BARRIERS; i++)
			loop(0);
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < 8; i++)
			if (i == 3)
				make_tasks();
		check_done();
		for (int k = 0; k < BARRIERS; k++) {
#pragma omp for schedule(dynamic, 1)
			for (int i = 0; i < 8; i++)
				usleep(1);
		}
		loop(1);
		check_done();
#pragma omp sections
		{
#pragma omp section
			make_tasks();
#pragma omp section
			usleep(1);
		}
		check_done();
	}
}

int
main(int argc, char **argv)
{
	(void)argv;
	for (int round = 0; round < 5; round++)
		region(argc > 100);
	return check_end();
}
