/* Tasks with data in nested teams, on a simulated machine.
 *
 *   tasks loop|pairs OUTER INNER ROUNDS NS BYTES TASKS
 *
 * OUTER threads have a team of INNER each, in ROUNDS regions. One member makes TASKS tasks, by a taskloop. Each task
 * goes through its part of the BYTES of the team, and computes NS. With `pairs` each task makes a second one, which
 * goes through the same part. The figure is the time of all rounds, after one that does not count. */
#include "told.h"

static struct {
	int outer, inner, rounds, tasks, is_pairs;
	unsigned long long ns;
	size_t bytes, stride;
	char *memory;
} run;

static void
part_visit(int team, int task)
{
	size_t part = run.bytes / (size_t)run.tasks;
	char *data = run.memory + (size_t)team * run.stride + (size_t)task * part;
	if (part) {
		fgomp_sim_read(data, part);
		fgomp_sim_write(data, part);
	}
	fgomp_sim_work(run.ns);
}

static void
team_round(int team)
{
#pragma omp parallel num_threads(run.inner)
#pragma omp single
#pragma omp taskloop grainsize(1)
	for (int task = 0; task < run.tasks; task++) {
		part_visit(team, task);
		if (run.is_pairs) {
#pragma omp task
			part_visit(team, task);
		}
	}
}

static double
rounds(int count)
{
	double start = bench_now();
#pragma omp parallel num_threads(run.outer)
	for (int round = 0; round < count; round++)
		team_round(omp_get_thread_num());
	return bench_now() - start;
}

int
main(int argc, char **argv)
{
	told_begin("tasks");
	run.is_pairs = argc > 1 && !strcmp(argv[1], "pairs");
	if (argc != 8 || (!run.is_pairs && strcmp(argv[1], "loop") != 0))
		return bench_usage("tasks loop|pairs OUTER INNER ROUNDS NS BYTES TASKS");
	run.outer = (int)told_number(argv[2], 1, TOLD_THREADS_MAX);
	run.inner = (int)told_number(argv[3], 1, TOLD_THREADS_MAX);
	run.rounds = (int)told_number(argv[4], 1, 10000);
	run.ns = (unsigned long long)told_number(argv[5], 0, 1000000000);
	run.bytes = (size_t)told_number(argv[6], 0, 1 << 30);
	run.tasks = (int)told_number(argv[7], 1, 100000);
	run.memory = told_reserve(run.outer, run.bytes, &run.stride);
	omp_set_max_active_levels(3);
	rounds(1);
	double took = rounds(run.rounds);
	told_report(&took, 0, 1);
	return 0;
}
