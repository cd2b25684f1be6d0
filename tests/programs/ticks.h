/* For tests about ticks of a process's CPU time. */
#pragma once
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel lets a process have them (perf_event_open). */
static int
ticks_allowed(void)
{
	struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
					.size = sizeof event,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = 1000000,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.disabled = 1};
	long file = syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);

	if (file >= 0)
		close((int)file);
	return file >= 0;
}

/* A tree of regions, whose threads give way by themselves: ticks become rare. */
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
