/* Tasks on large machines: each runs once, and what waits for them waits for all. `many_tasks KIND THREADS TASKS NS`
 * prints the efficiency of the last of a few regions, and "wrong" if a result is. */
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 200000

static unsigned char times[MOST];
static int n_tasks, wrong;
static unsigned ns;

static void
check(const char *where)
{
	for (int i = 0; i < n_tasks; i++)
		if (times[i] != 1)
			wrong = 1 + printf("wrong: task %d ran %d times at the end of %s\n", i, times[i], where);
	memset(times, 0, sizeof times);
}

static void
task(int i)
{
	fgomp_sim_work(ns);
	__atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
}

/* Counts its leaves. */
static int
tree(int from, int to)
{
	if (to - from == 1) {
		task(from);
		return 1;
	}
	int left = 0, middle = from + (to - from) / 2;
#pragma omp task shared(left)
	left = tree(from, middle);
	int right = tree(middle, to);
#pragma omp taskwait
	if (left != middle - from || right != to - middle)
		wrong = 1 + printf("wrong: a taskwait ended early\n");
	return left + right;
}

static void
produce(void)
{
	for (int i = 0; i < n_tasks; i++) {
#pragma omp task
		task(i);
	}
}

static void
kinds(const char *kind)
{
	if (!strcmp(kind, "producer"))
		produce();
	else if (!strcmp(kind, "tree"))
		tree(0, n_tasks);
	else if (!strcmp(kind, "taskloop")) {
#pragma omp taskloop grainsize(1)
		for (int i = 0; i < n_tasks; i++)
			task(i);
		check("a taskloop");
	} else if (!strcmp(kind, "group")) {
#pragma omp taskgroup
		for (int i = 0; i < n_tasks; i += 10) {
#pragma omp task
			for (int k = i; k < i + 10 && k < n_tasks; k++) {
#pragma omp task
				task(k);
			}
		}
		check("a taskgroup");
	} else if (!strcmp(kind, "wait")) {
		produce();
#pragma omp taskwait
		check("a taskwait");
	}
}

int
main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "producer";
	int threads = argc > 2 ? atoi(argv[2]) : 4;
	n_tasks = argc > 3 ? atoi(argv[3]) : 100;
	ns = argc > 4 ? (unsigned)atoi(argv[4]) : 1000;
	double begin = 0, end = 0;
	int checked = !strcmp(kind, "taskloop") || !strcmp(kind, "group") || !strcmp(kind, "wait");
	for (int region = 0; region < 3; region++) {
		begin = omp_get_wtime();
		/* A smaller team between two equal ones. */
#pragma omp parallel num_threads(region == 1 ? threads / 2 : threads)
		{
#pragma omp single
			kinds(kind);
		}
		end = omp_get_wtime();
		if (!checked)
			check("a region");
	}
	/* All members make tasks and meet barriers. */
	for (int phase = 0; phase < 2; phase++) {
#pragma omp parallel num_threads(threads)
		{
#pragma omp for nowait
			for (int i = 0; i < n_tasks; i++) {
#pragma omp task
				task(i);
			}
#pragma omp barrier
#pragma omp single
			check("a barrier");
		}
	}
	if (!wrong)
		printf("efficiency %.3f\n", (double)ns * n_tasks / threads / ((end - begin) * 1e9));
	return wrong != 0;
}
