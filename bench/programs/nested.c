/* Inner regions of K threads with a tiny body. `nested both K`: two outer members open them. The figure is the whole
   time by the number of inner regions of both (a throughput). `nested lone K`: only one outer member opens them, and
   the other waits for the end of the outer region (a latency). */
#include <omp.h>
#include "bench.h"

static int inner, openers;
static _Alignas(128) unsigned long slots[2][64][16];

static double
measure(long n)
{
	double start = bench_now();
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
		if (outer < openers)
			for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(inner)
				{
					/* Each member has a line of its own, and some 15 ns of work. */
					unsigned long *slot = slots[outer][omp_get_thread_num()];
					*slot = bench_chain(*slot, 10);
				}
			}
	}
	return (bench_now() - start) / openers;
}

int
main(int argc, char **argv)
{
	if (argc != 3 || (inner = atoi(argv[2])) < 1 || inner > 64)
		return bench_usage("nested both|lone K, K from 1 to 64");
	openers = strcmp(argv[1], "lone") ? 2 : 1;
	omp_set_max_active_levels(2);
	struct bench_samples s;
	char name[32];
	measure(5);
	bench_sample_set(&s, measure, bench_repetitions(measure, 5e5), 40, 3e8);
	snprintf(name, sizeof name, openers == 2 ? "K_%d" : "lone_K_%d", inner);
	bench_report_samples(name, "us", &s, 1e3);
	return 0;
}
