/* Kernel state (floor: exec): see kernel_state.h. */
#define _GNU_SOURCE
#include "exec/watch/kernel_state.h"

#include <errno.h>
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
	struct fg_file_reading file;
	int saved = errno;
	if (!fg_sandbox_allows(FG_SANDBOX_FILES))
		return false;
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
	if (!fg_file_reading_begin(&file, path)) {
		errno = saved;
		return false;
	}
	ssize_t got = fg_file_reading_next(&file, text, sizeof text - 1); /* it is one line */
	fg_file_reading_end(&file);
	errno = saved;
	if (got <= 0)
		return false;
	text[got] = '\0';
	unsigned long timeout;
	bool untimed = sscanf(text, "%*d %*x %*x %*x %lx", &timeout) == 1 && timeout == 0;
	*state = text[0] == 'r'				   ? FG_KERNEL_RUNNING
		 : fg_futex_is_call(atol(text)) && untimed ? FG_KERNEL_IN_FUTEX
							   : FG_KERNEL_BLOCKED;
	return true;
}

/* The CPU time that the worker's kernel thread has used since this was asked last. */
static uint64_t
used_since(struct fg_worker *worker)
{
	uint64_t ns = fg_thread_clock_used(worker->tid), before = fg_parts(worker)->watch.cpu_seen;
	fg_parts(worker)->watch.cpu_seen = ns;
	return ns > before ? ns - before : 0; /* a spare has a clock of its own */
}

/* The file takes ten times as long as the clock. It may also be missing: the process may not be traced, no descriptor
 * is left, /proc is not there, or a sandbox forbids it. Then a kernel thread that has used no CPU time since the last
 * look counts as blocked. If it only waits for a PU, a spare does no harm. */
enum fg_kernel_state
fg_kernel_state_of(struct fg_worker *worker, bool again)
{
	enum fg_kernel_state state;
	bool used = used_since(worker) > SOME_NS;
	if ((again && used) || !state_from_file(worker->tid, &state))
		return used ? FG_KERNEL_RUNNING : FG_KERNEL_BLOCKED;
	return state;
}

bool
fg_kernel_state_may_signal(int tid)
{
	enum fg_kernel_state state;
	return state_from_file(tid, &state) && state != FG_KERNEL_BLOCKED;
}
