/* Ticks (floor: exec): see tick.h. Each is a file of perf_event_open(2) that counts the task clock of one kernel thread. */
#define _GNU_SOURCE
#include "exec/tick.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "exec/options.h"

#define FILES 1024

static bool refused;			       /* by the system: not asked again */
static struct fg_atomic_u32 known[FILES / 32]; /* bits; written by whoever opens ticks, the monitor */

bool
fg_tick_open(struct fg_tick *tick, int tid)
{
	/* A real-time signal whose queue is full would become SIGIO. */
	if (refused || fg_exec_options.signal >= __SIGRTMIN)
		return false;
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof event,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = FG_TICK_BRIEF_NS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct f_owner_ex owner = {F_OWNER_TID, tid};
	int file = (int)syscall(SYS_perf_event_open, &event, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (file < 0) {
		refused = true;
		return false;
	}
	if (file >= FILES || fcntl(file, F_SETOWN_EX, &owner) || fcntl(file, F_SETSIG, fg_exec_options.signal) ||
	    fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK)) {
		close(file);
		return false;
	}
	fg_store_relaxed(&known[file / 32], fg_load_relaxed(&known[file / 32]) | 1u << file % 32);
	tick->file = file;
	tick->period_ns = FG_TICK_BRIEF_NS;
	return ioctl(file, PERF_EVENT_IOC_ID, &tick->id) == 0;
}

bool
fg_tick_known(int file)
{
	return file >= 0 && file < FILES && fg_load_relaxed(&known[file / 32]) >> file % 32 & 1;
}

/* A program may have closed all files that it had not opened, and have another one under this number. */
void
fg_tick_close(struct fg_tick *tick)
{
	uint64_t id;
	if (ioctl(tick->file, PERF_EVENT_IOC_ID, &id) == 0 && id == tick->id)
		close(tick->file);
}

void
fg_tick_period(struct fg_tick *tick, uint64_t ns)
{
	if (ns != tick->period_ns && ioctl(tick->file, PERF_EVENT_IOC_PERIOD, &ns) == 0)
		tick->period_ns = ns;
}

bool
fg_tick_run(struct fg_tick *tick, bool on)
{
	return ioctl(tick->file, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0;
}
