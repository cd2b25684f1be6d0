/* Tasks with some work in them, in the spirit of the Barcelona suite. `tasks_work CASE`; ms of the whole computation
   with 2 threads. sort: merge sort of 300,000 numbers. strassen: two matrices of 256. sparselu: the blocks of a sparse
   matrix, ordered by depend. health: villages of a tree treat and refer their patients, step by step. */
#include <math.h>
#include <omp.h>
#include "bench.h"

enum {
	THREADS = 2,
	NUMBERS = 300000,
	RUN = 512,
	SIZE = 256,
	LEAF = 32,
	BLOCKS = 16,
	SIDE = 24,
	LEVELS = 5,
	BRANCHES = 4,
	STEPS = 40
};

static int wrong;

static unsigned
noise(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static int numbers[NUMBERS], other[NUMBERS];

static int
compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

/* Sorts from[0 .. n). It uses spare[0 .. n) on the way. */
static void
merge_sort(int *from, int *spare, int n)
{
	if (n <= RUN) {
		qsort(from, n, sizeof *from, compare);
		return;
	}
	int half = n / 2, a = 0, b = half;
#pragma omp task
	merge_sort(from, spare, half);
#pragma omp task
	merge_sort(from + half, spare + half, n - half);
#pragma omp taskwait
	for (int i = 0; i < n; i++)
		spare[i] = b == n || (a < half && from[a] <= from[b]) ? from[a++] : from[b++];
	memcpy(from, spare, n * sizeof *from);
}

static void
sort_round(void)
{
	unsigned state = 1;
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = noise(&state);
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	merge_sort(numbers, other, NUMBERS);
	for (int i = 1; i < NUMBERS; i++)
		wrong |= numbers[i - 1] > numbers[i];
}

static double left[SIZE * SIZE], right[SIZE * SIZE], product[SIZE * SIZE];

static void
add(double *to, const double *a, int a_row, const double *b, int b_row, double sign, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			to[i * n + j] = a[i * a_row + j] + (b ? sign * b[i * b_row + j] : 0);
}

static void
multiply_leaf(double *c, int c_row, const double *a, int a_row, const double *b, int b_row, int n)
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			c[i * c_row + j] = 0;
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++)
				c[i * c_row + j] += a[i * a_row + k] * b[k * b_row + j];
	}
}

static void
multiply(double *c, int c_row, const double *a, int a_row, const double *b, int b_row, int n)
{
	if (n <= LEAF) {
		multiply_leaf(c, c_row, a, a_row, b, b_row, n);
		return;
	}
	/* The quarters that are added (with a sign) before each of the seven products: first, second, sign. */
	static const signed char as[7][3] = {{0, 3, 1}, {2, 3, 1},  {0, -1, 0}, {3, -1, 0},
					     {0, 1, 1}, {2, 0, -1}, {1, 3, -1}};
	static const signed char bs[7][3] = {{0, 3, 1},	 {0, -1, 0}, {1, 3, -1}, {2, 0, -1},
					     {3, -1, 0}, {0, 1, 1},  {2, 3, 1}};
	int h = n / 2;
	double *memory = malloc(7 * 3 * sizeof(double) * h * h);
	for (int p = 0; p < 7; p++) {
#pragma omp task firstprivate(p)
		{
			double *m = memory + 3l * p * h * h, *x = m + h * h, *y = x + h * h;
			const double *a1 = a + as[p][0] / 2 * h * a_row + as[p][0] % 2 * h;
			const double *b1 = b + bs[p][0] / 2 * h * b_row + bs[p][0] % 2 * h;
			const double *a2 = as[p][1] < 0 ? NULL : a + as[p][1] / 2 * h * a_row + as[p][1] % 2 * h;
			const double *b2 = bs[p][1] < 0 ? NULL : b + bs[p][1] / 2 * h * b_row + bs[p][1] % 2 * h;
			add(x, a1, a_row, a2, a_row, as[p][2], h);
			add(y, b1, b_row, b2, b_row, bs[p][2], h);
			multiply(m, h, x, h, y, h, h);
		}
	}
#pragma omp taskwait
	for (int i = 0; i < h; i++)
		for (int j = 0; j < h; j++) {
			double m[7];
			for (int p = 0; p < 7; p++)
				m[p] = memory[3l * p * h * h + i * h + j];
			c[i * c_row + j] = m[0] + m[3] - m[4] + m[6];
			c[i * c_row + h + j] = m[2] + m[4];
			c[(h + i) * c_row + j] = m[1] + m[3];
			c[(h + i) * c_row + h + j] = m[0] - m[1] + m[2] + m[5];
		}
	free(memory);
}

static void
strassen_round(void)
{
	unsigned state = 1;
	for (int i = 0; i < SIZE * SIZE; i++) {
		left[i] = noise(&state) % 100;
		right[i] = noise(&state) % 100;
	}
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	multiply(product, SIZE, left, SIZE, right, SIZE, SIZE);
	for (int i = 0; i < SIZE; i += 51) {
		double sum = 0;
		for (int k = 0; k < SIZE; k++)
			sum += left[i * SIZE + k] * right[k * SIZE + i];
		wrong |= fabs(sum - product[i * SIZE + i]) > 1e-6;
	}
}

typedef double block[SIDE * SIDE];
static block matrix[BLOCKS][BLOCKS];
static char there[BLOCKS][BLOCKS]; /* the block is not zero */

static void
factor(double *d)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++) {
			d[i * SIDE + k] /= d[k * SIDE + k];
			for (int j = k + 1; j < SIDE; j++)
				d[i * SIDE + j] -= d[i * SIDE + k] * d[k * SIDE + j];
		}
}

static void
forward(const double *d, double *c)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++)
			for (int j = 0; j < SIDE; j++)
				c[i * SIDE + j] -= d[i * SIDE + k] * c[k * SIDE + j];
}

static void
divide(const double *d, double *r)
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			r[i * SIDE + k] /= d[k * SIDE + k];
			for (int j = k + 1; j < SIDE; j++)
				r[i * SIDE + j] -= r[i * SIDE + k] * d[k * SIDE + j];
		}
}

static void
update(double *t, const double *r, const double *c)
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++)
			for (int j = 0; j < SIDE; j++)
				t[i * SIDE + j] -= r[i * SIDE + k] * c[k * SIDE + j];
}

static void
lu(void)
{
	for (int k = 0; k < BLOCKS; k++) {
		double *d = matrix[k][k];
#pragma omp task depend(inout : d[0])
		factor(d);
		for (int j = k + 1; j < BLOCKS; j++) {
			double *c = matrix[k][j], *r = matrix[j][k];
			if (there[k][j]) {
#pragma omp task depend(in : d[0]) depend(inout : c[0])
				forward(d, c);
			}
			if (there[j][k]) {
#pragma omp task depend(in : d[0]) depend(inout : r[0])
				divide(d, r);
			}
		}
		for (int i = k + 1; i < BLOCKS; i++)
			for (int j = k + 1; j < BLOCKS; j++) {
				double *t = matrix[i][j], *r = matrix[i][k], *c = matrix[k][j];
				if (!there[i][k] || !there[k][j])
					continue;
				there[i][j] = 1;
#pragma omp task depend(in : r[0], c[0]) depend(inout : t[0])
				update(t, r, c);
			}
	}
#pragma omp taskwait
}

static double
checksum(void)
{
	double sum = 0;
	for (int i = 0; i < BLOCKS; i++)
		for (int j = 0; j < BLOCKS; j++)
			for (int k = 0; k < SIDE * SIDE; k++)
				sum += matrix[i][j][k] * (1 + (i + 2 * j + k) % 7);
	return sum;
}

static void
sparselu_round(void)
{
	static double first;
	unsigned state = 1;
	memset(there, 0, sizeof there);
	memset(matrix, 0, sizeof matrix);
	for (int i = 0; i < BLOCKS; i++)
		for (int j = 0; j < BLOCKS; j++) {
			if (i != j && noise(&state) % 3)
				continue;
			there[i][j] = 1;
			for (int k = 0; k < SIDE * SIDE; k++)
				matrix[i][j][k] = noise(&state) % 100 / 100. + (i == j && k % (SIDE + 1) == 0) * 1000;
		}
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	lu();
	if (first == 0)
		first = checksum();
	wrong |= checksum() != first || !isfinite(first);
}

struct village {
	struct village *child[BRANCHES];
	unsigned state;
	int ill, treated, referred, level;
};

static struct village *
village_new(int level, unsigned *state)
{
	struct village *village = calloc(1, sizeof *village);
	village->state = noise(state);
	village->level = level;
	for (int i = 0; level > 0 && i < BRANCHES; i++)
		village->child[i] = village_new(level - 1, state);
	return village;
}

static void
step(struct village *village)
{
	for (int i = 0; i < BRANCHES; i++)
		if (village->child[i]) {
#pragma omp task
			step(village->child[i]);
		}
	village->referred = 0;
	for (int people = 0; people < 20; people++)
		village->ill += noise(&village->state) % 100 < 10;
#pragma omp taskwait
	for (int i = 0; i < BRANCHES; i++)
		if (village->child[i])
			village->ill += village->child[i]->referred;
	for (int ill = village->ill; ill > 0; ill--) {
		unsigned fate = noise(&village->state) % 100;
		village->ill -= fate < 60;
		village->treated += fate < 50;
		village->referred += fate >= 50 && fate < 60;
	}
}

static long
treated(struct village *village)
{
	long sum = village->treated;
	for (int i = 0; i < BRANCHES; i++)
		if (village->child[i])
			sum += treated(village->child[i]);
	free(village);
	return sum;
}

static void
health_round(void)
{
	static long first;
	unsigned state = 1;
	struct village *top = village_new(LEVELS, &state);
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	for (int i = 0; i < STEPS; i++)
		step(top);
	long sum = treated(top);
	if (!first)
		first = sum;
	wrong |= sum != first;
}

static void (*chosen)(void);

static double
measure(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++)
		chosen();
	return bench_now() - start;
}

static const struct {
	const char *name;
	void (*round)(void);
} cases[] = {
	{"sort", sort_round}, {"strassen", strassen_round}, {"sparselu", sparselu_round}, {"health", health_round}};

int
main(int argc, char **argv)
{
	for (unsigned i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		struct bench_samples s;
		chosen = cases[i].round;
		measure(1);
		bench_sample_set(&s, measure, 1, 20, 5e8);
		if (wrong) {
			fprintf(stderr, "tasks_work: %s computed a wrong result\n", argv[1]);
			return 1;
		}
		bench_report_samples(argv[1], "ms", &s, 1e6);
		return 0;
	}
	return bench_usage("tasks_work sort|strassen|sparselu|health");
}
