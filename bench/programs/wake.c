/* The time of an empty region of two threads after a pause long enough for the workers to sleep. `wake GAP_MS COUNT` */
#include <omp.h>
#include "bench.h"

int
main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[2]) : 0;
	if (count < 1 || count > BENCH_SAMPLES_MAX)
		return bench_usage("wake GAP_MS COUNT, at most 256 times");
	struct bench_samples s = { 0 };
	char name[32];
	/* The first turn warms the team up and is not kept. */
	for (int i = 0; i <= count; i++) {
		bench_sleep_ms(atoi(argv[1]));
		double start = bench_now();
#pragma omp parallel num_threads(2)
		__asm__ volatile("" : : : "memory");
		s.ns[s.count] = bench_now() - start;
		s.count += i > 0;
	}
	bench_samples_sort(&s);
	snprintf(name, sizeof name, "after_%s_ms", argv[1]);
	bench_report_samples(name, "us", &s, 1e3);
	return 0;
}
