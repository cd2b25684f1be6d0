// In a region, a program closes all files that it has not opened, and has files of its own under their numbers. No
// other code starts its performance counters, reads its pipes, or keeps its files that tell of input by a signal. Its
// regions go on. It runs twice, because the scheduler that has events counted stands in a file beside the program.
// threads: 8
// cpus: 2
// limit: 60
// library: closed_files_module.c
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "check.h"

enum { FIRST = 3, OURS = 600, MOST = 32, BYTES = 4096, TURNS = 5 };

static int number[MOST], n_numbers;

// Each member waits for all others without a word: it takes ticks until all are there.
static void
crowd(void (*body)(void))
{
	int here = 0, last = omp_get_max_threads();

#pragma omp parallel
	{
		__atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
		while (__atomic_load_n(&here, __ATOMIC_RELAXED) < last)
			;
		if (body && omp_get_thread_num() == last - 1)
			body();
	}
}

// With pauses, in which nothing ticks.
static void
regions(void)
{
	for (int i = 0; i < TURNS; i++) {
		crowd(NULL);
		usleep(50000);
	}
}

static void
find_numbers(void)
{
	for (int file = FIRST; file < OURS && n_numbers < MOST; file++) {
		char path[64], target[64] = "";

		snprintf(path, sizeof path, "/proc/self/fd/%d", file);
		if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "perf_event"))
			number[n_numbers++] = file;
	}
}

static int
ours(int file)
{
	int high = fcntl(file, F_DUPFD, OURS);

	close(file);
	return high;
}

static int
counter(void)
{
	struct perf_event_attr wanted = {.type = PERF_TYPE_SOFTWARE,
					 .size = sizeof wanted,
					 .config = PERF_COUNT_SW_TASK_CLOCK,
					 .disabled = 1,
					 .exclude_kernel = 1};

	return ours((int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0));
}

static int given[MOST], written[MOST]; // the files that must stand under the numbers; the other ends of pipes

static void
take_numbers(void)
{
	for (int file = FIRST; file < OURS; file++)
		close(file);
	for (int i = 0; i < n_numbers; i++) {
		int file;

		// Another thread may be about to open a file that gets this number.
		while ((file = dup2(given[i], number[i])) < 0 && errno == EBUSY)
			;
		CHECK(file == number[i], "%d: %s", number[i], strerror(errno));
	}
}

static void
pipes(void)
{
	for (int i = 0; i < n_numbers; i++) {
		static const char bytes[BYTES];
		int ends[2];

		CHECK(pipe(ends) == 0);
		given[i] = ours(ends[0]);
		written[i] = ours(ends[1]);
		CHECK(write(written[i], bytes, sizeof bytes) == sizeof bytes);
	}
}

static void
counters_of_our_own(void)
{
	for (int i = 0; i < n_numbers; i++)
		given[i] = counter();
	crowd(take_numbers);
	regions();
	for (int i = 0; i < n_numbers; i++) {
		uint64_t count = 1;

		CHECK(read(given[i], &count, sizeof count) == sizeof count && count == 0, "started: it counts %lu",
		      (unsigned long)count);
		CHECK(read(number[i], &count, sizeof count) == sizeof count, "closed: %d", number[i]);
	}
}

static void
pipes_of_our_own(void)
{
	pipes();
	crowd(take_numbers);
	regions();
	for (int i = 0; i < n_numbers; i++) {
		int there = 0;

		CHECK(ioctl(number[i], FIONREAD, &there) == 0 && there == BYTES, "%d bytes of %d are left in %d", there,
		      BYTES, number[i]);
	}
}

static int signals;

static void
on_urgent(int signal, siginfo_t *info, void *context)
{
	(void)context, (void)signal;
	for (int i = 0; i < n_numbers; i++)
		if (info->si_code == POLL_IN && info->si_fd == number[i])
			__atomic_fetch_or(&signals, 1 << i, __ATOMIC_RELAXED);
}

static void
signals_of_our_own(void)
{
	struct sigaction action = {.sa_sigaction = on_urgent, .sa_flags = SA_SIGINFO | SA_RESTART};

	CHECK(sigaction(SIGURG, &action, NULL) == 0);
	pipes();
	crowd(take_numbers);
	regions();
	for (int i = 0; i < n_numbers; i++) {
		CHECK(fcntl(number[i], F_SETOWN, getpid()) == 0 && fcntl(number[i], F_SETSIG, SIGURG) == 0 &&
		      fcntl(number[i], F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
		CHECK(write(written[i], "", 1) == 1);
		CHECK_SOON(__atomic_load_n(&signals, __ATOMIC_RELAXED) >> i & 1, "no signal from file %d", number[i]);
	}
}

int
main(int argc, char **argv)
{
	char path[PATH_MAX + 32];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

	path[length > 0 ? length : 0] = 0;
	strcpy(strrchr(path, '/'), "/closed_files_module.so");
	if (argc == 1) {
		setenv("FGOMP_SCHED", path, 1);
		execl("/proc/self/exe", argv[0], "again", NULL);
		return 1;
	}
	regions();
	find_numbers();
	if (n_numbers == 0) {
		puts("the runtime has no performance counters, as on libgomp or where the system refuses them: nothing "
		     "to see");
		return 0;
	}
	counters_of_our_own();
	pipes_of_our_own();
	signals_of_our_own();
	return check_end();
}
