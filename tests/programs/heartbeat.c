// A member that sleeps a millisecond and looks, again and again, has its turns, whatever the other members of its
// worker
// do: they meet one small region after the other, or other constructs, and never leave their worker by themselves. The
// silence between two looks is counted in CPU time of the process, which other programs do not use.
// env: -
// env: FGOMP_SCHED=affinity
// env: FGOMP_SCHED=cache
// env: FGOMP_SCHED=spread
// env: FGOMP_SCHED=compact
// env: FGOMP_SCHED=global
// env: FGOMP_SCHED=random
// env: FGOMP_SCHED=steal
// env: PUS=1
// env: FGOMP_SLICE=0
// cpus: 2
// limit: 120
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { ROUND_NS = 1000000, LEVELS = 4 };

static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void
work(int turns)
{
	for (volatile int i = 0; i < turns; i++)
		;
}

static void
regions(void)
{
#pragma omp parallel num_threads(2)
	work(300);
}

static void
long_regions(void)
{
#pragma omp parallel num_threads(3)
	work(1000000);
}

static void
tasks(void)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 8; i++) {
#pragma omp task
		work(100);
	}
}

static void
taskloops(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(1)
	for (int i = 0; i < 8; i++)
		work(100);
}

static void
loops(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 8; i++)
		work(100);
}

static void
barriers(void)
{
#pragma omp parallel num_threads(3)
	for (int i = 0; i < 4; i++) {
		work(100);
#pragma omp barrier
	}
}

static void
locks(void)
{
	static omp_lock_t lock;
#pragma omp critical(init)
	{
		static bool made;
		if (!made)
			omp_init_lock(&lock);
		made = true;
	}
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 8; i++) {
		omp_set_lock(&lock);
		work(100);
		omp_unset_lock(&lock);
	}
}

static void
critical(void)
{
#pragma omp critical(busy)
	work(100);
}

static void
included_tasks(void)
{
#pragma omp task if (0)
	work(100);
}

static const struct {
	const char *name;
	void (*once)(void);
} kinds[] = {{"regions", regions},   {"long regions", long_regions}, {"tasks", tasks}, {"taskloops", taskloops},
	     {"loops", loops},	     {"barriers", barriers},	     {"locks", locks}, {"critical", critical},
	     {"included tasks", included_tasks}};

static uint64_t ends_at;

static bool
is_over(void)
{
	return clock_ns(CLOCK_MONOTONIC) >= ends_at;
}

/* One in four looks enters the runtime. Returns the longest silence. */
static uint64_t
looks(void)
{
	uint64_t silence = 0, last = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned n = 0; !is_over(); n++) {
		nanosleep(&(struct timespec){0, ROUND_NS}, NULL);
		if (n % 4 == 0) {
#pragma omp critical(look)
			work(1);
		}
		uint64_t now = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		if (now - last > silence)
			silence = now - last;
		last = now;
	}
	return silence;
}

/* The last member looks. It says so too late if it begins after the end: so the time from the begin counts. */
static uint64_t
team(void (*once)(void))
{
	uint64_t silence = 0, begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel num_threads(3) reduction(max : silence)
	if (omp_get_thread_num() == 2) {
		silence = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
		uint64_t later = looks();
		silence = later > silence ? later : silence;
	} else
		while (!is_over())
			once();
	return silence;
}

static uint64_t
nested_team(void (*once)(void))
{
	uint64_t silence = 0;
#pragma omp parallel num_threads(2) reduction(max : silence)
	silence = team(once);
	return silence;
}

/* The regions that the members meet have one member each. */
static uint64_t
team_of_ones(void (*once)(void))
{
	omp_set_max_active_levels(1);
	uint64_t silence = team(once);
	omp_set_max_active_levels(LEVELS);
	return silence;
}

struct root {
	pthread_t thread;
	void (*once)(void);
	uint64_t silence;
};

static void *
root_main(void *arg)
{
	struct root *root = arg;
	omp_set_max_active_levels(LEVELS); /* that of main is for main alone */
	root->silence = team(root->once);
	return NULL;
}

static uint64_t
roots(void (*once)(void))
{
	struct root root[3] = {{.once = once}, {.once = once}, {.once = once}};
	uint64_t silence = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&root[i].thread, NULL, root_main, &root[i]);
	for (int i = 0; i < 3; i++) {
		pthread_join(root[i].thread, NULL);
		silence = root[i].silence > silence ? root[i].silence : silence;
	}
	return silence;
}

static const struct {
	const char *name;
	uint64_t (*run)(void (*once)(void));
	long length_ns, silence_max_ns; /* the silence is one of CPU time, on all PUs */
} places[] = {{"a flat team", team, 200000000, 150000000},
	      {"a flat team, with teams of one", team_of_ones, 200000000, 150000000},
	      {"a nested team", nested_team, 200000000, 150000000},
	      /* Their regions begin one after the other, while their workers move, and the kernel gives them turns. */
	      {"three threads of the program", roots, 300000000, 400000000}};

int
main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL, *pus = getenv("PUS");
	if (pus) {
		cpu_set_t set, one;
		sched_getaffinity(0, sizeof set, &set);
		CPU_ZERO(&one);
		for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) < atoi(pus); cpu++)
			if (CPU_ISSET(cpu, &set))
				CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof one, &one);
	}
	omp_set_max_active_levels(LEVELS);
	for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
		for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
			if (only && strcmp(only, kinds[k].name) != 0)
				continue;
			/* The kernel may take the monitor off its PU for long, but not each time. */
			uint64_t silence = UINT64_MAX;
			for (int tries = 0; tries < 3 && silence > (uint64_t)places[p].silence_max_ns; tries++) {
				ends_at = clock_ns(CLOCK_MONOTONIC) + (uint64_t)places[p].length_ns;
				silence = places[p].run(kinds[k].once);
			}
			printf("%-15s in %-31s %6.1f ms of CPU time\n", kinds[k].name, places[p].name,
			       (double)silence / 1e6);
			CHECK((long)silence <= places[p].silence_max_ns);
		}
	return check_end();
}
