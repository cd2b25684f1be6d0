/* Worksharing: many constructs in flight, ordered, doacross, sections, single with copyprivate, data of members,
 * combined regions. */
#include "limits.h"

static void
in_flight(void)
{
	long sum[24] = {0};
#pragma omp parallel
	{
		for (int c = 0; c < 24; c++) {
#pragma omp for schedule(dynamic) nowait
			for (int i = 0; i < 16; i++) {
				if (omp_get_thread_num() == 0)
					work(3);
#pragma omp atomic
				sum[c] += i;
			}
		}
	}
	for (int c = 0; c < 24; c++)
		CHECK(sum[c], 120);
}

static void
ordered(void)
{
	long next = 0, bad = 0, sum = 0;
#pragma omp parallel
	for (int r = 0; r < 3; r++) {
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 20; i++) {
#pragma omp atomic
			sum += i;
#pragma omp ordered
			{
				bad += next != i;
				next++;
			}
		}
#pragma omp single
		next = 0;
#pragma omp for ordered schedule(static, 2) nowait
		for (int i = 0; i < 20; i++) {
#pragma omp ordered
			bad += 0 * i;
		}
	}
	CHECK(bad, 0);
	CHECK(sum, 190 * 3);
}

static void
doacross(void)
{
	long value[30];
	value[0] = 1;
#pragma omp parallel
	{
#pragma omp for ordered(1) schedule(dynamic)
		for (int i = 1; i < 30; i++) {
			work(1);
#pragma omp ordered depend(sink : i - 1)
			value[i] = value[i - 1] * 5 % 1009;
#pragma omp ordered depend(source)
		}
	}
	long should = 1;
	for (int i = 1; i < 30; i++)
		should = should * 5 % 1009;
	CHECK(value[29], should);
}

static void
others(void)
{
	long parts = 0, copies = 0, guided = 0, last = 0, members = 0;
#pragma omp parallel
	{
		long copied = 0;
#pragma omp atomic
		members++;
#pragma omp sections
		{
#pragma omp section
#pragma omp atomic
			parts += 1;
#pragma omp section
#pragma omp atomic
			parts += 2;
#pragma omp section
#pragma omp atomic
			parts += 4;
		}
#pragma omp single copyprivate(copied)
		copied = 3;
#pragma omp atomic
		copies += copied;
#pragma omp for schedule(guided) reduction(+ : guided) lastprivate(last)
		for (int i = 0; i < 50; i++) {
			guided += i;
			last = i;
		}
	}
	CHECK(parts, 7);
	CHECK(copies, 3 * members);
	CHECK(guided, 1225);
	CHECK(last, 49);
}

static void
combined(void)
{
	long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
	for (int i = 0; i < 40; i++)
		sum += i;
#pragma omp parallel for schedule(guided, 2) reduction(+ : sum)
	for (int i = 0; i < 40; i++)
		sum += i;
#pragma omp parallel sections reduction(+ : sum)
	{
#pragma omp section
		sum += 1;
#pragma omp section
		sum += 2;
	}
	CHECK(sum, 2 * 780 + 3);
}

/* Orphaned: the team of one that every thread has outside of regions. */
static long
alone(void)
{
	long sum = 0;
#pragma omp for schedule(dynamic) ordered
	for (int i = 0; i < 10; i++)
#pragma omp ordered
		sum += i;
	return sum;
}

int
main(void)
{
	first_team();
	for (int r = 0; r < 2; r++) {
		in_flight();
		ordered();
		doacross();
		others();
		combined();
		CHECK(alone(), 45);
	}
	return wrong;
}
