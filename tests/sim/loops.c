/* Loops of large teams: `loops KIND MEMBERS ITERATIONS CHUNK SKEW`. Each iteration must run once. The chunks of a
 * member rise with `monotonic`, and ordered regions come in order. With a skew the first iterations take longer. Prints
 * the iterations that ran, the faults, and the time of the second loop in us. */
#include <forestgomp.h>
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *hits;
static int faults, last = -1;

static void
body(int i, int n, int skew, int *before, int rises)
{
	if (__atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED) || (rises && i <= *before))
		__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
	*before = i;
	fgomp_sim_work(skew ? (unsigned)(2LL * skew * (n - i) / n) + 1 : 300);
}

/* Loops whose values are not 0 to n - 1: they go down, step over some, or end at a limit of the type. */
static void
strange(const char *kind, int n, int chunk, int skew)
{
	int before = -1;
	if (!strcmp(kind, "falling")) {
#pragma omp for schedule(monotonic : dynamic, chunk)
		for (long i = LONG_MIN + 1 + 7L * n; i > LONG_MIN + 7; i -= 7)
			body((int)((LONG_MIN + 1 + 7L * n - i) / 7), n, skew, &before, 1);
	} else if (!strcmp(kind, "unsigned")) {
#pragma omp for schedule(monotonic : dynamic, chunk)
		for (unsigned long long i = ULLONG_MAX - n; i < ULLONG_MAX; i++)
			body((int)(i - (ULLONG_MAX - n)), n, skew, &before, 1);
	} else if (!strcmp(kind, "unsigned guided")) {
#pragma omp for schedule(guided, chunk)
		for (unsigned long long i = 5 + 3ULL * n; i > 5; i -= 3)
			body((int)((5 + 3ULL * n - i) / 3), n, skew, &before, 1);
	}
}

/* Members may be in the first loop and in the second one, and the second has its iterations in order. */
static void
two(int n, int chunk, int skew)
{
	int before = -1, after = -1;
#pragma omp for schedule(monotonic : dynamic, chunk) nowait
	for (int i = 0; i < n / 2; i++)
		body(i, n, skew, &before, 1);
#pragma omp for schedule(guided, chunk) ordered
	for (int i = n / 2; i < n; i++) {
		body(i, n, skew, &after, 1);
#pragma omp ordered
		{
			faults += i != last + 1 && i != n / 2;
			last = i;
		}
	}
}

/* Each iteration waits for the one three before it. */
static void
across(int n, int chunk, int skew)
{
	int before = -1;
#pragma omp for schedule(dynamic, chunk) ordered(1)
	for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 3)
		if (i >= 3 && !__atomic_load_n(&hits[i - 3], __ATOMIC_RELAXED))
			__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
		body(i, n, skew, &before, 1);
#pragma omp ordered depend(source)
	}
}

/* The loop ends early. Then the iterations that are left run in one that is not cancelled. */
static void
cancelled(int n, int chunk, int skew)
{
	int before = -1;
#pragma omp for schedule(monotonic : dynamic, chunk)
	for (int i = 0; i < n; i++) {
		body(i, n, skew, &before, 1);
#pragma omp cancel for if (i == n / 2)
	}
	before = -1;
#pragma omp for schedule(monotonic : dynamic, chunk)
	for (int i = 0; i < n; i++)
		if (!hits[i])
			body(i, n, skew, &before, 1);
}

static void
loop(const char *kind, int n, int chunk, int skew)
{
	int before = -1;
	if (!strcmp(kind, "falling") || !strncmp(kind, "unsigned", 8)) {
		strange(kind, n, chunk, skew);
	} else if (!strcmp(kind, "two")) {
		two(n, chunk, skew);
	} else if (!strcmp(kind, "across")) {
		across(n, chunk, skew);
	} else if (!strcmp(kind, "cancelled")) {
		cancelled(n, chunk, skew);
	} else if (!strcmp(kind, "runtime")) {
#pragma omp for schedule(runtime)
		for (int i = 0; i < n; i++)
			body(i, n, skew, &before, 1);
	} else if (!strcmp(kind, "dynamic")) {
#pragma omp for schedule(dynamic, chunk)
		for (int i = 0; i < n; i++)
			body(i, n, skew, &before, 0);
	} else if (!strcmp(kind, "down")) {
#pragma omp for schedule(nonmonotonic : dynamic, chunk)
		for (int i = n - 1; i >= 0; i--)
			body(i, n, skew, &before, 0);
	} else if (!strcmp(kind, "nowait")) {
#pragma omp for schedule(dynamic, chunk) nowait
		for (int i = 0; i < n / 2; i++)
			body(i, n, skew, &before, 0);
#pragma omp for schedule(dynamic, chunk)
		for (int i = n / 2; i < n; i++)
			body(i, n, skew, &before, 0);
	} else if (!strcmp(kind, "monotonic")) {
#pragma omp for schedule(monotonic : dynamic, chunk)
		for (int i = 0; i < n; i++)
			body(i, n, skew, &before, 1);
	} else if (!strcmp(kind, "guided")) {
#pragma omp for schedule(monotonic : guided, chunk)
		for (int i = 0; i < n; i++)
			body(i, n, skew, &before, 1);
	} else {
#pragma omp for schedule(dynamic, chunk) ordered
		for (int i = 0; i < n; i++) {
			body(i, n, skew, &before, 1);
#pragma omp ordered
			{
				faults += i != last + 1;
				last = i;
			}
		}
	}
}

int
main(int argc, char **argv)
{
	if (argc != 6)
		return 1;
	int members = atoi(argv[2]), n = atoi(argv[3]), chunk = atoi(argv[4]), skew = atoi(argv[5]), ran = 0;
	double begin = 0;
	hits = malloc((size_t)n);
	omp_set_schedule(omp_sched_dynamic | omp_sched_monotonic, chunk);
	for (int round = 0; round < 2; round++) {
		memset(hits, 0, (size_t)n);
		last = -1;
		begin = omp_get_wtime();
#pragma omp parallel num_threads(members)
		loop(argv[1], n, chunk, skew);
		begin = omp_get_wtime() - begin;
		for (int i = 0; i < n; i++)
			ran += hits[i];
	}
	printf("%d %d %.1f\n", ran, faults, begin * 1e6);
	return 0;
}
