/* Overheads of the synchronisation constructs after the method of the EPCC microbenchmarks (Bull 1999, Bull and O'Neill
   2001): the time of a construct around a short delay, less the time of the delay alone. `sync CONSTRUCT [THREADS]` */
#include <omp.h>
#include "bench.h"

static int threads = 2;
static long delay_length;
static omp_lock_t shared_lock;
static double atomic_double;
static long double atomic_wide;

static void
delay(void)
{
	bench_delay(delay_length);
}

static double
measure_reference(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++)
		delay();
	return bench_now() - start;
}

static double
measure_parallel(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(threads)
		delay();
	}
	return bench_now() - start;
}

static double
measure_for(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n; i++) {
#pragma omp for
		for (int j = 0; j < threads; j++)
			delay();
	}
	return bench_now() - start;
}

static double
measure_parallel_for(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++) {
#pragma omp parallel for num_threads(threads)
		for (int j = 0; j < threads; j++)
			delay();
	}
	return bench_now() - start;
}

static double
measure_barrier(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n; i++) {
		delay();
#pragma omp barrier
	}
	return bench_now() - start;
}

static double
measure_single(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n; i++) {
#pragma omp single
		delay();
	}
	return bench_now() - start;
}

static double
measure_critical(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n / threads; i++) {
#pragma omp critical
		delay();
	}
	return bench_now() - start;
}

static double
measure_lock(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	{
		_Alignas(128) omp_lock_t own;
		omp_init_lock(&own);
		for (long i = 0; i < n; i++) {
			omp_set_lock(&own);
			delay();
			omp_unset_lock(&own);
		}
		omp_destroy_lock(&own);
	}
	return bench_now() - start;
}

static double
measure_contended_lock(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n / threads; i++) {
		omp_set_lock(&shared_lock);
		delay();
		omp_unset_lock(&shared_lock);
	}
	return bench_now() - start;
}

static double
measure_atomic_reference(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++) {
		atomic_double += 1;
		__asm__ volatile("" : : : "memory");
	}
	return bench_now() - start;
}

static double
measure_atomic(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n / threads; i++) {
#pragma omp atomic
		atomic_double += 1;
	}
	return bench_now() - start;
}

/* The type is too wide for the processor's own atomics, so the compiler calls the runtime. */
static double
measure_atomic_wide(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n / threads; i++) {
#pragma omp atomic
		atomic_wide += 1;
	}
	return bench_now() - start;
}

static double
measure_reduction(long n)
{
	static int total;
	double start = bench_now();
	for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(threads) reduction(+ : total)
		{
			delay();
			total++;
		}
	}
	return bench_now() - start;
}

static const struct construct {
	const char *name;
	double (*measure)(long n);
	double (*reference)(long n);
} constructs[] = {
	{"parallel", measure_parallel, measure_reference},
	{"for", measure_for, measure_reference},
	{"parallel_for", measure_parallel_for, measure_reference},
	{"barrier", measure_barrier, measure_reference},
	{"single", measure_single, measure_reference},
	{"critical", measure_critical, measure_reference},
	{"lock", measure_lock, measure_reference},
	{"contended_lock", measure_contended_lock, measure_reference},
	{"atomic", measure_atomic, measure_atomic_reference},
	{"atomic_wide", measure_atomic_wide, measure_atomic_reference},
	{"reduction", measure_reduction, measure_reference},
};

static void
construct_report(const struct construct *c)
{
	enum { SAMPLES = 60 };
	struct bench_samples with = {0}, without = {0};
	measure_parallel(100);
	long n = bench_repetitions(c->measure, 4e5);
	n -= n % threads;
	n = n ? n : threads;
	/* The two alternate, so that a change of the clock's frequency affects both. */
	double start = bench_now();
	while (with.count < SAMPLES && (with.count < 5 || bench_now() - start < 3e8)) {
		without.ns[without.count++] = c->reference(n) / n;
		with.ns[with.count++] = c->measure(n) / n;
	}
	bench_samples_sort(&with);
	bench_samples_sort(&without);
	double noise = without.ns[without.count / 4] - bench_min(&without);
	bench_report(c->name, "us", (bench_min(&with) - bench_min(&without)) / 1e3,
		     (bench_median(&with) - bench_median(&without)) / 1e3, noise / 1e3);
}

int
main(int argc, char **argv)
{
	if (argc < 2 || argc > 3)
		return bench_usage("sync CONSTRUCT [THREADS]");
	if (argc == 3)
		threads = atoi(argv[2]);
	delay_length = bench_delay_length(100);
	omp_init_lock(&shared_lock);
	for (size_t i = 0; i < sizeof constructs / sizeof constructs[0]; i++)
		if (!strcmp(argv[1], constructs[i].name)) {
			construct_report(&constructs[i]);
			return 0;
		}
	return bench_usage("sync CONSTRUCT [THREADS], CONSTRUCT one of those in bench/README.md");
}
