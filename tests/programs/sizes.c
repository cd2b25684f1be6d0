// 10,000 regions whose sizes change: each has the members it should have, each member its number.
// env: OMP_NUM_THREADS=2
// env: OMP_NUM_THREADS=8 OMP_WAIT_POLICY=passive
// limit: 60
#include <omp.h>

#include "check.h"

int
main(void)
{
	unsigned seed = 12345;

	for (int round = 0; round < 10000; round++) {
		unsigned mask = 0, size;

		seed = seed * 1103515245 + 12345;
		size = 1 + (seed >> 16) % (round % 100 ? 6 : 24);
#pragma omp parallel num_threads(size) reduction(| : mask)
		{
			mask = 1u << omp_get_thread_num();
			CHECK(omp_get_num_threads() == (int)size);
			if (round % 10 == 0) {
#pragma omp barrier
			}
		}
		CHECK(mask == (1u << size) - 1, "round %d: size %u, members %x", round, size, mask);
	}
	return check_end();
}
