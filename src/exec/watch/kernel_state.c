/* Kernel state (floor: exec): see kernel_state.h. */
#define _GNU_SOURCE
#include "exec/watch/kernel_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/file.h"
#include "platform/futex.h"
#include "platform/sandbox.h"
#include "platform/thread_clock.h"

#define SOME_NS 250000 /* an eighth of the time between two looks */

/* Reads /proc/self/task/TID/syscall. It says "running", or the number and arguments of the system call in which the
 * thread sleeps. It says -1 if the thread sleeps or is stopped outside of all system calls. A futex with a timeout
 * counts as any other call: it could not go on after an interruption (sem_timedwait would return early). Returns
 * false if the file tells nothing. */
static bool
state_from_file(int tid, enum fg_kernel_state *state)
{
	char path[64], text[160];
	if (!fg_sandbox_allows(FG_SANDBOX_FILES))
		return false;
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
	if (!fg_file_text(path, text, sizeof text))
		return false;
	unsigned long timeout;
	bool untimed = sscanf(text, "%*d %*x %*x %*x %lx", &timeout) == 1 && timeout == 0;
	*state = text[0] == 'r'				   ? FG_KERNEL_RUNNING
		 : fg_futex_is_call(atol(text)) && untimed ? FG_KERNEL_IN_FUTEX
							   : FG_KERNEL_BLOCKED;
	return true;
}

/* The file may be missing: the process may not be traced, no descriptor is left, /proc is not there, or a sandbox
 * forbids it. Then a kernel thread that has used no CPU time since the last look counts as blocked. If it only waits
 * for a PU, a spare does no harm. */
static enum fg_kernel_state
state_from_clock(struct fg_worker *worker)
{
	uint64_t ns = fg_thread_clock_used(worker->tid), before = fg_parts(worker)->watch.cpu_seen;
	fg_parts(worker)->watch.cpu_seen = ns;
	return ns - before > SOME_NS ? FG_KERNEL_RUNNING : FG_KERNEL_BLOCKED;
}

enum fg_kernel_state
fg_kernel_state_of(struct fg_worker *worker)
{
	enum fg_kernel_state state;
	return state_from_file(worker->tid, &state) ? state : state_from_clock(worker);
}

bool
fg_kernel_state_may_signal(int tid)
{
	enum fg_kernel_state state;
	return state_from_file(tid, &state) && state != FG_KERNEL_BLOCKED;
}
