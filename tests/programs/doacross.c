// doacross loops in one and two dimensions: a wavefront gives the results of the sequential loop.
// threads: 1 2 8 64
// limit: 40
#include <omp.h>
#include <string.h>

#include "check.h"

#define N 24
static long one[300], grid[N][N], right[N][N];

#define DOACROSS_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define DOACROSS1(clause)                                                         \
	memset(one, 0, sizeof one);                                                   \
	one[0] = 1;                                                                   \
	DOACROSS_PRAGMA(omp parallel for ordered(1) clause) for (int i = 1; i < 150; i++)  \
	{                                                                             \
		_Pragma("omp ordered depend(sink : i - 1)") one[i] = one[i - 1] * 3 % 10007 + i; \
		_Pragma("omp ordered depend(source)")                                     \
	}                                                                             \
	for (int i = 1; i < 150; i++)                                                 \
		CHECK(one[i] == one[i - 1] * 3 % 10007 + i, #clause " at %d", i)

#define DOACROSS2(clause)                                                         \
	memset(grid, 0, sizeof grid);                                                 \
	DOACROSS_PRAGMA(omp parallel for ordered(2) clause) for (int i = 0; i < N; i++)    \
	for (int j = 0; j < N; j++) {                                                 \
		_Pragma("omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1) depend(sink : i - 1, j - 1)") \
		grid[i][j] = (i ? grid[i - 1][j] : 1) + (j ? grid[i][j - 1] : 1) + (i && j ? grid[i - 1][j - 1] : 0); \
		grid[i][j] %= 1000003;                                                    \
		_Pragma("omp ordered depend(source)")                                     \
	}                                                                             \
	CHECK(memcmp(grid, right, sizeof grid) == 0, #clause)

int
main(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			right[i][j] = (i ? right[i - 1][j] : 1) + (j ? right[i][j - 1] : 1) +
				      (i && j ? right[i - 1][j - 1] : 0);
			right[i][j] %= 1000003;
		}
	DOACROSS1(schedule(static));
	DOACROSS1(schedule(static, 5));
	DOACROSS1(schedule(dynamic));
	DOACROSS1(schedule(dynamic, 3));
	DOACROSS1(schedule(guided));
	DOACROSS2(schedule(static));
	DOACROSS2(schedule(static, 1));
	DOACROSS2(schedule(dynamic));
	DOACROSS2(schedule(guided));

	/* Unsigned long long, a lag of two. */
	unsigned long long base = ~0ull - 150;
	memset(one, 0, sizeof one);
#pragma omp parallel for ordered(1) schedule(dynamic, 2)
	for (unsigned long long i = base; i < base + 150; i++) {
#pragma omp ordered depend(sink : i - 2)
		one[i - base] = (i - base >= 2 ? one[i - base - 2] : 0) + 1;
#pragma omp ordered depend(source)
	}
	for (int i = 0; i < 150; i++)
		CHECK(one[i] == i / 2 + 1, "%d: %ld", i, one[i]);
	return check_end();
}
