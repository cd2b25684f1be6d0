// ordered: the bodies run one at a time and in the order of the loop, for every schedule.
// threads: 1 2 8 64
#include <omp.h>

#include "check.h"

#define N 300
static int order[N], count;

static void
ordered_verify(const char *what, int trip)
{
	CHECK(count == trip, "%s: %d", what, count);
	for (int i = 0; i < trip; i++)
		CHECK(order[i] == i, "%s: place %d has %d", what, i, order[i]);
	count = 0;
}

#define ORDERED_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define ORDERED(clause)                                                           \
	ORDERED_PRAGMA(omp parallel for ordered clause) for (int i = 0; i < N; i++)       \
	{                                                                             \
		_Pragma("omp ordered") order[count++] = i;                                \
	}                                                                             \
	ordered_verify(#clause, N)

int
main(void)
{
	ORDERED();
	ORDERED(schedule(static));
	ORDERED(schedule(static, 4));
	ORDERED(schedule(dynamic));
	ORDERED(schedule(dynamic, 3));
	ORDERED(schedule(guided));
	ORDERED(schedule(guided, 2));
	ORDERED(schedule(runtime));
	ORDERED(schedule(auto));

	/* Some iterations meet no ordered construct; a second loop follows in the same region. */
#pragma omp parallel
	for (int round = 0; round < 5; round++) {
#pragma omp for ordered schedule(dynamic, 2)
		for (int i = 0; i < N; i++)
			if (i % 3 == 0) {
#pragma omp ordered
				order[count++] = i / 3;
			}
#pragma omp single
		ordered_verify("every third", N / 3);
	}

	/* Unsigned near the end of its range, and down. */
#pragma omp parallel for ordered schedule(dynamic)
	for (unsigned long long i = ~0ull; i > ~0ull - N; i--) {
#pragma omp ordered
		order[count++] = (int)(~0ull - i);
	}
	ordered_verify("unsigned down", N);

	/* In nested regions at once. */
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
	{
		int mine[40], n = 0;

#pragma omp parallel for ordered schedule(dynamic) num_threads(3)
		for (int i = 0; i < 40; i++) {
#pragma omp ordered
			mine[n++] = i;
		}
		for (int i = 0; i < 40; i++)
			CHECK(mine[i] == i && n == 40);
	}
	return check_end();
}
