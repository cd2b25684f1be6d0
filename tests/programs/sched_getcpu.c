// sched_getcpu tells a member the CPU it runs on, also when it is carried by a kernel thread that is not its own.
// threads: 1 2 8 50
// env: -
// env: OMP_PROC_BIND=true OMP_PLACES=threads
// env: OMP_PROC_BIND=true OMP_PLACES=threads FGOMP_THREADS=kernel
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>

#include "check.h"

static void
in_my_place(void)
{
	int place = omp_get_place_num(), cpu = sched_getcpu(), ids[1024];
	int n = place < 0 ? 0 : omp_get_place_num_procs(place), found = 0;

	if (place < 0 || n > 1024 || !omp_in_parallel()) /* a team of one does not bind its thread */
		return;
	omp_get_place_proc_ids(place, ids);
	for (int i = 0; i < n; i++)
		found += ids[i] == cpu;
	CHECK(found == 1, "thread %d on CPU %d, place %d", omp_get_thread_num(), cpu, place);
}

/* Many times in a row, lest it be a move between two calls. */
static void
as_the_kernel_says(void)
{
	unsigned before, after;

	for (int i = 0; i < 100; i++) {
		syscall(SYS_getcpu, &before, NULL, NULL);
		int cpu = sched_getcpu();
		syscall(SYS_getcpu, &after, NULL, NULL);
		if (before != after || cpu == (int)before)
			return;
	}
	CHECK(0, "thread %d is wrong about CPU %u", omp_get_thread_num(), before);
}

int
main(void)
{
	for (int round = 0; round < 20; round++) {
#pragma omp parallel
		for (int i = 0; i < 5; i++) {
			in_my_place();
#pragma omp barrier
			check_burn(20);
			in_my_place();
			if (i == 1)
				usleep(3000);
			as_the_kernel_says();
		}
	}
	return check_end();
}
