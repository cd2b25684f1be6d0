// Teams that meet barriers again and again leave the PUs to members that are not born yet. Half of the teams go on
// until the other half have met a barrier, and some members of those are unborn for a while.
// threads: 2
// env: -
// env: FGOMP_SCHED=random
// env: FGOMP_SCHED=spread
// env: FGOMP_SCHED=affinity
// cpus: 2
// limit: 40
#include <omp.h>

#include "check.h"

#define TEAMS 4
#define MEMBERS 4

static void
work(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

int
main(void)
{
	int done = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(TEAMS)
	{
		int waits = omp_get_thread_num() >= TEAMS / 2, stop = 0;
#pragma omp parallel num_threads(MEMBERS)
		do {
			work();
#pragma omp barrier
#pragma omp master
			{
				int others;
				if (!waits)
#pragma omp atomic
					done++;
#pragma omp atomic read
				others = done;
				stop = !waits || others == TEAMS / 2;
			}
#pragma omp barrier
		} while (!stop);
	}
	CHECK(done == TEAMS / 2, "%d", done);
	return check_end();
}
