/* Many contended locks, in the spirit of the mortar points of NAS UA: threads update random cells. Each cell has a
   lock, which is held for a few instructions. `locks CELLS THREADS`; ns for an update of one thread (wall time by all
   updates). */
#include <omp.h>
#include "bench.h"

enum { CELLS_MAX = 4096, WORK = 8 };

struct cell {
	omp_lock_t lock;
	long updates;
	double value;
};

static struct cell cells[CELLS_MAX];
static int cell_count, threads;

static double
measure(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	{
		unsigned long random = omp_get_thread_num() * 7919 + 1;
		for (long i = 0; i < n / threads; i++) {
			random = bench_chain(random, WORK);
			struct cell *cell = &cells[(random >> 33) % cell_count];
			omp_set_lock(&cell->lock);
			cell->updates++;
			cell->value = cell->value * 0.5 + random;
			omp_unset_lock(&cell->lock);
		}
	}
	return bench_now() - start;
}

int
main(int argc, char **argv)
{
	if (argc != 3 || (cell_count = atoi(argv[1])) < 1 || cell_count > CELLS_MAX || (threads = atoi(argv[2])) < 1)
		return bench_usage("locks CELLS THREADS, at most 4096 cells");
	for (int i = 0; i < cell_count; i++)
		omp_init_lock(&cells[i].lock);
	struct bench_samples s;
	char name[32];
	measure(threads * 10);
	long n = bench_repetitions(measure, 5e5);
	n += threads - n % threads;
	for (int i = 0; i < cell_count; i++)
		cells[i].updates = 0;
	bench_sample_set(&s, measure, n, 60, 2e8);
	long updates = 0;
	for (int i = 0; i < cell_count; i++)
		updates += cells[i].updates;
	if (updates != n * s.count) {
		fprintf(stderr, "locks: %ld updates instead of %ld: the locks do not exclude\n", updates, n * s.count);
		return 1;
	}
	snprintf(name, sizeof name, "cells_%d_threads_%d", cell_count, threads);
	bench_report_samples(name, "ns", &s, 1);
	return 0;
}
