// An oversubscribed flat team whose members have unequal work: an idle PU gets members that wait for a busy one.
// cpus: 2
// threads: 4 5 8 32
// env: -
// env: FGOMP_SPIN=0
// stock: fails (libgomp has a kernel thread for each member)
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static _Atomic int strangers, wrong;
static int slot_of_thread[64];
static int marks;
#pragma omp threadprivate(marks)

static void
work(double seconds)
{
	double end = omp_get_wtime() + seconds;
	while (omp_get_wtime() < end)
		;
}

/* Members with even numbers, which share a worker, work; the others do not. */
static void
region(int round, pid_t master)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		pthread_t self = pthread_self();
		if (marks != round)
			wrong++;
		for (int phase = 0; phase < 3; phase++) {
			if (me % 2 == 0) {
				work(round % 4 == 3 ? 0.02 : 0.0003);
				if (syscall(SYS_gettid) != master)
					strangers++;
			}
			if (omp_get_thread_num() != me || !pthread_equal(self, pthread_self()))
				wrong++;
			slot_of_thread[me] = round * 10 + phase;
#pragma omp barrier
			for (int k = 0; k < omp_get_num_threads(); k++)
				if (slot_of_thread[k] != round * 10 + phase)
					wrong++;
#pragma omp barrier
		}
		marks++;
	}
}

int
main(void)
{
	int round = 0, alone = omp_get_num_procs() == 1; /* then there is no kernel thread to lend members to */
	while (round < 20 || (!strangers && !alone))
		region(round++, (pid_t)syscall(SYS_gettid));
	CHECK(wrong == 0);
	return check_end();
}
