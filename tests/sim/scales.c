/* Ten regions that make use of more or fewer PUs: `scales REGION ROUNDS`. Prints for each number of threads the ns of a
 * run: the median of the rounds. All work is given. */
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, BYTES = 8 << 20, ROUNDS_MOST = 9, US = 1000 };

static char *data;
static const int threads[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
enum { COUNTS = sizeof threads / sizeof *threads };

/* A part of the work is divided, and then it goes on. */
static void
divide(unsigned us, int n)
{
	fgomp_sim_work((unsigned long long)us * US / (unsigned)n);
}

static void
computing(int n)
{
	divide(2000, n);
}

static void
serial_tenth(int n)
{
	divide(1800, n);
#pragma omp barrier
#pragma omp single
	fgomp_sim_work(200 * US);
}

static void
serial_third(int n)
{
	divide(200, n);
#pragma omp barrier
#pragma omp single
	fgomp_sim_work(100 * US);
}

static void
locked(int n)
{
	for (int i = omp_get_thread_num(); i < 64; i += n) {
		fgomp_sim_work(10 * US);
#pragma omp critical
		fgomp_sim_work(1 * US);
	}
}

static void
barriers(int n)
{
	for (int i = 0; i < 20; i++) {
		divide(10, n);
#pragma omp barrier
	}
}

static void
tiny(int n)
{
	divide(3, n);
}

static void
small(int n)
{
	divide(40, n);
}

static void
six_parts(int n)
{
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 6; i++)
		fgomp_sim_work(100 * US);
	(void)n;
}

/* All data lie on the first node. */
static void
memory(int n)
{
	size_t part = BYTES / (size_t)n;
	fgomp_sim_read(data + part * (size_t)omp_get_thread_num(), part);
	divide(200, n);
}

static void
tasks(int n)
{
#pragma omp single
	for (int i = 0; i < 200; i++) {
#pragma omp task
		fgomp_sim_work(5 * US);
	}
	(void)n;
}

static const struct {
	const char *name;
	void (*run)(int n);
} regions[] = {{"computing", computing}, {"serial_tenth", serial_tenth}, {"serial_third", serial_third},
	       {"locked", locked},	 {"barriers", barriers},	 {"tiny", tiny},
	       {"small", small},	 {"six_parts", six_parts},	 {"memory", memory},
	       {"tasks", tasks}};
enum { REGIONS = sizeof regions / sizeof *regions };

static int
order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The first run makes the team. */
static double
measure(void (*run)(int n), int n, int rounds)
{
	double ns[ROUNDS_MOST];
	for (int i = -1; i < rounds; i++) {
		double begin = omp_get_wtime();
#pragma omp parallel num_threads(n)
		run(n);
		if (i >= 0)
			ns[i] = (omp_get_wtime() - begin) * 1e9;
	}
	qsort(ns, (size_t)rounds, sizeof *ns, order);
	return ns[rounds / 2];
}

int
main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[2]) : 0;
	if (rounds < 1 || rounds > ROUNDS_MOST)
		return 1;
	data = malloc(BYTES);
	memset(data, 1, BYTES);
	fgomp_sim_write(data, BYTES);
	for (int r = 0; r < REGIONS; r++)
		for (int k = 0; k < COUNTS && strcmp(regions[r].name, argv[1]) == 0; k++)
			printf("%s %d %.0f\n", regions[r].name, threads[k],
			       measure(regions[r].run, threads[k], rounds));
	return 0;
}
