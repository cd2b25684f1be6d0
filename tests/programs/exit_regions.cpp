// Regions while the process ends: in atexit handlers, in destructors of static and thread-local objects, with pthreads
// of the program in regions of their own that never end.
// threads: 1 2 8
// env: -
// env: FGOMP_THREADS=kernel
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>

#include "check.h"

static int steps;

static void
region(int step)
{
	int members = 0;

#pragma omp parallel reduction(+ : members)
	{
		members++;
#pragma omp barrier
	}
	/* Nested, too. */
#pragma omp parallel num_threads(2) reduction(+ : members)
#pragma omp parallel num_threads(3) reduction(+ : members)
	members++;
	if (members == omp_get_max_threads() + 6)
		steps |= step;
}

struct Late {
	int step;
	explicit Late(int s) : step(s) {}
	~Late() { region(step); }
};

static void at_exit() { region(2); }

/* Static objects end in the order opposite to that of their making: this one is made first. */
struct Last {
	~Last() { _exit(steps == 15 ? 77 : 78); }
};
static Last last;
static Late global(1);

static void *
region_for_ever(void *arg)
{
#pragma omp parallel
	for (;;) {
		usleep(100);
#pragma omp barrier
	}
	return arg;
}

/* way 0: exit, 1: by return from main; 2, 3: with pthreads in regions */
static int
in_child(int way)
{
	pthread_t thread;
	static thread_local Late mine(4);

	omp_set_max_active_levels(2);
	mine.step = 4;
	steps = 8;
	atexit(at_exit);
	if (way >= 2) {
		for (int i = 0; i < 3; i++)
			pthread_create(&thread, NULL, region_for_ever, NULL);
		usleep(20000);
	}
	if (way & 1)
		return 0;
	exit(0);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		return in_child(atoi(argv[1]));
	for (int way = 0; way < 4; way++) {
		char command[5000];

		snprintf(command, sizeof command, "timeout 100 %s %d", argv[0], way);
		int status = system(command);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77, "way %d: status %x", way, status);
	}
	_exit(check_end());
}
