// Prints, line by line, all that a program can see of the variables that its runtime has read. check_privileges.py
// compares its output with and without rights of its own. It has 4 PUs on each machine: on fewer than 3 the runtime
// does not look at the machine's caches.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

enum { PUS = 4, CROWD = 9, SIZES = 16 };

static int
four(size_t size, cpu_set_t *set)
{
	memset(set, 0, size);
	for (int cpu = 0; cpu < PUS; cpu++)
		CPU_SET_S(cpu, size, set);
	return 0;
}

int
sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set)
{
	(void)thread;
	return four(size, set);
}

int
pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	(void)thread;
	return four(size, set);
}

static size_t
stack_size(void)
{
	pthread_attr_t attr;
	size_t size = 0;
	void *low;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	return size;
}

// Members that wait for all others without a word to the runtime: it must preempt them.
static void
crowd(void)
{
	int here = 0, small = 0;

#pragma omp parallel num_threads(CROWD) reduction(+ : small)
	{
		small = stack_size() < 1 << 20;
		__atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
		while (__atomic_load_n(&here, __ATOMIC_RELAXED) < omp_get_num_threads())
			;
	}
	printf("members %d, stacks %s\n", here, small ? "small" : "large");
}

static int
nested(void)
{
	int members = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : members)
#pragma omp parallel num_threads(2) reduction(+ : members)
	members = 1;
	return members;
}

/* As the kernel has them: sigaction shows a program its own only. */
static void
handlers(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long long caught = 0;
	char line[256];

	while (status && fgets(line, sizeof line, status))
		sscanf(line, "SigCgt: %llx", &caught);
	if (status)
		fclose(status);
	for (int number = 1; number < SIGRTMIN - 2; number++)
		if (number != SIGSEGV && caught >> (number - 1) & 1)
			printf("handles signal %d\n", number);
}

static void
libraries(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4200], last[4200] = "";

	while (maps && fgets(line, sizeof line, maps)) {
		char *name = strrchr(line, '/');

		/* The C library loads libgcc_s when the first thread ends, and free donors may end at any time. */
		if (name && strstr(name, ".so") && !strstr(name, "libgcc_s") && strcmp(name, last) != 0)
			printf("library %s", strcpy(last, name));
	}
	if (maps)
		fclose(maps);
	else
		puts("no maps");
}

int
main(void)
{
	printf("secure %lu\nthreads %d\nnested %d\n", getauxval(AT_SECURE), omp_get_max_threads(), nested());
	crowd();
	handlers();
	libraries();
	return 0;
}
