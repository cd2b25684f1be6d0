/* What a member does: see uses.c. clang compiles this file, too, but no OpenMP. */
#include "uses.h"

static inline __attribute__((always_inline)) void
read_all(const unsigned long long *from, int n)
{
	unsigned long long sum = 0;
	for (int i = 0; i < n; i++)
		sum += from[i];
	__asm__ volatile("" : : "r"(sum));
}

void
go(int member, int partner)
{
	unsigned long long *own = matrix + TABLE + member * PORTION;
	for (int pass = 0; pass < PASSES; pass++) {
		for (int i = 0; i < PORTION / 2; i++)
			own[i]++;
		read_all(matrix + TABLE + (member ^ partner) * PORTION, PORTION / 4);
		read_all(matrix, TABLE);
	}
}
