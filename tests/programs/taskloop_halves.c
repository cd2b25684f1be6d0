// Taskloops of many tasks in teams of more than 8: several threads make the tasks. Each iteration runs once, with the
// values of the thread that met the loop, and the loop ends after all.
// threads: 16 64
#include <limits.h>
#include <omp.h>

#include "check.h"

#define N 3000

static int times[N], sizes[N], parts;

static void
all_once(int count)
{
	int wrong = 0;

	for (int i = 0; i < N; i++) {
		wrong += times[i] != (i < count);
		times[i] = 0;
	}
	CHECK(wrong == 0);
}

static void
once(long i)
{
	__atomic_fetch_add(&times[i], 1, 5);
}

/* The first tasks have one iteration more than the others. */
static void
splits(void)
{
	int in_task = 0, *slot = NULL, longer = 0, count = N;

	parts = 0;
#pragma omp taskloop num_tasks(701) firstprivate(in_task, slot)
	for (int i = 0; i < count; i++) {
		if (in_task++ == 0)
			slot = &sizes[__atomic_fetch_add(&parts, 1, 5)];
		*slot = in_task;
		once(i);
	}
	all_once(N);
	CHECK(parts == 701);
	for (int i = 0; i < parts; i++) {
		CHECK(sizes[i] == N / 701 || sizes[i] == N / 701 + 1);
		longer += sizes[i] == N / 701 + 1;
	}
	CHECK(longer == N % 701);
#pragma omp taskloop grainsize(strict : 7)
	for (int i = 0; i < N; i++)
		once(i);
	all_once(N);
}

static void
directions(void)
{
#pragma omp taskloop grainsize(1)
	for (int i = 2 * N - 2; i >= 0; i -= 2)
		once(i / 2);
	all_once(N);
#pragma omp taskloop grainsize(2)
	for (unsigned long long i = ULLONG_MAX - 3 * (N - 1); i < ULLONG_MAX - 1; i += 3)
		once((long)((ULLONG_MAX - 1 - i) / 3));
	all_once(N - 1);
}

struct values {
	int from, to[20];
};

/* All copies are of the values at the loop, and the last iteration's value comes back. */
static void
copies(void)
{
	struct values values = {.from = 5, .to = {7, [19] = 11}};
	int last = 0, wrong = 0;

#pragma omp taskloop grainsize(1) firstprivate(values) lastprivate(last) shared(wrong)
	for (int i = 0; i < N; i++) {
		if (values.from != 5 || values.to[0] != 7 || values.to[19] != 11)
			__atomic_fetch_add(&wrong, 1, 5);
		values = (struct values){.from = -1};
		last = i;
		once(i);
	}
	all_once(N);
	CHECK(wrong == 0 && last == N - 1 && values.from == 5);
}

static void
reductions(void)
{
	long sum = 0, in_sum = 0;

#pragma omp taskloop grainsize(1) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += i;
	CHECK(sum == (long)N * (N - 1) / 2);
#pragma omp taskgroup task_reduction(+ : in_sum)
	{
#pragma omp taskloop grainsize(1) in_reduction(+ : in_sum)
		for (int i = 0; i < N; i++)
			in_sum += i;
#pragma omp taskloop grainsize(1) in_reduction(+ : in_sum) nogroup
		for (int i = 0; i < N; i++)
			in_sum += i;
	}
	CHECK(in_sum == (long)N * (N - 1));
}

static void
clauses(void)
{
#pragma omp taskloop grainsize(1) nogroup
	for (int i = 0; i < N; i++)
		once(i);
#pragma omp taskwait
	all_once(N);
#pragma omp taskloop grainsize(1) priority(3)
	for (int i = 0; i < N; i++)
		once(i);
	all_once(N);
#pragma omp taskloop grainsize(1) final(1)
	for (int i = 0; i < N; i++) {
		CHECK(omp_in_final());
		once(i);
	}
	all_once(N);
#pragma omp taskloop grainsize(1) if (0)
	for (int i = 0; i < N; i++)
		once(i);
	all_once(N);
}

/* Tasks of the loop's tasks are complete at its end, too. So are those of loops within. */
static void
descendants(void)
{
#pragma omp taskloop grainsize(1)
	for (int i = 0; i < N / 10; i++) {
		CHECK(!omp_in_final());
		for (int k = 0; k < 10; k++) {
#pragma omp task
			once(10 * i + k);
		}
	}
	all_once(N);
#pragma omp taskloop grainsize(1)
	for (int i = 0; i < N / 60; i++) {
#pragma omp taskloop grainsize(1)
		for (int k = 0; k < 60; k++)
			once(60 * i + k);
	}
	all_once(N);
}

int
main(void)
{
	for (int round = 0; round < 3; round++) {
#pragma omp parallel
#pragma omp single
		{
			splits();
			directions();
			copies();
			reductions();
			clauses();
			descendants();
		}
	}
	return check_end();
}
