// How taskloops are split: num_tasks, grainsize, strict, steps and directions, unsigned loops near the end of their
// range.
// threads: 1 2 8
#include <limits.h>
#include <omp.h>

#include "check.h"

static int sizes[1000], parts;

/* Tells the tasks of a taskloop apart by their iterations: a private counter that each task starts at zero. */
#define COUNT(clauses, count)                                   \
	do {                                                        \
		int in_task = 0, *slot = NULL;                          \
		parts = 0;                                              \
		_Pragma(clauses) for (long i = 0; i < (count); i++)     \
		{                                                       \
			if (in_task++ == 0)                                 \
				slot = &sizes[__atomic_fetch_add(&parts, 1, 5)]; \
			*slot = in_task;                                    \
		}                                                       \
	} while (0)

static int
count_of(int size)
{
	int count = 0;

	for (int i = 0; i < parts; i++)
		count += sizes[i] == size;
	return count;
}

static void
splits(void)
{
	COUNT("omp taskloop firstprivate(in_task, slot) num_tasks(7)", 100);
	CHECK(parts == 7 && count_of(15) == 2 && count_of(14) == 5, "%d parts", parts);
	COUNT("omp taskloop firstprivate(in_task, slot) num_tasks(200)", 100);
	CHECK(parts == 100, "%d parts", parts);
	COUNT("omp taskloop firstprivate(in_task, slot) grainsize(30)", 100);
	CHECK(parts == 3 && count_of(34) == 1 && count_of(33) == 2, "%d parts", parts);
	COUNT("omp taskloop firstprivate(in_task, slot) grainsize(200)", 100);
	CHECK(parts == 1 && count_of(100) == 1, "%d parts", parts);
	COUNT("omp taskloop firstprivate(in_task, slot) grainsize(strict:30)", 100);
	CHECK(parts == 4 && count_of(30) == 3 && count_of(10) == 1, "%d parts", parts);
	COUNT("omp taskloop firstprivate(in_task, slot) grainsize(strict:300)", 100);
	CHECK(parts == 1 && count_of(100) == 1, "%d parts", parts);
	COUNT("omp taskloop firstprivate(in_task, slot) num_tasks(strict:3)", 100);
	CHECK(parts == 3 && count_of(34) == 1 && count_of(33) == 2, "%d parts", parts);
	COUNT("omp taskloop firstprivate(in_task, slot) num_tasks(3)", 0);
	CHECK(parts == 0, "%d parts", parts);
}

static void
ranges(void)
{
	long sum = 0, last = 0;
	unsigned long long count = 0, top = 0;

#pragma omp taskloop num_tasks(4) reduction(+ : sum) lastprivate(last)
	for (long i = 50; i > -50; i -= 7) {
		sum += i;
		last = i;
	}
	CHECK(sum == 50 * 15 - 7 * 105 && last == 50 - 14 * 7, "sum %ld, last %ld", sum, last);
#pragma omp taskloop grainsize(2) reduction(+ : count) reduction(max : top)
	for (unsigned long long i = ULLONG_MAX - 100; i < ULLONG_MAX - 5; i += 10) {
		count++;
		top = i > top ? i : top;
	}
	CHECK(count == 10 && top == ULLONG_MAX - 10, "count %llu", count);
	count = 0;
#pragma omp taskloop num_tasks(3) reduction(+ : count) collapse(2)
	for (unsigned long long i = 20; i > 9; i -= 2)
		for (int k = 0; k < 5; k++)
			count += i;
	CHECK(count == 5 * (20 + 18 + 16 + 14 + 12 + 10), "count %llu", count);
}

int
main(void)
{
	splits();
	ranges();
#pragma omp parallel
#pragma omp single
	{
		splits();
		ranges();
	}
	return check_end();
}
