/* The program of tests/sim/uses.c with real accesses, each of 8 bytes: regions 1, 2 and 3 pair member k of 8 with k ^ 4,
 * k ^ 1 and k ^ 2. In each region a member reads and writes 128 blocks of its own, and reads 64 of its partner's and the
 * 64 of the table. There is nothing else in memory that members use: sums are kept in registers. */
#include <omp.h>

enum { UNITS = 8, MEMBERS = 8, PORTION = 256 * UNITS, TABLE = 64 * UNITS };
#ifndef PASSES
#define PASSES 40
#endif

static _Alignas(64) unsigned long long matrix[TABLE + MEMBERS * PORTION];

static inline __attribute__((always_inline)) unsigned long long
sum_of(const unsigned long long *from, int n)
{
	unsigned long long sum = 0;
	for (int i = 0; i < n; i++)
		sum += from[i];
	return sum;
}

/* The sums are wanted in a register only. */
#define WANTED(sum) __asm__ volatile("" : : "r"(sum))

static inline __attribute__((always_inline)) void
go(int partner)
{
	int k = omp_get_thread_num();
	unsigned long long *own = matrix + TABLE + k * PORTION;
	const unsigned long long *other = matrix + TABLE + (k ^ partner) * PORTION;
	for (int pass = 0; pass < PASSES; pass++) {
		for (int i = 0; i < PORTION / 2; i++)
			own[i]++;
		WANTED(sum_of(other, PORTION / 4));
		WANTED(sum_of(matrix, TABLE));
	}
}

int
main(void)
{
#pragma omp parallel num_threads(MEMBERS)
	go(4);
#pragma omp parallel num_threads(MEMBERS)
	go(1);
#pragma omp parallel num_threads(MEMBERS)
	go(2);
	return 0;
}
