// Threads that give way by themselves every few microseconds, more of them than PUs: ticks would only cost, so they
// become rare, or end. The program sees in calls of ioctl and close when they run, and how often they come.
// cpus: 2
// limit: 60
#include <omp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "check.h"
#include "ticks.h"

enum { FILES = 1024, LOOKS = 100, TREES_MAX = 1500 };
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

/* Adds one to those of the two that hold: some ticks run, and some of these are frequent. */
static void
look(int *run, int *frequent)
{
	int found = 0, short_found = 0;

	for (int file = 0; file < FILES; file++)
		if (__atomic_load_n(&runs[file], __ATOMIC_RELAXED)) {
			found = 1;
			short_found |= __atomic_load_n(&period[file], __ATOMIC_RELAXED) < RARE_NS;
		}
	*run += found;
	*frequent += short_found;
}

int
main(void)
{
	int looks = 0, run = 0, frequent = 0;

	if (!ticks_allowed())
		return check_skip("the kernel gives no ticks");
	omp_set_max_active_levels(64);
	for (; looks < TREES_MAX && run < LOOKS; looks++) {
		divide(5);
		look(&run, &frequent);
	}
	fprintf(stderr, "ticks ran at %d of %d looks, and were frequent at %d\n", run, looks, frequent);
	CHECK(2 * frequent <= run || 10 * frequent <= looks, "%d of %d", frequent, looks);
	return check_end();
}
