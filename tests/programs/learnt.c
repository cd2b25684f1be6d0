// The runtime measures the CPU time of nested regions and learns it: a policy (learnt_module.c) is told to expect of
// each the time that it used before. Here the sizes of regions tell them apart. The region of outer member 0 has 3
// threads and little to do. That of member 1 has 5 threads and eight times as much to do, in a region within it as
// well. Tasks are counted, but not waits at barriers and for tasks.
// threads: 2
// library: learnt_module.c
// limit: 60
// stock: fails (it has no policies)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

struct seen {
	double first, last;
	uint64_t used, whole;
};

static double
now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* One copy of it: two that are inlined may differ by a factor of two in time, by where the compiler puts them. */
__attribute__((noinline)) static void
work(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns * 1000; i++)
		;
}

static void
light(void)
{
#pragma omp parallel num_threads(3)
	{
		work(10);
#pragma omp barrier
		work(10);
	}
}

static void
heavy(void)
{
#pragma omp parallel num_threads(5)
	{
		work(60);
#pragma omp single
		for (int i = 0; i < 20; i++) {
#pragma omp task
			work(10);
		}
		if (omp_get_thread_num() == 0)
#pragma omp parallel num_threads(7)
			work(20);
	}
}

static void
step(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num())
		heavy();
	else
		light();
}

/* The shortest time that `turns` of work take here. */
static double
price(unsigned turns)
{
	double best = 1e18;
	for (int i = 0; i < 20; i++) {
		double start = now();
		work(turns);
		double took = now() - start;
		best = took < best ? took : best;
	}
	return best;
}

int
main(int argc, char **argv)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
	CHECK(length > 0);
	path[length] = 0;
	strcpy(strrchr(path, '/'), "/learnt_module.so");
	if (argc == 1) {
		setenv("FGOMP_SCHED", path, 1);
		execl("/proc/self/exe", argv[0], "again", NULL);
		return 1;
	}
	omp_set_max_active_levels(3);
	/* Others may use the machine: the runtime measures the time on a PU of ours, which is never less than the work.
	 * And the two PUs of a virtual machine may be one core for some seconds: then the load of one changes the time
	 * of a turn on the other. */
	int good = 0;
	for (int attempt = 0; !good; attempt++) {
		usleep(attempt < 10 ? 0 : 200000);
		for (int i = 0; i < 10; i++)
			step();
		void *module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
		CHECK(module);
		struct seen(*seen)[2] = dlsym(module, "learnt_seen");
		CHECK(seen);
		const struct seen *small = &seen[3][0], *large = &seen[5][0], *inner = &seen[7][1];
		double turn = price(20) / 20;
		/* Nothing was known at first. */
		CHECK(small->first == -1 && large->first == -1 && inner->first == -1);
		good = 1;
		/* Of a bubble the members' own, and with all that they met: 5 x 60 + 20 x 10 turns, and 7 x 20. */
		good &= large->used > 450 * turn && large->used < 1000 * turn &&
			large->whole - large->used > 120 * turn;
		good &= small->used > 55 * turn && small->used < 120 * turn && small->whole == small->used;
		good &= inner->used > 130 * turn && inner->used < 280 * turn;
		/* The runtime expects this time at the next run. */
		good &= large->last > 560 * turn && large->last < 1300 * turn;
		good &= small->last > 55 * turn && small->last < 120 * turn;
		good &= inner->last > 130 * turn && inner->last < 280 * turn;
		if (!good)
			fprintf(stderr,
				"attempt %d, in turns: light %.0f (%.0f), heavy %.0f + %.0f (%.0f), inner %.0f "
				"(%.0f)\n",
				attempt, (double)small->used / turn, small->last / turn, (double)large->used / turn,
				(double)(large->whole - large->used) / turn, large->last / turn,
				(double)inner->used / turn, inner->last / turn);
	}

	return check_end();
}
