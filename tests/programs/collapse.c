// collapse: two and three loops, steps of either sign, triangles, empty ones, more than 32 bits of iterations' numbers.
// threads: 1 2 8 64
#include <omp.h>
#include <string.h>

#include "check.h"

static unsigned char hits[20][30][10];

static void
verify(const char *what, int a, int b, int c)
{
	for (int i = 0; i < 20; i++)
		for (int j = 0; j < 30; j++)
			for (int k = 0; k < 10; k++)
				CHECK(hits[i][j][k] == (i < a && j < b && k < c), "%s: %d %d %d: %d", what, i, j, k,
				      hits[i][j][k]);
	memset(hits, 0, sizeof hits);
}

#define COLLAPSE_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define COLLAPSE(clause)                                                          \
	do {                                                                          \
		COLLAPSE_PRAGMA(omp parallel for collapse(2) clause) for (int i = 0; i < 20; i++) \
			for (long j = 58; j >= 0; j -= 2)                                     \
				__atomic_fetch_add(&hits[i][j / 2][0], 1, __ATOMIC_RELAXED);      \
		verify("two " #clause, 20, 30, 1);                                         \
		COLLAPSE_PRAGMA(omp parallel for collapse(3) clause) for (int i = 0; i < 20; i++) \
			for (unsigned long long j = 0; j < 30; j++)                           \
				for (int k = 9; k >= 0; k--)                                      \
					__atomic_fetch_add(&hits[i][j][k], 1, __ATOMIC_RELAXED);      \
		verify("three " #clause, 20, 30, 10);                                      \
		COLLAPSE_PRAGMA(omp parallel for collapse(2) clause) for (int i = 0; i < 20; i++) \
			for (int j = 5; j < 5; j++)                                           \
				hits[i][j][0]++;                                                  \
		verify("empty " #clause, 0, 0, 0);                                         \
	} while (0)

int
main(void)
{
	int below = 0;

	COLLAPSE();
	COLLAPSE(schedule(static, 3));
	COLLAPSE(schedule(dynamic));
	COLLAPSE(schedule(dynamic, 7));
	COLLAPSE(schedule(guided));
	COLLAPSE(schedule(runtime));

#pragma omp parallel for collapse(2) reduction(+ : below)
	for (int i = 0; i < 50; i++)
		for (int j = 0; j < i; j++)
			below += j < i;
	CHECK(below == 1225, "%d", below);
	below = 0;
#pragma omp parallel for collapse(2) reduction(+ : below)
	for (int i = 0; i < 50; i++)
		for (int j = i; j < 2 * i + 1; j++)
			below++;
	int want = 0;
	for (int i = 0; i < 50; i++)
		for (int j = i; j < 2 * i + 1; j++)
			want++;
	CHECK(below == want, "%d for %d", below, want);
	return check_end();
}
