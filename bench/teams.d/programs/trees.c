/* Divide and conquer with data, on a simulated machine.
 *
 *   trees regions|tasks DEPTH NS BYTES
 *
 * A binary tree halves BYTES at each of DEPTH levels. Each leaf goes through its part, and computes NS. A node is a
 * region of 2 threads, or two tasks of one flat team. The figure is the time of a tree, the mean of the last 3 of 6. */
#include "told.h"

enum { ROUNDS = 6, DEPTH_MAX = 20 };

static struct {
	int depth;
	unsigned long long ns;
	size_t bytes;
	char *memory;
} run;

static void
leaf(size_t at, size_t bytes)
{
	if (bytes) {
		fgomp_sim_read(run.memory + at, bytes);
		fgomp_sim_write(run.memory + at, bytes);
	}
	fgomp_sim_work(run.ns);
}

static void
node_of_region(int depth, size_t at, size_t bytes)
{
	if (!depth) {
		leaf(at, bytes);
		return;
	}
#pragma omp parallel num_threads(2)
	node_of_region(depth - 1, at + (size_t)omp_get_thread_num() * (bytes / 2), bytes / 2);
}

static void
node_of_tasks(int depth, size_t at, size_t bytes)
{
	if (!depth) {
		leaf(at, bytes);
		return;
	}
#pragma omp task
	node_of_tasks(depth - 1, at, bytes / 2);
#pragma omp task
	node_of_tasks(depth - 1, at + bytes / 2, bytes / 2);
#pragma omp taskwait
}

static void
tree_of_tasks(void)
{
#pragma omp parallel
#pragma omp single
	node_of_tasks(run.depth, 0, run.bytes);
}

int
main(int argc, char **argv)
{
	told_begin("trees");
	int is_tasks = argc > 1 && !strcmp(argv[1], "tasks");
	if (argc != 5 || (!is_tasks && strcmp(argv[1], "regions") != 0))
		return bench_usage("trees regions|tasks DEPTH NS BYTES");
	run.depth = (int)told_number(argv[2], 1, DEPTH_MAX);
	run.ns = (unsigned long long)told_number(argv[3], 0, 1000000000);
	run.bytes = (size_t)told_number(argv[4], 0, 1 << 30);
	size_t stride;
	run.memory = told_reserve(1, run.bytes, &stride);
	omp_set_max_active_levels(64);
	double times[ROUNDS];
	for (int round = 0; round < ROUNDS; round++) {
		double start = bench_now();
		if (is_tasks)
			tree_of_tasks();
		else
			node_of_region(run.depth, 0, run.bytes);
		times[round] = bench_now() - start;
	}
	told_report(times, ROUNDS / 2, ROUNDS);
	return 0;
}
