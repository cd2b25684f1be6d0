/* Does the kernel let a process have ticks of its CPU time (perf_event_open)? */
#pragma once
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
ticks_allowed(void)
{
	struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event,
					.config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = 1000000, .exclude_kernel = 1,
					.exclude_hv = 1, .disabled = 1};
	long file = syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);

	if (file >= 0)
		close((int)file);
	return file >= 0;
}
