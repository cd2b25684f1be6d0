// There are as many tasks as the team has members, and each task waits until all have begun: so every member must run
// one. A member must do so in each of its waits, behind the end of its own part of the region, and where it shares its
// PU.
// threads: 2 3 5 8
// cpus: 2
// env: -
// env: FGOMP_SCHED=affinity
// env: FGOMP_SCHED=cache
// env: FGOMP_SCHED=spread
// env: OMP_PLACES=cores
// env: FGOMP_THREADS=kernel
#include <omp.h>
#include <sched.h>

#include "check.h"

enum way { SPIN, ASK_THE_TIME, SLEEP, YIELD, WAYS };

/* Nothing but a loop of one load. */
static void
spin(int *begun, int all)
{
	while (__atomic_load_n(begun, __ATOMIC_SEQ_CST) < all)
		;
}

static void
meet(int *begun, int all, enum way way)
{
	__atomic_fetch_add(begun, 1, __ATOMIC_SEQ_CST);
	if (way == SPIN)
		spin(begun, all);
	while (__atomic_load_n(begun, __ATOMIC_SEQ_CST) < all) {
		if (way == ASK_THE_TIME)
			check_now();
		else if (way == SLEEP)
			usleep(100);
		else
			sched_yield();
	}
}

static void
make(int *begun, enum way way)
{
	int all = omp_get_num_threads();

	for (int i = 0; i < all; i++)
#pragma omp task
		meet(begun, all, way);
}

/* `late`: the others have had time to fall asleep. */
static void
at_the_end(enum way way, int late)
{
	int begun = 0;

#pragma omp parallel shared(begun)
#pragma omp masked
	{
		usleep(late ? 20000 : 0);
		make(&begun, way);
	}
}

static void
at_a_barrier(enum way way, int late)
{
	int begun = 0, again = 0;

#pragma omp parallel shared(begun, again)
	{
#pragma omp single
		{
			usleep(late ? 20000 : 0);
			make(&begun, way);
		}
#pragma omp single
		{
			make(&again, way);
#pragma omp taskwait
		}
	}
}

/* Each makes one, and goes to the barrier with it. There is no second round: a member that is slow to leave the barrier
 * could run a task of that round there, before it makes its own. */
static void
from_all(enum way way)
{
	int begun = 0;

#pragma omp parallel shared(begun)
	{
#pragma omp task
		meet(&begun, omp_get_num_threads(), way);
#pragma omp barrier
	}
}

int
main(void)
{
	for (enum way way = 0; way < WAYS; way++)
		for (int late = 0; late < 2; late++) {
			at_the_end(way, late);
			at_a_barrier(way, late);
			from_all(way);
		}
	return check_end();
}
