/* One member of a team of 96 makes tasks. The members of most groups compute, and those of one group wait at the
 * barrier. So batches lie in mailboxes of groups without an idle member. Prints how long after the begin of the region
 * the last task ends, in us, and how many ran. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include "forestgomp.h"

#define MEMBERS 96
#define IDLE 88 /* this member and those after it have nothing else to do */
#define TASKS 400
#define TASK_NS 20000
#define BUSY_NS 20000000

static _Atomic unsigned ran;
static double last[MEMBERS];

static void
task(void)
{
	fgomp_sim_work(TASK_NS);
	last[omp_get_thread_num()] = omp_get_wtime();
	ran++;
}

static void
make(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
#pragma omp task
		task();
}

int
main(void)
{
#pragma omp parallel num_threads(MEMBERS)
#pragma omp single
	make(20 * MEMBERS); /* the limits of deques grow */
	ran = 0;
	double begin = omp_get_wtime(), end = begin;
#pragma omp parallel num_threads(MEMBERS)
	{
		int member = omp_get_thread_num();
		if (member == 0)
			make(TASKS);
		if (member < IDLE)
			fgomp_sim_work(BUSY_NS);
	}
	for (int i = 0; i < MEMBERS; i++)
		end = last[i] > end ? last[i] : end;
	printf("%.0f %u\n", (end - begin) * 1e6, (unsigned)ran);
	return 0;
}
