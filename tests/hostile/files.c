// The program closes all files that it has not opened, as daemons do, and gets their numbers for files of its own: the
// runtime does not touch those, or take their signals.
// finding: 25
// mode: signals
// mode: counters
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "crowd.h"

#define FILES 40

static atomic_int got;

static void
on_file(int signal, siginfo_t *info, void *context)
{
	(void)context;
	got += signal == SIGURG && info->si_code == POLL_IN;
}

static void
close_all(void)
{
	for (int file = 3; file < 200; file++)
		close(file);
}

/* Pipes, whose owner wants SIGURG when there is something to read: each writes once, and waits for it. */
static void
signals(void)
{
	struct sigaction action = {.sa_sigaction = on_file, .sa_flags = SA_SIGINFO | SA_RESTART};
	int link[FILES][2], lost = 0;

	sigaction(SIGURG, &action, NULL);
	for (int i = 0; i < FILES; i++) {
		CHECK(pipe(link[i]) == 0 && fcntl(link[i][0], F_SETOWN, getpid()) == 0);
		CHECK(fcntl(link[i][0], F_SETSIG, SIGURG) == 0 && fcntl(link[i][0], F_SETFL, O_ASYNC) == 0);
	}
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < FILES; i++) {
			int before = got;

			CHECK(write(link[i][1], "x", 1) == 1);
			lost += got == before;
		}
		crowd_regions("spin", 8, 1);
	}
	CHECK(lost == 0, "%d of %d signals", lost, 2 * FILES);
}

/* Counters that are not running: so nothing is counted. */
static void
counters(void)
{
	struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
					.size = sizeof event,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1};
	int file[FILES], running = 0;

	for (int i = 0; i < FILES; i++) {
		file[i] = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
		if (file[i] < 0)
			skip("perf_event_open: %s", strerror(errno));
	}
	crowd_regions("spin", 8, 3);
	for (int i = 0; i < FILES; i++) {
		uint64_t count = 1;

		CHECK(read(file[i], &count, sizeof count) == sizeof count, "file %d: %s", i, strerror(errno));
		running += count != 0;
	}
	CHECK(running == 0, "%d of %d counters have been started", running, FILES);
}

int
main(int argc, char **argv)
{
	crowd_regions("spin", 8, 3);
	close_all();
	argc > 1 && !strcmp(argv[1], "counters") ? counters() : signals();
	crowd_regions("spin", 8, 3);
	return check_end();
}
