/* Teams without data, on a simulated machine.
 *
 *   plain barriers OUTER INNER PHASES NS [sizes=A,B,...]
 *   plain steps OUTER INNER STEPS NS [skew=N] [warm=N]
 *
 * With `barriers` each member of OUTER x INNER computes NS and meets its team's barrier, PHASES times. The figure is
 * the efficiency: the computing, divided by the PUs and the time. `sizes`: teams of these sizes in turn.
 * With `steps` OUTER teams of INNER are made anew in each step, and each member computes once. The figure is the time
 * of a step, without the first `warm` (1). skew: the members of one team compute N times as long as those of another,
 * and the others lie between, in an order that is mixed. */
#include <math.h>
#include "told.h"

enum { SIZES_MAX = 64, STEPS_MAX = 1000 };

static struct {
	int outer, inner, rounds, warm;
	int sizes[SIZES_MAX], n_sizes;
	double ns, skew;
} run = {.warm = 1, .skew = 1};

static int
size_of(int team)
{
	return run.n_sizes ? run.sizes[team % run.n_sizes] : run.inner;
}

static double
phases(int count)
{
	double start = bench_now();
#pragma omp parallel num_threads(run.outer)
#pragma omp parallel num_threads(size_of(omp_get_thread_num()))
	for (int phase = 0; phase < count; phase++) {
		fgomp_sim_work((unsigned long long)run.ns);
#pragma omp barrier
	}
	return bench_now() - start;
}

static void
barriers(void)
{
	phases(2);
	phases(2);
	double took = phases(run.rounds), members = 0;
	for (int team = 0; team < run.outer; team++)
		members += size_of(team);
	double share = run.ns * members * run.rounds / omp_get_num_procs() / took;
	bench_report(told_name, "efficiency", share, share, 0);
}

static double
load_of(int team)
{
	return run.ns * (run.outer > 1 ? pow(run.skew, (double)(team * 7 % run.outer) / (run.outer - 1)) : 1);
}

static void
steps(void)
{
	static double times[STEPS_MAX];
	for (int step = 0; step < run.rounds; step++) {
		double start = bench_now();
#pragma omp parallel num_threads(run.outer)
		{
			int team = omp_get_thread_num();
#pragma omp parallel num_threads(run.inner)
			fgomp_sim_work((unsigned long long)load_of(team));
		}
		times[step] = bench_now() - start;
	}
	told_report(times, run.warm, run.rounds);
}

static int
option_read(const char *argument, int is_steps)
{
	const char *value;
	if (!is_steps && (value = told_option(argument, "sizes")))
		run.n_sizes = told_sizes(value, ',', run.sizes, SIZES_MAX);
	else if (is_steps && (value = told_option(argument, "skew")))
		run.skew = (double)told_number(value, 1, 1000);
	else if (is_steps && (value = told_option(argument, "warm")))
		run.warm = (int)told_number(value, 0, run.rounds - 1);
	else
		return 0;
	return 1;
}

int
main(int argc, char **argv)
{
	told_begin("plain");
	int is_steps = argc > 1 && !strcmp(argv[1], "steps"), is_right = argc > 5;
	if (is_right && (is_steps || !strcmp(argv[1], "barriers"))) {
		run.outer = (int)told_number(argv[2], 1, TOLD_THREADS_MAX);
		run.inner = (int)told_number(argv[3], 1, TOLD_THREADS_MAX);
		run.rounds = (int)told_number(argv[4], 2, STEPS_MAX);
		run.ns = (double)told_number(argv[5], 1, 1000000000);
		for (int a = 6; a < argc; a++)
			is_right = is_right && option_read(argv[a], is_steps);
	} else
		is_right = 0;
	if (!is_right)
		return bench_usage("plain barriers OUTER INNER PHASES NS [sizes=A,B,...], or plain steps OUTER INNER "
				   "STEPS NS [skew=N] [warm=N]");
	omp_set_max_active_levels(3);
	if (is_steps)
		steps();
	else
		barriers();
	return 0;
}
