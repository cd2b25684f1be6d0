// Two teams, whose members wait for each other in loops of their own, take turns under the example of a gang scheduler:
// in the turn of one team all its members run, and the other stands still. So many phases of one team follow each
// other: many times more than without turns, where the teams mix. The scheduler's daemon ends with the runtime.
// threads: 2
// cpus: 2
// library: gangs_module.c
// limit: 60
// stock: fails (it has no policies)
#define _GNU_SOURCE
#include <omp.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define TEAMS 2
#define MEMBERS 2
#define SECONDS 1.5
#define SLICE 0.05
#define CHANGES 4

static struct {
	_Alignas(64) int arrived, open, over, phases;
} team[TEAMS];
static int last = -1, changes;

static void
work(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns; i++)
		;
}

/* The last member that arrives opens the next phase. */
static void
phase(int t, int number, double until)
{
	work(20000);
	if (__atomic_add_fetch(&team[t].arrived, 1, __ATOMIC_ACQ_REL) == MEMBERS * (number + 1)) {
		if (__atomic_exchange_n(&last, t, __ATOMIC_RELAXED) != t)
			__atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
		team[t].phases++;
		team[t].over = check_now() > until && __atomic_load_n(&changes, __ATOMIC_RELAXED) >= CHANGES;
		__atomic_store_n(&team[t].open, number + 1, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&team[t].open, __ATOMIC_ACQUIRE) <= number)
		;
}

static unsigned
threads_now(void)
{
	FILE *file = popen("ls /proc/$PPID/task | wc -l", "r");
	unsigned n = 0;
	CHECK(fscanf(file, "%u", &n) == 1);
	pclose(file);
	return n;
}

int
main(int argc, char **argv)
{
	char path[4096], sched[4200];
	bool turns = argc > 1 && strcmp(argv[1], "turns") == 0;
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
	CHECK(length > 0);
	path[length] = 0;
	strcpy(strrchr(path, '/'), "/gangs_module.so");
	if (argc == 1 || strcmp(argv[1], "next") == 0) {
		snprintf(sched, sizeof sched, "%s,slice=%g%s", path, SLICE, argc == 1 ? "" : ",turns=no");
		setenv("FGOMP_SCHED", sched, 1);
		execl("/proc/self/exe", argv[0], argc == 1 ? "turns" : "mixed", argc == 1 ? NULL : argv[2], NULL);
		return 1;
	}
	omp_set_max_active_levels(2);
	double until = check_now() + SECONDS;
#pragma omp parallel num_threads(TEAMS)
	{
		int t = omp_get_thread_num();
#pragma omp parallel num_threads(MEMBERS)
		for (int number = 0; !__atomic_load_n(&team[t].over, __ATOMIC_ACQUIRE); number++)
			phase(t, number, until);
	}
	fprintf(stderr, "%s: %d and %d phases, %d changes\n", argv[1], team[0].phases, team[1].phases, changes);
	for (int t = 0; t < TEAMS; t++)
		CHECK(team[t].arrived == MEMBERS * team[t].phases, "%d %d", team[t].arrived, team[t].phases);
	/* Phases of one team in a row. At the end of a turn, members go on until they are preempted, so the teams may
	 * change places a few times. */
	double row = (double)(team[0].phases + team[1].phases) / changes;
	CHECK(turns || 5 * row < atof(argv[2]), "%g phases in a row, and %s with turns", row, argv[2]);
	CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
	CHECK(threads_now() == 1, "%u threads", threads_now());
	snprintf(sched, sizeof sched, "%g", row);
	if (turns && check_end() == 0)
		execl("/proc/self/exe", argv[0], "next", sched, NULL);
	return check_end();
}
