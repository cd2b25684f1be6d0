// Under a policy that places, each worker is bound to the PU of its leaf. A member of the team that a worker carries is
// always on that PU. The program sees the process's mask all the same: in the member, in its children, however it makes
// them, and in its threads. Where OMP_PROC_BIND says something, nothing of this happens.
// cpus: 2
// env: FGOMP_SCHED=spread
// env: FGOMP_SCHED=compact
// env: FGOMP_SCHED=affinity
// env: FGOMP_SCHED=cache
// env: FGOMP_SCHED=spread OMP_PROC_BIND=false
// env: -
// threads: 2
// limit: 60
#define _GNU_SOURCE
#include <omp.h>

#include "children.h"

/* Where the kernel thread of the second member is bound to a PU, that is always the same. (Beside another program it
 * may have more room for a while.) Returns whether it was. */
static int
look(void)
{
	static int seat = -1;
	int bound = 0;
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();
		for (int i = 0; i < 2000; i++) {
#pragma omp barrier
			if (me == 0 || i % 10 || kernel_count() != 1)
				continue;
			int pu = sched_getcpu();
			seat = seat < 0 ? pu : seat;
			bound++;
			CHECK(pu == seat, "the member moved from PU %d to %d", seat, pu);
		}
		if (me == 1) {
			has_process_mask("a member");
			children();
			has_process_mask("a member with children");
		}
#pragma omp barrier
		has_process_mask(me ? "a member" : "the root");
	}
	return bound;
}

/* A member that sets its mask has its will. */
static void
own_mask(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
	{
		if (omp_get_thread_num() == 1)
			CHECK(sched_setaffinity(0, sizeof process, &process) == 0);
		for (int i = 0; i < 100; i++) {
#pragma omp barrier
		}
		n += kernel_count() == CPU_COUNT(&process);
	}
	CHECK(n == 2, "the mask that a member has set does not hold");
}

int
main(void)
{
	const char *policy = getenv("FGOMP_SCHED");
	int seats = policy && !getenv("OMP_PROC_BIND"), bound = 0; /* `default` binds nothing */
	children_start();
	for (int i = 0; i < 5; i++)
		bound += look();
	if (seats)
		CHECK(bound > 0, "no worker is bound");
	else
		CHECK(bound == 0, "a worker is bound");
	own_mask();
	return check_end();
}
