// The static schedule: each iteration once; chunks dealt out in turn; two equal loops give equal shares.
// threads: 1 2 8 64
#include "loops.h"

LOOP_CASES(plain, schedule(static))
LOOP_CASES(chunk1, schedule(static, 1))
LOOP_CASES(chunk7, schedule(static, 7))
LOOP_CASES(chunk_big, schedule(static, 2000))
LOOP_CASES(none, )

int
main(void)
{
	int threads = omp_get_max_threads();
	int owner[500], again[500];

	plain();
	chunk1();
	chunk7();
	chunk_big();
	none();

#pragma omp parallel for schedule(static, 3)
	for (int i = 0; i < 500; i++)
		owner[i] = omp_get_thread_num();
	for (int i = 0; i < 500; i++)
		CHECK(owner[i] == i / 3 % threads, "iteration %d by %d", i, owner[i]);

#pragma omp parallel
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 500; i++)
			owner[i] = omp_get_thread_num();
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 500; i++)
			again[i] = owner[i] == omp_get_thread_num();
	}
	for (int i = 0; i < 500; i++) {
		CHECK(again[i], "iteration %d changed hands", i);
		CHECK(i == 0 || owner[i] >= owner[i - 1], "iteration %d", i);
	}
	return check_end();
}
