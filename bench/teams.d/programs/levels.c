/* Teams within teams within teams, on a simulated machine.
 *
 *   levels AxBx... PHASES NS [BYTES]
 *
 * A threads meet regions of B threads, and so on. The members of an innermost team compute NS and meet its barrier,
 * PHASES times. BYTES: before they compute they read the bytes of their team. After the barrier each writes its part of
 * them and meets another barrier. The figure is the time of such a nest, the mean of the second and the third one. */
#include "told.h"

enum { LEVELS_MAX = 8, ROUNDS = 3 };

static struct {
	int sizes[LEVELS_MAX], levels, phases;
	unsigned long long ns;
	size_t bytes, stride;
	char *memory;
} run;

static void
member(int team)
{
	char *data = run.memory + (size_t)team * run.stride;
	size_t part = run.bytes / (size_t)run.sizes[run.levels - 1];
	for (int phase = 0; phase < run.phases; phase++) {
		if (run.bytes)
			fgomp_sim_read(data, run.bytes);
		fgomp_sim_work(run.ns);
#pragma omp barrier
		if (!run.bytes)
			continue;
		fgomp_sim_write(data + (size_t)omp_get_thread_num() * part, part);
#pragma omp barrier
	}
}

static void
nest(int level, int team)
{
#pragma omp parallel num_threads(run.sizes[level])
	if (level == run.levels - 1)
		member(team);
	else
		nest(level + 1, team * run.sizes[level] + omp_get_thread_num());
}

int
main(int argc, char **argv)
{
	told_begin("levels");
	if (argc < 4 || argc > 5)
		return bench_usage("levels AxBx... PHASES NS [BYTES]");
	run.levels = told_sizes(argv[1], 'x', run.sizes, LEVELS_MAX);
	run.phases = (int)told_number(argv[2], 1, 10000);
	run.ns = (unsigned long long)told_number(argv[3], 0, 1000000000);
	run.bytes = argc > 4 ? (size_t)told_number(argv[4], 0, 1 << 30) : 0;
	long teams = 1;
	for (int level = 0; level < run.levels - 1; level++)
		teams *= run.sizes[level];
	omp_set_max_active_levels(run.levels);
	run.memory = told_reserve(teams, run.bytes, &run.stride);
	double times[ROUNDS];
	for (int round = 0; round < ROUNDS; round++) {
		double start = bench_now();
		nest(0, 0);
		times[round] = bench_now() - start;
	}
	told_report(times, 1, ROUNDS);
	return 0;
}
