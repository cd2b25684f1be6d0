// Divide and conquer by nested regions: fib by sections, an octree by loops over 8 children, a merge sort.
// threads: 2 4 8
// limit: 40
#include <omp.h>
#include <string.h>

#include "check.h"

static int
fib(int n)
{
	int a = 0, b = 0;

	if (n < 2)
		return n;
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		a = fib(n - 1);
#pragma omp section
		b = fib(n - 2);
	}
	return a + b;
}

static long
octree(int depth, unsigned seed)
{
	long sum = seed % 1000;

	if (depth == 0 || seed % 7 == 0)
		return sum;
#pragma omp parallel for schedule(dynamic, 1) num_threads(4) reduction(+ : sum)
	for (int child = 0; child < 8; child++)
		sum += octree(depth - 1, seed * 31 + child * 17 + 5);
	return sum;
}

static long
octree_serial(int depth, unsigned seed)
{
	long sum = seed % 1000;

	if (depth == 0 || seed % 7 == 0)
		return sum;
	for (int child = 0; child < 8; child++)
		sum += octree_serial(depth - 1, seed * 31 + child * 17 + 5);
	return sum;
}

static void
sort(int *list, int *room, int count)
{
	int half = count / 2;

	if (count < 2)
		return;
#pragma omp parallel num_threads(2) if (count > 500)
#pragma omp for
	for (int side = 0; side < 2; side++)
		side ? sort(list + half, room + half, count - half) : sort(list, room, half);
	for (int i = 0, a = 0, b = half; i < count; i++)
		room[i] = b == count || (a < half && list[a] <= list[b]) ? list[a++] : list[b++];
	memcpy(list, room, count * sizeof *list);
}

int
main(void)
{
	static int list[20000], room[20000];

	omp_set_max_active_levels(20);
	CHECK(fib(9) == 34);
	CHECK(octree(3, 4) == octree_serial(3, 4));
	for (int i = 0; i < 20000; i++)
		list[i] = i * 7919 % 20011;
	sort(list, room, 20000);
	for (int i = 1; i < 20000; i++)
		CHECK(list[i - 1] <= list[i]);
	return check_end();
}
