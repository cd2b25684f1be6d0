// lastprivate: the value of the sequentially last iteration (or the last one assigned, conditional) for all schedules.
// threads: 1 2 8 64
#include <omp.h>

#include "check.h"

#define LAST_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define LAST(clause)                                                              \
	do {                                                                          \
		int x = -1, hit = -1, i;                                                  \
		LAST_PRAGMA(omp parallel for lastprivate(x, i) lastprivate(conditional : hit) clause) \
		for (i = 0; i < 500; i++) {                                               \
			x = i * 2;                                                            \
			if (i % 71 == 3)                                                      \
				hit = i;                                                          \
		}                                                                         \
		CHECK(x == 998 && i == 500, #clause " %d %d", x, i);                       \
		CHECK(hit == 429, #clause " %d", hit);                                     \
	} while (0)

int
main(void)
{
	int both = 5;

	for (int round = 0; round < 5; round++) {
		LAST();
		LAST(schedule(static, 7));
		LAST(schedule(dynamic));
		LAST(schedule(dynamic, 9));
		LAST(schedule(guided));
		LAST(schedule(runtime));
	}
#pragma omp parallel for firstprivate(both) lastprivate(both) schedule(static, 1)
	for (int i = 0; i < 64; i++) {
		CHECK(both >= 5);
		both = 100 + i;
	}
	CHECK(both == 163, "%d", both);
	/* No iteration: the variable keeps its value. */
	volatile int none = 0;
	int kept = 3;
#pragma omp parallel for lastprivate(conditional : kept)
	for (int i = 0; i < none; i++)
		kept = i;
	CHECK(kept == 3, "%d", kept);
	return check_end();
}
