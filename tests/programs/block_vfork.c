// A thread of the program leaves its place for a vfork, and blocks before it has the place again. A spare runs the
// other members meanwhile. When the thread has its worker back, its kernel thread is not bound, and the runtime knows
// that: in the next region all members are bound again.
// threads: 8
// cpus: 2
// env: OMP_PROC_BIND=true
// stock: skip (has no spares)
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

static int ready;

// The mask that the kernel has for the calling kernel thread.
static int
kernel_count(void)
{
	cpu_set_t mask;
	CPU_ZERO(&mask);
	CHECK(syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask) > 0);
	return CPU_COUNT(&mask);
}

static void
member_is_bound(void)
{
	int cpus = omp_get_place_num_procs(omp_get_place_num());
	CHECK(kernel_count() == cpus, "member %d has %d CPUs", omp_get_thread_num(), kernel_count());
}

// Blocks until the others of its crew have run, which a spare must do.
static void
vfork_and_block(void)
{
	pid_t child = vfork();
	if (child == 0) {
		execlp("true", "true", NULL);
		_exit(127);
	}
	CHECK(child > 0);
	for (int n = 0; n < omp_get_num_threads() - 1;) {
		usleep(20000);
		n = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
	}
	CHECK(waitpid(child, NULL, 0) == child);
}

int
main(void)
{
	for (int round = 0; round < 5; round++) {
		ready = 0;
#pragma omp parallel
		{
			if (omp_get_thread_num() == 0)
				vfork_and_block();
			else
				__atomic_add_fetch(&ready, 1, __ATOMIC_ACQ_REL);
		}
#pragma omp parallel
		member_is_bound();
	}
	return check_end();
}
