// 200 worksharing constructs in flight: one member has met none of them while all the others have met all.
// threads: 1 2 8 64
#include <omp.h>

#include "check.h"

#define CONSTRUCTS 200
static int loops[CONSTRUCTS], guideds[CONSTRUCTS], singles[CONSTRUCTS], sections[CONSTRUCTS], statics[CONSTRUCTS];
static int through;

int
main(void)
{
	int threads = omp_get_max_threads();

	for (int late = 0; late < threads; late += threads / 2 + 1) {
		through = 0;
#pragma omp parallel
		{
			if (omp_get_thread_num() == late)
				while (__atomic_load_n(&through, __ATOMIC_ACQUIRE) != threads - 1)
					usleep(200);
			for (int c = 0; c < CONSTRUCTS; c++) {
#pragma omp for schedule(dynamic) nowait
				for (int i = 0; i < 10; i++)
					__atomic_fetch_add(&loops[c], 1, __ATOMIC_RELAXED);
#pragma omp single nowait
				__atomic_fetch_add(&singles[c], 1, __ATOMIC_RELAXED);
#pragma omp for schedule(guided, 2) nowait
				for (unsigned long long i = 0; i < 20; i++)
					__atomic_fetch_add(&guideds[c], 1, __ATOMIC_RELAXED);
#pragma omp sections nowait
				{
#pragma omp section
					__atomic_fetch_add(&sections[c], 1, __ATOMIC_RELAXED);
#pragma omp section
					__atomic_fetch_add(&sections[c], 1, __ATOMIC_RELAXED);
				}
				/* The late member has its own part to do here. */
#pragma omp for schedule(static) nowait
				for (int i = 0; i < threads; i++)
					__atomic_fetch_add(&statics[c], 1, __ATOMIC_RELAXED);
			}
			__atomic_fetch_add(&through, 1, __ATOMIC_RELEASE);
		}
	}
	int rounds = (threads + threads / 2) / (threads / 2 + 1);
	for (int c = 0; c < CONSTRUCTS; c++) {
		CHECK(loops[c] == 10 * rounds, "%d: %d", c, loops[c]);
		CHECK(guideds[c] == 20 * rounds, "%d: %d", c, guideds[c]);
		CHECK(singles[c] == rounds, "%d: %d", c, singles[c]);
		CHECK(sections[c] == 2 * rounds, "%d: %d", c, sections[c]);
		CHECK(statics[c] == threads * rounds, "%d: %d", c, statics[c]);
	}
	return check_end();
}
