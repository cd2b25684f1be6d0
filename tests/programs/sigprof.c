// A profiler's timer (setitimer, SIGPROF) during flat, oversubscribed and nested regions: it ticks as the process
// computes, in the members' thread-local storage, and disturbs nothing.
// threads: 1 2 8
#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "check.h"

#define PERIOD_US 4000

static int ticks, in_bodies;
static _Thread_local volatile int in_body;

static void
handler(int number)
{
	(void)number;
	__atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
	if (in_body)
		__atomic_fetch_add(&in_bodies, 1, __ATOMIC_RELAXED);
}

static double
cpu_time(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double
work(int seed)
{
	double x = seed;

	for (int k = 0; k < 2000000; k++)
		x = x * 0.999999 + 1.0 / (k + 1);
	return x;
}

int
main(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, PERIOD_US}, {0, PERIOD_US}}, never = {{0, 0}, {0, 0}};
	double expected = work(3), before;

	omp_set_max_active_levels(2);
#pragma omp parallel
	usleep(100);
	sigaction(SIGPROF, &action, NULL);
	before = cpu_time();
	setitimer(ITIMER_PROF, &often, NULL);
	/* Members that wait for slow PUs have ticks outside of their bodies, too. */
	for (int round = 0; round < 3 || in_bodies < 20; round++) {
#pragma omp parallel
		{
			in_body = 1;
			CHECK(work(3) == expected);
#pragma omp parallel num_threads(3)
			{
				int was = in_body;

				in_body = 1;
				CHECK(work(3) == expected);
				in_body = was;
			}
			in_body = 0;
		}
	}
	setitimer(ITIMER_PROF, &never, NULL);
	double used = cpu_time() - before;
	/* There may be fewer: a tick that comes while another one is pending is lost. */
	CHECK(ticks < used * 1e6 / PERIOD_US * 2 + 5, "%d ticks in %g s", ticks, used);
	return check_end();
}
