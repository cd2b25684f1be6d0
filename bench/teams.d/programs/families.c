/* Families: teams that go through data of their own, on a simulated machine.
 *
 *   families barriers|regions OUTER INNER PHASES NS BYTES [OPTION...]
 *
 * OUTER threads have a team of INNER each. In each phase every member reads the BYTES of its team, computes NS and
 * writes its own part of them. With `barriers` a team has one region, with a barrier before the writes and after
 * them. With `regions` each phase is a region of its own. The figure is the time of all phases.
 *
 *   sizes=A,B,...  teams of these sizes in turn, in place of INNER
 *   live=N         the teams from N on end after phase 3
 *   alternate      every second pair of teams ends after phase 3
 *   staggered      the teams end one after the other: the first one soon, the last one after all phases
 *   late=N         every second team comes later: its outer thread first computes for N phases */
#include "told.h"

enum { SIZES_MAX = 64, PHASES_OF_DEAD = 3 };

static struct {
	int outer, inner, phases, live, late;
	int alternate, staggered;
	int sizes[SIZES_MAX], n_sizes;
	unsigned long long ns;
	size_t bytes, stride;
	char *memory;
} run;

static int
size_of(int team)
{
	return run.n_sizes ? run.sizes[team % run.n_sizes] : run.inner;
}

static int
phases_of(int team)
{
	if (run.staggered)
		return (run.phases * (team + 1) + run.outer - 1) / run.outer;
	int ends = run.alternate ? team / 2 % 2 : team >= run.live;
	return ends && run.phases > PHASES_OF_DEAD ? PHASES_OF_DEAD : run.phases;
}

static void
team_read(int team)
{
	if (run.bytes)
		fgomp_sim_read(run.memory + (size_t)team * run.stride, run.bytes);
}

static void
part_write(int team)
{
	size_t part = run.bytes / (size_t)size_of(team);
	if (part)
		fgomp_sim_write(run.memory + (size_t)team * run.stride + (size_t)omp_get_thread_num() * part, part);
}

static void
come_late(int team)
{
	if (team % 2 && run.late)
		fgomp_sim_work(run.ns * (unsigned)run.late);
}

/* A member writes its part first, so that its memory lies near it. */
static void
barriers_warm(void)
{
#pragma omp parallel num_threads(run.outer)
	{
		int team = omp_get_thread_num();
#pragma omp parallel num_threads(size_of(team))
		{
			part_write(team);
			fgomp_sim_work(run.ns);
#pragma omp barrier
		}
	}
}

static double
barriers(void)
{
	barriers_warm();
	barriers_warm();
	double start = bench_now();
#pragma omp parallel num_threads(run.outer)
	{
		int team = omp_get_thread_num();
		come_late(team);
#pragma omp parallel num_threads(size_of(team))
		for (int phase = 0; phase < phases_of(team); phase++) {
			team_read(team);
			fgomp_sim_work(run.ns);
#pragma omp barrier
			part_write(team);
#pragma omp barrier
		}
	}
	return bench_now() - start;
}

static void
region(int team, int is_warm)
{
#pragma omp parallel num_threads(size_of(team))
	{
		if (is_warm)
			part_write(team);
		else
			team_read(team);
		fgomp_sim_work(run.ns);
		if (!is_warm)
			part_write(team);
	}
}

static double
regions(void)
{
	double start = 0;
#pragma omp parallel num_threads(run.outer)
	{
		int team = omp_get_thread_num();
		region(team, 1);
		region(team, 1);
#pragma omp barrier
#pragma omp master
		start = bench_now();
		come_late(team);
		for (int phase = 0; phase < phases_of(team); phase++)
			region(team, 0);
	}
	return bench_now() - start;
}

static void
option_read(const char *argument)
{
	const char *value;
	if (!strcmp(argument, "alternate"))
		run.alternate = 1;
	else if (!strcmp(argument, "staggered"))
		run.staggered = 1;
	else if ((value = told_option(argument, "live")))
		run.live = (int)told_number(value, 1, TOLD_THREADS_MAX);
	else if ((value = told_option(argument, "late")))
		run.late = (int)told_number(value, 1, 1000);
	else if ((value = told_option(argument, "sizes")))
		run.n_sizes = told_sizes(value, ',', run.sizes, SIZES_MAX);
	else
		told_refuse("options are sizes=A,B,... live=N alternate staggered late=N");
}

int
main(int argc, char **argv)
{
	told_begin("families");
	int is_regions = argc > 1 && !strcmp(argv[1], "regions");
	if (argc < 7 || (!is_regions && strcmp(argv[1], "barriers") != 0))
		return bench_usage("families barriers|regions OUTER INNER PHASES NS BYTES [sizes=A,B,...] "
				   "[live=N | alternate | staggered] [late=N]");
	run.outer = (int)told_number(argv[2], 1, TOLD_THREADS_MAX);
	run.inner = (int)told_number(argv[3], 1, TOLD_THREADS_MAX);
	run.phases = (int)told_number(argv[4], 1, 10000);
	run.ns = (unsigned long long)told_number(argv[5], 0, 1000000000);
	run.bytes = (size_t)told_number(argv[6], 0, 1 << 30);
	run.live = run.outer;
	for (int a = 7; a < argc; a++)
		option_read(argv[a]);
	omp_set_max_active_levels(3);
	run.memory = told_reserve(run.outer, run.bytes, &run.stride);
	double took = is_regions ? regions() : barriers();
	told_report(&took, 0, 1);
	return 0;
}
