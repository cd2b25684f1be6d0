// Threads that give way by themselves every few microseconds, more of them than PUs: ticks would only cost, so they
// become rare. The program sees in calls of ioctl and close when they run, and how often they come.
// cpus: 2
// limit: 60
#include <omp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "check.h"
#include "ticks.h"

enum { FILES = 1024, TREES = 200 };
#define RARE_NS 500000

static uint64_t period[FILES]; /* the last that was set */
static int runs[FILES];

int
ioctl(int file, unsigned long request, ...)
{
	va_list list;
	va_start(list, request);
	void *arg = va_arg(list, void *);
	va_end(list);
	if (file < FILES && request == PERF_EVENT_IOC_PERIOD)
		__atomic_store_n(&period[file], *(uint64_t *)arg, __ATOMIC_RELAXED);
	if (file < FILES && (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE))
		__atomic_store_n(&runs[file], request == PERF_EVENT_IOC_ENABLE, __ATOMIC_RELAXED);
	return (int)syscall(SYS_ioctl, file, request, arg);
}

int
close(int file)
{
	if (file >= 0 && file < FILES) {
		__atomic_store_n(&runs[file], 0, __ATOMIC_RELAXED);
		__atomic_store_n(&period[file], 0, __ATOMIC_RELAXED);
	}
	return (int)syscall(SYS_close, file);
}

static int
are_frequent(void)
{
	int found = 0;

	for (int file = 0; file < FILES; file++)
		if (__atomic_load_n(&runs[file], __ATOMIC_RELAXED) && __atomic_load_n(&period[file], __ATOMIC_RELAXED) < RARE_NS)
			found = 1;
	return found;
}

/* A tree of regions, whose leaves compute some microseconds. */
static void
divide(int depth)
{
	if (depth)
#pragma omp parallel num_threads(4)
		divide(depth - 1);
	else
		for (volatile int i = 0; i < 20000; i++)
			;
}

int
main(void)
{
	int frequent = 0;

	if (!ticks_allowed())
		return check_skip("the kernel gives no ticks");
	omp_set_max_active_levels(64);
	for (int tree = 0; tree < TREES; tree++) {
		divide(5);
		frequent += are_frequent();
	}
	fprintf(stderr, "ticks were frequent at %d of %d looks\n", frequent, TREES);
	CHECK(frequent < TREES / 2, "%d", frequent);
	return check_end();
}
