/* The cost of a chunk of a shared loop: the wall time of a loop of two threads with a tiny body, less the body, by the
   number of chunks of one iteration. Guided loops hand out chunks of many sizes. So their figure is the overhead of a
   whole loop of 1024 iterations. `schedule KIND` */
#include <omp.h>
#include "bench.h"

enum { THREADS = 2, GUIDED_ITERATIONS = 1024 };

static long delay_length;

static double
measure_reference(long n)
{
	double start = bench_now();
	for (long i = 0; i < n / THREADS; i++)
		bench_delay(delay_length);
	return bench_now() - start;
}

/* Each kind of loop has a function: a loop of n iterations. */
#define LOOP(name, clauses, before)                                                                                    \
	static double measure_##name(long n)                                                                           \
	{                                                                                                              \
		double start = bench_now();                                                                            \
		_Pragma(clauses) for (long i = 0; i < n; i++)                                                          \
		{                                                                                                      \
			bench_delay(delay_length);                                                                     \
			before                                                                                         \
		}                                                                                                      \
		return bench_now() - start;                                                                            \
	}

LOOP(dynamic, "omp parallel for num_threads(THREADS) schedule(dynamic, 1)", )
LOOP(monotonic, "omp parallel for num_threads(THREADS) schedule(monotonic : dynamic, 1)", )
LOOP(dynamic_4, "omp parallel for num_threads(THREADS) schedule(dynamic, 4)", )
LOOP(runtime, "omp parallel for num_threads(THREADS) schedule(runtime)", )
LOOP(ordered, "omp parallel for num_threads(THREADS) ordered schedule(dynamic, 1)", _Pragma("omp ordered"){})

/* n loops are inside one region. Each costs its start, its chunks and its end. */
#define GUIDED(name, clauses)                                                                                          \
	static double measure_##name(long n)                                                                           \
	{                                                                                                              \
		double start = bench_now();                                                                            \
		_Pragma("omp parallel num_threads(THREADS)") for (long k = 0; k < n; k++)                              \
		{                                                                                                      \
			_Pragma(clauses) for (long i = 0; i < GUIDED_ITERATIONS; i++) bench_delay(delay_length);       \
		}                                                                                                      \
		return bench_now() - start;                                                                            \
	}

GUIDED(guided, "omp for schedule(guided, 1)")
GUIDED(monotonic_guided, "omp for schedule(monotonic : guided, 1)")

static double
measure_guided_reference(long n)
{
	return measure_reference(n * GUIDED_ITERATIONS);
}

static const struct kind {
	const char *name;
	double (*measure)(long n);
	double (*reference)(long n);
	long chunk;
} kinds[] = {
	{"dynamic", measure_dynamic, measure_reference, 1},
	{"monotonic", measure_monotonic, measure_reference, 1},
	{"dynamic_4", measure_dynamic_4, measure_reference, 4},
	{"runtime", measure_runtime, measure_reference, 1},
	{"ordered", measure_ordered, measure_reference, 1},
	{"guided", measure_guided, measure_guided_reference, 1},
	{"monotonic_guided", measure_monotonic_guided, measure_guided_reference, 1},
};

static void
kind_report(const struct kind *kind)
{
	enum { SAMPLES = 60 };
	struct bench_samples with = {0}, without = {0};
	kind->measure(100);
	long n = bench_repetitions(kind->measure, 4e5) & ~7l;
	n = n ? n : 8;
	double start = bench_now();
	while (with.count < SAMPLES && (with.count < 5 || bench_now() - start < 3e8)) {
		without.ns[without.count++] = kind->reference(n) / n;
		with.ns[with.count++] = kind->measure(n) / n;
	}
	bench_samples_sort(&with);
	bench_samples_sort(&without);
	bench_report(kind->name, "ns", (bench_min(&with) - bench_min(&without)) * kind->chunk,
		     (bench_median(&with) - bench_median(&without)) * kind->chunk,
		     (without.ns[without.count / 4] - bench_min(&without)) * kind->chunk);
}

int
main(int argc, char **argv)
{
	delay_length = bench_delay_length(20);
	for (size_t i = 0; argc == 2 && i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kind_report(&kinds[i]);
			return 0;
		}
	return bench_usage("schedule dynamic|monotonic|dynamic_4|runtime|ordered|guided|monotonic_guided");
}
