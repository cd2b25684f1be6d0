/* The part that the benchmark programs share: the clock, a calibrated delay, sampling, and the line that they print.
   A program prints `sample CASE UNIT MIN MEDIAN RESOLUTION` for each case. The driver reads nothing else. */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_SAMPLES_MAX = 256 };

/* The samples are sorted once bench_sample_set has returned. */
struct bench_samples {
	int count;
	double ns[BENCH_SAMPLES_MAX];
};

static inline double
bench_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static inline void
bench_sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&t, NULL);
}

/* A chain of dependent multiplications. The compiler can neither drop nor shorten it. */
static inline unsigned long
bench_chain(unsigned long seed, long length)
{
	for (long i = 0; i < length; i++) {
		seed = seed * 0x9e3779b97f4a7c15ul + 1;
		__asm__ volatile("" : "+r"(seed));
	}
	return seed;
}

/* It is never inlined, so the code is the same with and without a construct around it. */
static __attribute__((noinline, unused)) void
bench_delay(long length)
{
	unsigned long sink = bench_chain(1, length);
	__asm__ volatile("" : : "r"(sink));
}

static int
bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static inline void
bench_samples_sort(struct bench_samples *s)
{
	qsort(s->ns, s->count, sizeof s->ns[0], bench_compare);
}

static inline double
bench_min(const struct bench_samples *s)
{
	return s->ns[0];
}

static inline double
bench_median(const struct bench_samples *s)
{
	return s->ns[s->count / 2];
}

/* Returns the length of a chain that takes about `ns`. */
static inline long
bench_delay_length(double ns)
{
	double best = 1e30;
	for (int i = 0; i < 20; i++) {
		double start = bench_now();
		bench_delay(20000);
		double took = bench_now() - start;
		best = took < best ? took : best;
	}
	long length = (long)(ns * 20000 / best + 0.5);
	return length ? length : 1;
}

/* `measure(n)` returns the ns that n repetitions take. Grows n until that is `target_ns`. */
static inline long
bench_repetitions(double (*measure)(long n), double target_ns)
{
	long n = 1;
	while (n < 1l << 24) {
		double took = measure(n);
		if (took >= target_ns)
			break;
		double factor = took > 0 ? target_ns / took * 1.1 : 10;
		n = factor > 10 ? n * 10 : factor < 1.5 ? n * 3 / 2 + 1 : (long)(n * factor) + 1;
	}
	return n;
}

/* Takes at most `count` samples of n repetitions each, in ns for a repetition. If they take longer than `limit_ns`
 * there are fewer, but at least 5. */
static inline void
bench_sample_set(struct bench_samples *s, double (*measure)(long n), long n, int count, double limit_ns)
{
	double start = bench_now();
	s->count = 0;
	while (s->count < count && (s->count < 5 || bench_now() - start < limit_ns))
		s->ns[s->count++] = measure(n) / n;
	bench_samples_sort(s);
}

/* A value below `resolution` cannot be told from zero. It has the same unit. */
static inline void
bench_report(const char *name, const char *unit, double min, double median, double resolution)
{
	printf("sample %s %s %.9g %.9g %.9g\n", name, unit, min, median, resolution);
}

static inline void
bench_report_samples(const char *name, const char *unit, const struct bench_samples *s, double ns_per_unit)
{
	bench_report(name, unit, bench_min(s) / ns_per_unit, bench_median(s) / ns_per_unit, 0);
}

static inline int
bench_usage(const char *usage)
{
	fprintf(stderr, "bench: usage: %s; nothing was measured\n", usage);
	return 2;
}

#endif
