// A program closes all files that it has not opened. The runtime has just opened one, and the program gets its number
// for a pipe. The runtime neither closes the pipe nor changes it. The program's own `ioctl` and `fstat64` are that
// moment: the runtime calls them to learn which file it has.
// threads: 8
// cpus: 2
// limit: 60
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <omp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

enum { MOST = 16, TURNS = 8 };

static int taken[2 * MOST], n_ticks, n_files, ends[2];

static void
take(int number, int as)
{
	taken[as] = number;
	dup3(ends[0], number, 0);
}

// Some first looks at a file meet the pipe, and some later ones.
int
fstat64(int file, struct stat64 *what)
{
	bool is_armed = ends[1] && file > 2;
	int turn = __atomic_fetch_add(&n_files, is_armed, __ATOMIC_RELAXED);
	if (is_armed && turn < 3 * MOST && turn % 3 == 0)
		take(file, MOST + turn / 3);
	return fstatat64(file, "", what, AT_EMPTY_PATH);
}

int
ioctl(int file, unsigned long request, ...)
{
	va_list rest;
	va_start(rest, request);
	void *argument = va_arg(rest, void *);
	va_end(rest);
	int turn = request == PERF_EVENT_IOC_ID ? __atomic_fetch_add(&n_ticks, 1, __ATOMIC_RELAXED) : MOST;
	if (turn < MOST)
		take(file, turn);
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
	if (n_ticks == 0 || n_files == 0)
		puts("the runtime has no files or no ticks, as on libgomp or where the system refuses them");
	for (int i = 0; i < 2 * MOST; i++) {
		int flags = taken[i] ? fcntl(taken[i], F_GETFL) : 0;
		CHECK(flags >= 0, "%d was closed", taken[i]);
		for (int j = MOST; j < i; j++)
			CHECK(!taken[i] || taken[i] != taken[j], "%d was closed, and given to another file", taken[i]);
		CHECK((flags & (O_ASYNC | O_NONBLOCK)) == 0, "%d has flags %o", taken[i], (unsigned)flags);
	}
	return check_end();
}
