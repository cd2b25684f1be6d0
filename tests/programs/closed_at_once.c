// A program closes all files that it has not opened at the moment when the runtime has just opened one, and gets its
// number for a pipe. The runtime neither closes the pipe nor changes it. The program's own `ioctl` is that moment: the
// runtime calls it to learn which file it has.
// threads: 8
// cpus: 2
// limit: 60
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <omp.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

enum { MOST = 16, TURNS = 8 };

static int taken[MOST], n_taken, ends[2];

int
ioctl(int file, unsigned long request, ...)
{
	va_list rest;
	va_start(rest, request);
	void *argument = va_arg(rest, void *);
	va_end(rest);
	int turn = request == PERF_EVENT_IOC_ID ? __atomic_fetch_add(&n_taken, 1, __ATOMIC_RELAXED) : MOST;
	if (turn < MOST) {
		taken[turn] = file;
		dup3(ends[0], file, 0);
	}
	return (int)syscall(SYS_ioctl, file, request, argument);
}

// Each member waits for all others without a word: it takes ticks until all are there.
static void
crowd(void)
{
	int here = 0, last = omp_get_max_threads();
#pragma omp parallel
	{
		__atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
		while (__atomic_load_n(&here, __ATOMIC_RELAXED) < last)
			;
	}
}

int
main(void)
{
	CHECK(pipe(ends) == 0);
	for (int i = 0; i < TURNS; i++) {
		crowd();
		pid_t child = i == TURNS / 2 ? fork() : -1; // files of the runtime are closed before
		if (child == 0)
			_exit(0);
		CHECK(child < 0 || waitpid(child, NULL, 0) == child);
		usleep(20000);
	}
	int n = n_taken < MOST ? n_taken : MOST;
	if (n == 0)
		puts("the runtime has no ticks, as on libgomp or where the system refuses them: nothing to see");
	for (int i = 0; i < n; i++) {
		int flags = fcntl(taken[i], F_GETFL);
		CHECK(flags >= 0, "%d was closed", taken[i]);
		CHECK((flags & (O_ASYNC | O_NONBLOCK)) == 0, "%d has flags %o", taken[i], (unsigned)flags);
	}
	return check_end();
}
