/* The overheads of the constructs by the method of the EPCC microbenchmarks, on a simulated machine: the time of a
 * construct around a delay, less the delay. The bodies are those of bench/programs/sync.c, with a delay that is told.
 *
 *   epcc CONSTRUCT THREADS DELAY_NS REPETITIONS
 *
 * Where gcc compiles an atomic operation into the program, the simulation does not see its line. So the program tells
 * of a write to that line. As many repetitions go before, unmeasured. */
#include <omp.h>
#include "../../include/forestgomp.h"
#include "../programs/bench.h"

#pragma weak fgomp_sim_work
#pragma weak fgomp_sim_write

static int threads;
static double delay_ns;
static _Alignas(64) int total[16];
static omp_lock_t shared;

static void
delay(void)
{
	fgomp_sim_work((unsigned long long)delay_ns);
}

static void
parallel(long n)
{
	for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(threads)
		delay();
	}
}

static void
loop(long n)
{
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n; i++) {
#pragma omp for
		for (int j = 0; j < threads; j++)
			delay();
	}
}

static void
parallel_loop(long n)
{
	for (long i = 0; i < n; i++) {
#pragma omp parallel for num_threads(threads)
		for (int j = 0; j < threads; j++)
			delay();
	}
}

static void
barrier(long n)
{
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n; i++) {
		delay();
#pragma omp barrier
	}
}

static void
single(long n)
{
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n; i++) {
#pragma omp single
		delay();
	}
}

static void
critical(long n)
{
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n / threads; i++) {
#pragma omp critical
		delay();
	}
}

static void
lock(long n)
{
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n / threads; i++) {
		omp_set_lock(&shared);
		delay();
		omp_unset_lock(&shared);
	}
}

static void
atomic(long n)
{
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n / threads; i++)
		fgomp_sim_write(total, sizeof total[0]);
}

static void
reduction(long n)
{
	for (long i = 0; i < n; i++) {
		int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
		{
			delay();
			sum++;
			fgomp_sim_write(total, sizeof total[0]);
		}
	}
}

static const struct construct {
	const char *name;
	void (*repeat)(long n);
	int delays; /* in a row, at each repetition; 0: an atomic operation has none */
} constructs[] = {
	{"parallel", parallel, 1}, {"for", loop, 1},	 {"parallel_for", parallel_loop, 1},
	{"barrier", barrier, 1},   {"single", single, 1}, {"critical", critical, 1},
	{"lock", lock, 1},	   {"atomic", atomic, 0}, {"reduction", reduction, 1},
};

int
main(int argc, char **argv)
{
	unsigned c = 0, all = sizeof constructs / sizeof constructs[0];
	while (argc == 5 && c < all && strcmp(argv[1], constructs[c].name))
		c++;
	threads = argc == 5 ? atoi(argv[2]) : 0;
	delay_ns = argc == 5 ? atof(argv[3]) : 0;
	long n = argc == 5 ? atol(argv[4]) : 0;
	if (argc != 5 || c == all || threads < 1 || threads > 1024 || !(delay_ns >= 0 && delay_ns < 1e9) || n < threads)
		return bench_usage(
			"epcc CONSTRUCT THREADS DELAY_NS REPETITIONS, at least as many repetitions as threads");
	if (!fgomp_sim_work || !fgomp_sim_write) {
		fputs("epcc: it is for ForestGOMP's simulated machine; this runtime has none; nothing was measured\n",
		      stderr);
		return 2;
	}
	n -= n % threads;
	omp_init_lock(&shared);
	constructs[c].repeat(n);
	double start = bench_now();
	constructs[c].repeat(n);
	double overhead = (bench_now() - start) / n - constructs[c].delays * delay_ns;
	bench_report(constructs[c].name, "us", overhead / 1e3, overhead / 1e3, 0);
	return 0;
}
