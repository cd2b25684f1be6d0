/* The time of an empty region of two threads after a pause in which the workers may sleep. It also tells how much of a
   CPU they use in that pause, because a worker that spins through the pause is quick afterwards. `wake GAP_MS COUNT` */
#include <omp.h>
#include "bench.h"

static double
cpu_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int
main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[2]) : 0;
	if (count < 1 || count >= BENCH_SAMPLES_MAX)
		return bench_usage("wake GAP_MS COUNT, at most 255 times");
	struct bench_samples region = {0}, cpu = {0};
	char name[32];
	/* The first turn only warms the team up. */
	for (int i = 0; i <= count; i++) {
		double cpu_start = cpu_now(), gap_start = bench_now();
		bench_sleep_ms(atoi(argv[1]));
		cpu.ns[cpu.count] = (cpu_now() - cpu_start) / (bench_now() - gap_start) * 100;
		double start = bench_now();
#pragma omp parallel num_threads(2)
		__asm__ volatile("" : : : "memory");
		region.ns[region.count] = bench_now() - start;
		region.count += i > 0;
		cpu.count += i > 0;
	}
	bench_samples_sort(&region);
	bench_samples_sort(&cpu);
	snprintf(name, sizeof name, "after_%s_ms", argv[1]);
	bench_report_samples(name, "us", &region, 1e3);
	snprintf(name, sizeof name, "cpu_in_%s_ms", argv[1]);
	bench_report_samples(name, "percent", &cpu, 1);
	return 0;
}
