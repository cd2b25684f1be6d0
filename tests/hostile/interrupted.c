// System calls of the program do not end early, also where /proc tells nothing: a process that has dropped root, has no
// file descriptors left, or no /proc at all.
// finding: 11
// mode: plain
// mode: noproc plain
// mode: files
// mode: setuid
// mode: dumpable
// mode: noproc plain read
// mode: setuid read
// mode: setuid sem
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "crowd.h"

#define MEMBERS 6
#define NOBODY 65534
#define SECONDS 1.0

static int epoll, never[2];
static atomic_int ended_early[5], calls;

static void
early(int what, int result, int error)
{
	calls++;
	if (result != 0 && error == EINTR)
		ended_early[what]++;
}

static void
usleep_whole(void)
{
	double begin = check_now();
	int result = usleep(4000);

	early(2, result, errno);
	if (result == 0 && check_now() - begin < 0.0039)
		ended_early[2]++;
}

static void
block(int which)
{
	struct pollfd poller = {.fd = never[0], .events = POLLIN};
	struct timespec time = {0, 4000000}, at;
	struct epoll_event event;
	sem_t sem;

	switch (which) {
	case 0:
		early(0, poll(&poller, 1, 4), errno);
		break;
	case 1:
		early(1, nanosleep(&time, NULL), errno);
		break;
	case 2:
		usleep_whole();
		break;
	case 3:
		sem_init(&sem, 0, 0);
		clock_gettime(CLOCK_REALTIME, &at);
		at.tv_nsec += 4000000;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		early(3, sem_timedwait(&sem, &at), errno);
		break;
	default:
		early(4, epoll_wait(epoll, &event, 1, 4), errno);
	}
}

static void
drop_root(void)
{
	if (getuid() == 0 && setuid(NOBODY))
		skip("setuid fails: %s", strerror(errno));
}

static void
prepare(const char *mode)
{
	struct rlimit limit;

	if (!strcmp(mode, "files")) {
		CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
		int lowest = dup(0);
		close(lowest);
		limit.rlim_cur = lowest;
		CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0 && dup(0) == -1);
	} else if (!strcmp(mode, "setuid")) {
		if (getuid())
			skip("only root can drop its rights");
		drop_root();
	} else if (!strcmp(mode, "dumpable")) {
		drop_root();
		CHECK(prctl(PR_SET_DUMPABLE, 1) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0);
	}
}

/* Half of the members compute, half are in calls; there are more than CPUs, so that some member always waits. */
static void
region(void)
{
#pragma omp parallel num_threads(MEMBERS)
	{
		int me = omp_get_thread_num();

		if (me / 2 % 2)
			check_burn(10000);
		else
			for (int i = 0; i < 5; i++)
				block(i);
	}
}

int
main(int argc, char **argv)
{
	static const char *const names[] = {"poll", "nanosleep", "usleep", "sem_timedwait", "epoll_wait"};

	CHECK(pipe(never) == 0);
	epoll = epoll_create1(0);
	prepare(argc > 1 ? argv[1] : "plain");
	if (argc > 2) {
		crowd_regions(argv[2], MEMBERS, 2);
		return check_end();
	}
	for (double end = check_now() + SECONDS; check_now() < end;)
		region();
	for (int i = 0; i < 5; i++)
		CHECK(ended_early[i] == 0, "%s: %d times, of %d calls in all", names[i], ended_early[i], calls);
	return check_end();
}
