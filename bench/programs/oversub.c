/* Barrier and empty parallel region with N threads on two PUs. `oversub N` */
#include <omp.h>
#include "bench.h"

static int threads;

/* The time goes from one release of the first thread to the n-th release after it. It contains n barriers, and no cost
 * of the region itself. */
static double
measure_barrier(long n)
{
	double took = 0;
#pragma omp parallel num_threads(threads)
	{
#pragma omp barrier
		double start = bench_now();
		for (long i = 0; i < n; i++) {
#pragma omp barrier
		}
		if (omp_get_thread_num() == 0)
			took = bench_now() - start;
	}
	return took;
}

static double
measure_parallel(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(threads)
		__asm__ volatile("" : : : "memory");
	}
	return bench_now() - start;
}

static void
report(const char *what, double (*measure)(long n))
{
	struct bench_samples s;
	char name[32];
	measure(5);
	bench_sample_set(&s, measure, bench_repetitions(measure, 5e5), 40, 1.5e8);
	snprintf(name, sizeof name, "%s_%d", what, threads);
	bench_report_samples(name, "us", &s, 1e3);
}

int
main(int argc, char **argv)
{
	if (argc != 2 || (threads = atoi(argv[1])) < 1)
		return bench_usage("oversub THREADS");
	report("barrier", measure_barrier);
	report("parallel", measure_parallel);
	return 0;
}
