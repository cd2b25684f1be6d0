/* Constructs around a body of a given length, in registers only. The figure is the wall time of an iteration with two
   members, with the body. bench/predict.py compares it with the prediction for small grains. `grain
   alone|dynamic|ordered|barrier|parallel|tasks LENGTH`; a LENGTH of 100 is some 100 ns. */
#include <omp.h>
#include "bench.h"

enum { THREADS = 2, CHAIN_IN_ALL = 200000 };

static long length;

static void
alone(long n)
{
	for (long i = 0; i < n; i++)
		bench_delay(length);
}

static void
dynamic(long n)
{
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1)
	for (long i = 0; i < n; i++)
		bench_delay(length);
}

static void
ordered(long n)
{
#pragma omp parallel for num_threads(THREADS) ordered schedule(dynamic, 1)
	for (long i = 0; i < n; i++) {
		bench_delay(length);
#pragma omp ordered
		{
		}
	}
}

static void
barrier(long n)
{
#pragma omp parallel num_threads(THREADS)
	for (long i = 0; i < n; i++) {
		bench_delay(length);
#pragma omp barrier
	}
}

static void
parallel(long n)
{
	for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(THREADS)
		bench_delay(length);
	}
}

static void
tasks(long n)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	for (long i = 0; i < n; i++) {
#pragma omp task
		bench_delay(length);
	}
}

static void (*chosen)(long n);

static double
measure(long n)
{
	double start = bench_now();
	chosen(n);
	return bench_now() - start;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long n);
	} cases[] = {{"alone", alone},	   {"dynamic", dynamic},   {"ordered", ordered},
		     {"barrier", barrier}, {"parallel", parallel}, {"tasks", tasks}};
	length = argc == 3 ? atol(argv[2]) : 0;
	for (unsigned i = 0; length > 0 && length <= CHAIN_IN_ALL && i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(argv[1], cases[i].name)) {
			struct bench_samples s;
			chosen = cases[i].run;
			measure(100);
			bench_sample_set(&s, measure, CHAIN_IN_ALL / length, 40, 3e8);
			bench_report_samples(argv[1], "ns", &s, 1);
			return 0;
		}
	return bench_usage("grain alone|dynamic|ordered|barrier|parallel|tasks LENGTH, from 1 to 200000");
}
