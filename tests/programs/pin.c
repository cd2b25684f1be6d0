// The runtime does not fight programs that bind their own threads. A mask that a member sets for itself holds over
// barriers and regions. Members run on the CPUs to which a preloaded pthread_create binds new threads, also when they
// outnumber the CPUs.
// cpus: 2
// threads: 2 8
// library: pin_module.c
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

static cpu_set_t all;

static int
nth_cpu(int n)
{
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all) && n-- == 0)
			return i;
	return -1;
}

/* The CPUs of the calling kernel thread are just this one. */
static int
bound_to(int cpu)
{
	cpu_set_t mask;

	return sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) == 1 && CPU_ISSET(cpu, &mask);
}

static void
bind_myself(int cpu, int by_pthread)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK((by_pthread ? pthread_setaffinity_np(pthread_self(), sizeof one, &one)
			  : sched_setaffinity(0, sizeof one, &one)) == 0);
}

/* No more members than CPUs: each has a kernel thread of its own. Bound crosswise, where no default would put them. */
static void
own_binding(int size)
{
	for (int way = 0; way < 2; way++) {
#pragma omp parallel num_threads(size)
		bind_myself(nth_cpu((omp_get_thread_num() + 1 + way) % size), way);
		for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(size)
			{
				int cpu = nth_cpu((omp_get_thread_num() + 1 + way) % size);

				CHECK(bound_to(cpu));
				check_burn(50);
#pragma omp barrier
				CHECK(bound_to(cpu) && sched_getcpu() == cpu);
			}
			if (round == 10)
				usleep(20000);
		}
	}
	sched_setaffinity(0, sizeof all, &all);
}

/* Under the preloaded pthread_create: every member but those of the initial thread is on one CPU, and all get their
 * work done. */
static void
preloaded(int size)
{
	int sum = 0;

	for (int round = 0; round < 20; round++) {
#pragma omp parallel reduction(+ : sum)
		{
			cpu_set_t mask;

			/* The maker of a thread binds it, so it may run for a while before. */
			if (size <= CPU_COUNT(&all) && omp_get_thread_num())
				CHECK_SOON(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) == 1, "%d",
					   CPU_COUNT(&mask));
			check_burn(100);
#pragma omp barrier
			sum++;
		}
	}
	CHECK(sum == 20 * size, "%d", sum);
}

int
main(int argc, char **argv)
{
	int size = omp_get_max_threads();

	CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
	if (argc > 1) {
		preloaded(size);
		return check_end();
	}
	own_binding(CPU_COUNT(&all));
	char command[9000], module[4096] = "";
	CHECK(readlink("/proc/self/exe", module, sizeof module - 40) > 0);
	strcpy(strrchr(module, '/'), "/pin_module.so");
	snprintf(command, sizeof command, "LD_PRELOAD=%s %s preloaded", module, argv[0]);
	int status = system(command);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", status);
	return check_end();
}
