// The dynamic schedule: each iteration once, whole chunks by one thread, increasing when monotonic.
// threads: 1 2 8 64
#include "loops.h"

LOOP_CASES(plain, schedule(dynamic))
LOOP_CASES(chunk5, schedule(dynamic, 5))
LOOP_CASES(monotonic, schedule(monotonic : dynamic, 2))
LOOP_CASES(nonmonotonic, schedule(nonmonotonic : dynamic, 4))
LOOP_CASES(chunk_big, schedule(dynamic, 100000))

int
main(void)
{
	int owner[700], chunk = 7;

	plain();
	chunk5();
	monotonic();
	nonmonotonic();
	chunk_big();

#pragma omp parallel
	{
		int last = -1;

#pragma omp for schedule(monotonic : dynamic, chunk)
		for (int i = 0; i < 700; i++) {
			CHECK(i > last, "%d after %d", i, last);
			last = i;
			owner[i] = omp_get_thread_num();
		}
	}
	for (int i = 0; i < 700; i++)
		CHECK(owner[i] == owner[i / 7 * 7], "chunk of %d split", i);
	return check_end();
}
