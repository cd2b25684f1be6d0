// Under a policy that places, each worker is bound to the PU of its leaf, and so is the thread of the program in its
// regions. A member of the team that a worker carries is always on that PU. The program sees the process's mask all the
// same: in the member, in its children, however it makes them, and in its threads. Where OMP_PROC_BIND says something,
// nothing of this happens. Without such a policy, members are bound after a while if the process is alone.
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
#include <unistd.h>

#include "children.h"

/* How often a member was found bound to one PU: on the kernel thread of the program, and on others. */
static int bound[2];

/* A kernel thread that is bound to a PU is always bound to that. (Beside another program it may have more room for a
 * while. Any of the two may run a member whose worker was blocked.) */
static void
look(void)
{
	static int seats[2] = {-1, -1};
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();
		for (int i = 0; i < 2000; i++) {
#pragma omp barrier
			if (i % 10 || kernel_count() != 1)
				continue;
			int pu = sched_getcpu(), who = syscall(SYS_gettid) != getpid();
			seats[who] = seats[who] < 0 ? pu : seats[who];
			bound[who]++;
			CHECK(pu == seats[who], "kernel thread %d moved from PU %d to %d", who, seats[who], pu);
		}
		if (me == 1) {
			has_process_mask("a member");
			children();
			has_process_mask("a member with children");
		}
#pragma omp barrier
		has_process_mask(me ? "a member" : "the root");
#pragma omp barrier
		if (me == 0) {
			children();
			has_process_mask("the root with children");
		}
	}
}

/* The thread of the program loses its seat after its last region, and has none for a child that it makes before. */
static void
outside(void)
{
	children();
	has_process_mask("the root outside");
	look();
	while (kernel_count() < CPU_COUNT(&process))
		usleep(1000);
}

/* A member that sets its mask has its will. */
static void
own_mask(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
	{
		CHECK(sched_setaffinity(0, sizeof process, &process) == 0);
		for (int i = 0; i < 100; i++) {
#pragma omp barrier
		}
		n += kernel_count() == CPU_COUNT(&process);
	}
	CHECK(n == 2, "the mask that a member has set does not hold");
#pragma omp parallel num_threads(2)
	CHECK(kernel_count() == CPU_COUNT(&process));
}

int
main(void)
{
	const char *policy = getenv("FGOMP_SCHED");
	int seats = policy && !getenv("OMP_PROC_BIND");
	children_start();
	for (int i = 0; i < 5; i++)
		look();
	outside();
	for (int who = 0; who < 2; who++)
		if (seats)
			CHECK(bound[who] > 0, "kernel thread %d is not bound", who);
		else if (getenv("OMP_PROC_BIND"))
			CHECK(bound[who] == 0, "kernel thread %d is bound", who);
	own_mask();
	return check_end();
}
