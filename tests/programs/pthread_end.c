// Pthreads make tasks outside any region, or tell the runtime of a team that they never make, and end. Nothing of them
// is left, and their tasks are complete. The program runs twice, because hints about memory need a bubble scheduler,
// which stands in a file beside the program.
// env: -
// env: FGOMP_THREADS=kernel
// library: pthread_end_module.c
#define _GNU_SOURCE
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "../../include/forestgomp.h"
#include "check.h"

#pragma weak fgomp_set_next_team_member_loads
#pragma weak fgomp_add_next_team_area

enum { WARM_UP = 200, THREADS = 2000, MEMBERS = 500, KILOBYTES = 2048 };

static int done;

static void
count(void)
{
	__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

static void *
dependent(void *arg)
{
	int x = 0;

#pragma omp task depend(out : x) shared(x)
	x = 1;
#pragma omp task depend(in : x) shared(x)
	if (x == 1)
		count();
	return arg;
}

static void *
detached(void *arg)
{
	omp_event_handle_t event;

#pragma omp task detach(event)
	{
		count();
		omp_fulfill_event(event);
	}
	return arg;
}

static void *
told_loads(void *arg)
{
	static const double loads[MEMBERS] = {1};

	if (fgomp_set_next_team_member_loads)
		fgomp_set_next_team_member_loads(MEMBERS, loads);
	count();
	return arg;
}

static void *
told_areas(void *arg)
{
	for (int i = 0; i < MEMBERS / 5 && fgomp_add_next_team_area; i++)
		fgomp_add_next_team_area(&done, sizeof done, FGOMP_READ);
	count();
	return arg;
}

// A sanitizer's heap grows as it likes; that for addresses reports lost blocks by itself, at the end.
static long
resident(void)
{
	long pages = 0;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return 0;
#endif
	FILE *file = fopen("/proc/self/statm", "r");

	if (fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void
threads(int many, void *(*body)(void *))
{
	for (int i = 0; i < many; i++) {
		pthread_t thread;
		CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
}

static void
nothing_is_left(const char *what, void *(*body)(void *))
{
	done = 0;
	threads(WARM_UP, body);
	long before = resident();
	threads(THREADS, body);
	long more = resident() - before;
	CHECK(more < KILOBYTES, "%s: %ld KiB", what, more);
	CHECK(done == WARM_UP + THREADS, "%s: %d", what, done);
}

// The event of its first task comes from another thread, and late: the second is complete all the same when the first
// thread has ended.
static omp_event_handle_t handed;
static int x, is_handed;

static void *
waits(void *arg)
{
	omp_event_handle_t event;

#pragma omp task depend(out : x) detach(event)
	{
		handed = event;
		__atomic_store_n(&is_handed, 1, __ATOMIC_RELEASE);
	}
#pragma omp task depend(in : x)
	count();
	return arg;
}

static void *
fulfills(void *arg)
{
	while (!__atomic_load_n(&is_handed, __ATOMIC_ACQUIRE))
		usleep(1000);
	usleep(50000);
	omp_fulfill_event(handed);
	return arg;
}

static void
late_event(void)
{
	pthread_t first, second;

	done = 0;
	CHECK(pthread_create(&first, NULL, waits, NULL) == 0 && pthread_create(&second, NULL, fulfills, NULL) == 0);
	CHECK(pthread_join(first, NULL) == 0 && done == 1, "%d", done);
	CHECK(pthread_join(second, NULL) == 0);
}

int
main(int argc, char **argv)
{
	char path[PATH_MAX + 32];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

	path[length > 0 ? length : 0] = 0;
	strcpy(strrchr(path, '/'), "/pthread_end_module.so");
	if (argc == 1) {
		setenv("FGOMP_SCHED", path, 1);
		execl("/proc/self/exe", argv[0], "again", NULL);
		return 1;
	}
	nothing_is_left("depend", dependent);
	nothing_is_left("detach", detached);
	nothing_is_left("loads", told_loads);
	nothing_is_left("areas", told_areas);
	late_event();
	return check_end();
}
