// setjmp and longjmp within a body, over barriers that lie between the two.
// threads: 1 2 8
#include <omp.h>
#include <setjmp.h>

#include "check.h"

static void __attribute__((noinline))
leap(jmp_buf where, int value)
{
	char deep[512];

	snprintf(deep, sizeof deep, "%d", value);
#pragma omp barrier
	longjmp(where, atoi(deep));
}

int
main(void)
{
#pragma omp parallel
	for (volatile int i = 1; i < 50; i++) {
		jmp_buf where;
		volatile int me = omp_get_thread_num() + i, got = setjmp(where);

		if (!got)
			leap(where, me + 1);
		CHECK(got == me + 1, "%d for %d", got, me + 1);
#pragma omp barrier
	}
	return check_end();
}
