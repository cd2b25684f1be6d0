/* The cost of an order among members: ordered regions, doacross loops and tasks with if(0). `order CASE [THREADS]`,
   with 2 threads if no number is given; the printed name ends with it. ordered, conditional: overhead in ns after the
   method of the EPCC microbenchmarks (ORDERED, CONDITIONAL TASK): the time of the construct around a delay of 0.1 us,
   less the delay alone. In `ordered` the loop has schedule(static, 1), so each turn goes to another member. In
   `conditional` each member makes its own tasks, and a PU has one member's tasks at a time. doacross: ns of wall time
   for an iteration of a loop with schedule(static, 1), where each waits for the one before; doacross_block: the same
   with schedule(static), so only the first iteration of a block waits for another member. grid, grid_block: an
   iteration of two loops, which waits for the ones before it in both. A runtime that gives an iteration to another
   member than schedule(static, 1) says fails: it has no turns to hand over. */
#include <omp.h>
#include "bench.h"

enum { ITERATIONS = 4096, SIDE = 128 };

static int threads = 2, wrong;
static long delay_length;
static long line[ITERATIONS + 1], grid[SIDE + 1][SIDE + 1];
static int member_of[SIDE];

static __attribute__((noinline)) int
no(void)
{
	int value = 0;
	__asm__ volatile("" : "+r"(value));
	return value;
}

static double
measure_reference(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++)
		bench_delay(delay_length);
	return bench_now() - start;
}

static double
measure_ordered(long n)
{
	double start = bench_now();
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
	for (long i = 0; i < n; i++) {
#pragma omp ordered
		bench_delay(delay_length);
	}
	return bench_now() - start;
}

/* More members than PUs share them, so the tasks are divided among as many members as there are PUs. */
static double
measure_conditional(long n)
{
	double start = bench_now();
	int each = threads > 2 ? threads / 2 : 1;
#pragma omp parallel num_threads(threads)
	for (long i = 0; i < n / each; i++) {
#pragma omp task if (no())
		bench_delay(delay_length);
	}
	return bench_now() - start;
}

static double
nothing(long n)
{
	(void)n;
	return 0;
}

/* Each run begins with another value, so that the results of the run before are wrong. */
#define DOACROSS(name, clauses)                                                                                        \
	static double measure_##name(long n)                                                                           \
	{                                                                                                              \
		double start = bench_now();                                                                            \
		for (long k = 0; k < n; k++) {                                                                         \
			line[0]++;                                                                                     \
			_Pragma(clauses) for (long i = 1; i <= ITERATIONS; i++)                                        \
			{                                                                                              \
				_Pragma("omp ordered depend(sink : i - 1)") line[i] = line[i - 1] + 1;                 \
				_Pragma("omp ordered depend(source)")                                                  \
			}                                                                                              \
		}                                                                                                      \
		double took = bench_now() - start;                                                                     \
		wrong |= line[ITERATIONS] != line[0] + ITERATIONS;                                                     \
		return took / ITERATIONS;                                                                              \
	}
DOACROSS(doacross, "omp parallel for ordered(1) schedule(static, 1) num_threads(threads)")
DOACROSS(doacross_block, "omp parallel for ordered(1) schedule(static) num_threads(threads)")

#define GRID(name, clauses)                                                                                            \
	static double measure_##name(long n)                                                                           \
	{                                                                                                              \
		double start = bench_now();                                                                            \
		for (long k = 0; k < n; k++) {                                                                         \
			for (long i = 0; i <= SIDE; i++)                                                               \
				grid[0][i] = grid[i][0] = grid[0][0] + 1;                                              \
			_Pragma(clauses) for (long i = 1; i <= SIDE; i++) for (long j = 1; j <= SIDE; j++)             \
			{                                                                                              \
				_Pragma("omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)") grid[i][j] =    \
					1 + (grid[i - 1][j] > grid[i][j - 1] ? grid[i - 1][j] : grid[i][j - 1]);       \
				_Pragma("omp ordered depend(source)")                                                  \
			}                                                                                              \
		}                                                                                                      \
		double took = bench_now() - start;                                                                     \
		wrong |= grid[SIDE][SIDE] != grid[0][SIDE] + 2 * SIDE - 1;                                             \
		return took / (SIDE * SIDE);                                                                           \
	}
GRID(grid, "omp parallel for ordered(2) schedule(static, 1) num_threads(threads)")
GRID(grid_block, "omp parallel for ordered(2) schedule(static) num_threads(threads)")

static int
dealt_round_ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
	for (int i = 0; i < SIDE; i++) {
#pragma omp ordered
		member_of[i] = omp_get_thread_num();
	}
	int right = 1;
	for (int i = 0; i < SIDE; i++)
		right &= member_of[i] == i % threads;
	return right;
}

static int
dealt_round_doacross(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(threads)
	for (int i = 0; i < SIDE; i++) {
#pragma omp ordered depend(sink : i - 1)
		member_of[i] = omp_get_thread_num();
#pragma omp ordered depend(source)
	}
	int right = 1;
	for (int i = 0; i < SIDE; i++)
		right &= member_of[i] == i % threads;
	return right;
}

static const struct kind {
	const char *name;
	double (*measure)(long n);
	double (*reference)(long n);
	int (*dealt_round)(void);
} kinds[] = {
	{"ordered", measure_ordered, measure_reference, dealt_round_ordered},
	{"conditional", measure_conditional, measure_reference, NULL},
	{"doacross", measure_doacross, nothing, dealt_round_doacross},
	{"doacross_block", measure_doacross_block, nothing, NULL},
	{"grid", measure_grid, nothing, dealt_round_doacross},
	{"grid_block", measure_grid_block, nothing, NULL},
};

static void
kind_report(const struct kind *kind)
{
	enum { SAMPLES = 60 };
	struct bench_samples with = {0}, without = {0};
	kind->measure(kind->reference == nothing ? 1 : 100);
	long n = kind->reference == nothing ? 1 : bench_repetitions(kind->measure, 4e5) / threads * threads;
	n = n ? n : threads;
	double start = bench_now();
	while (with.count < SAMPLES && (with.count < 5 || bench_now() - start < 3e8)) {
		without.ns[without.count++] = kind->reference(n) / n;
		with.ns[with.count++] = kind->measure(n) / n;
	}
	bench_samples_sort(&with);
	bench_samples_sort(&without);
	char name[64];
	snprintf(name, sizeof name, "%s_%d", kind->name, threads);
	bench_report(name, "ns", bench_min(&with) - bench_min(&without), bench_median(&with) - bench_median(&without),
		     without.ns[without.count / 4] - bench_min(&without));
}

int
main(int argc, char **argv)
{
	if (argc == 3)
		threads = atoi(argv[2]);
	delay_length = bench_delay_length(100);
	for (size_t i = 0; argc > 1 && argc <= 3 && threads > 0 && i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		if (kinds[i].dealt_round && !kinds[i].dealt_round()) {
			fprintf(stderr, "order: iterations go to other members than schedule(static, 1) says\n");
			return 1;
		}
		kind_report(&kinds[i]);
		if (wrong)
			fprintf(stderr, "order: %s ran its iterations out of order\n", argv[1]);
		return wrong;
	}
	return bench_usage("order CASE [THREADS], CASE one of those in its first lines");
}
