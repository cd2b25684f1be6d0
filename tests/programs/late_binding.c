// OMP_PROC_BIND binds a thread of the program at its first active region, and not when the library is loaded or asked.
// In active regions each member has the CPUs of its place. Outside of them the thread has the process's mask, as far as
// the program sees. Children have that mask, and so have new threads, whether a member or the program's thread makes
// them.
// threads: 2 8
// cpus: 2
// env: OMP_PROC_BIND=true
// env: OMP_PROC_BIND=spread,close OMP_PLACES=threads
// env: OMP_PROC_BIND=close FGOMP_THREADS=kernel
// env: OMP_PROC_BIND=false
// limit: 60
// stock: fails (binds when it is loaded)
#define _GNU_SOURCE
#include <omp.h>

#include "children.h"

static int binds;

static void
has_parents_mask(const char *when)
{
	cpu_set_t parents;
	CHECK(sched_getaffinity(getppid(), sizeof parents, &parents) == 0);
	CHECK(CPU_EQUAL(&parents, &process) && kernel_count() == CPU_COUNT(&process), "%s: bound", when);
}

static void
member_is_bound(const char *who)
{
	cpu_set_t mask;
	int place = omp_get_place_num(), cpus = binds ? omp_get_place_num_procs(place) : CPU_COUNT(&process);
	CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) == cpus, "%s: %d CPUs", who,
	      CPU_COUNT(&mask));
	CHECK(kernel_count() == cpus, "%s: %d CPUs for the kernel", who, kernel_count());
}

static void
region(int makes)
{
#pragma omp parallel
	{
		if (makes && omp_get_thread_num() < 2) {
#pragma omp critical
			children();
		} else if (!makes) { /* vfork leaves a member and its crew unbound, perhaps up to the next region */
			member_is_bound("a member");
		}
		if (!makes && omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
			member_is_bound("a nested member");
		}
	}
	has_process_mask("after a region");
}

/* The mask that the program sets between two regions is what it sees, and what its children have. */
static void
own_mask(void)
{
	cpu_set_t one, mask, all = process;
	CPU_ZERO(&one);
	for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &process))
			CPU_SET(cpu, &one);
	CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
	children_start();
	CHECK(CPU_EQUAL(&process, &one));
	children();
	CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
	children_start();
	CHECK(CPU_EQUAL(&process, &all));
	children();
	CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &all));
}

static void *
other_thread(void *arg)
{
	has_process_mask("a thread");
	CHECK(kernel_count() == CPU_COUNT(&process), "a thread of the program is bound before its first region");
	region(0);
	return arg;
}

int
main(void)
{
	pthread_t other;
	binds = omp_get_proc_bind() != omp_proc_bind_false;
	children_start();
	has_parents_mask("loaded");
	CHECK(omp_get_place_num() == (binds ? 0 : -1) && omp_get_partition_num_places() == omp_get_num_places());
	has_parents_mask("asked");
#pragma omp parallel num_threads(1)
	has_parents_mask("in a region of one member");
	for (int round = 0; round < 3; round++) {
		region(round == 1);
		children();
	}
	CHECK(pthread_create(&other, NULL, other_thread, NULL) == 0 && pthread_join(other, NULL) == 0);
	own_mask();
	return check_end();
}
