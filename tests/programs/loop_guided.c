// The guided schedule: each iteration once; no chunk but the last below the wanted size.
// threads: 1 2 8 64
#include "loops.h"

LOOP_CASES(plain, schedule(guided))
LOOP_CASES(chunk5, schedule(guided, 5))
LOOP_CASES(monotonic, schedule(monotonic : guided, 2))
LOOP_CASES(chunk_big, schedule(guided, 100000))

int
main(void)
{
	int owner[1000];

	plain();
	chunk5();
	monotonic();
	chunk_big();

#pragma omp parallel for schedule(guided, 8)
	for (int i = 0; i < 1000; i++)
		owner[i] = omp_get_thread_num();
	for (int i = 0, start = 0; i <= 1000; i++)
		if (i == 1000 || owner[i] != owner[start]) {
			CHECK(i == 1000 || i - start >= 8, "%d iterations at %d", i - start, start);
			start = i;
		}
	return check_end();
}
