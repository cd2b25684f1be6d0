// A PU is taken from the process, and a member rides on the kernel thread of another. Then no region is open: the
// monitor must sleep. The next region makes it look again, although its root computes: the member that rides goes on,
// and it has its own kernel thread soon where the PU is back.
// cpus: 2
// threads: 2
// env: -
// env: FGOMP_SPIN=0
// limit: 60
#define _GNU_SOURCE
#include <omp.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "check.h"
#include "masks.h"

static cpu_set_t all, one;

/* Opens regions until as many kernel threads carry the two members. A thread that was just being made, or was just
 * going to its PU, may have missed the mask. So the mask is set again each second. */
static void
regions_until(int kernel_threads, const cpu_set_t *mask)
{
	volatile long tid[2];
	double again = check_now() + 1;
	int found = 0;

	while (found != kernel_threads) {
#pragma omp parallel num_threads(2)
		{
			for (int i = 0; i < 200; i++) {
#pragma omp barrier
			}
			check_burn(20);
			tid[omp_get_thread_num()] = syscall(SYS_gettid);
		}
		found = 1 + (tid[0] != tid[1]);
		if (check_now() > again) {
			again = check_now() + 1;
			mask_all(mask);
		}
	}
}

/* Until there is half a second in which the process is idle. */
static void
sleep_long(void)
{
	struct rusage before, after;

	do {
		getrusage(RUSAGE_SELF, &before);
		usleep(500000);
		getrusage(RUSAGE_SELF, &after);
	} while (after.ru_nvcsw - before.ru_nvcsw >= 100);
}

int
main(void)
{
	static int flag;

	omp_set_dynamic(0);
	sched_getaffinity(0, sizeof all, &all);
	if (CPU_COUNT(&all) < 2)
		return check_skip("one PU");
	for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	regions_until(2, &all);
	mask_all(&one);
	regions_until(1, &one);
	sleep_long();
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	else
		while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
			;
	regions_until(1, &one);
	sleep_long();
	mask_all(&all);
	regions_until(2, &all);
	return check_end();
}
