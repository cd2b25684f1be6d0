// Steps so large that chunk times step does not fit in 64 bits.
// threads: 1 2 8
// limit: 5
// stock: fails (the product wraps round and the loop does not end)
#include "loops.h"

#define HUGE_STEP(name, clauses)                                                  \
	static void name(void)                                                        \
	{                                                                             \
		LOOP_SPACE(clauses, ull, 0, <, 15ull << 60, 1ll << 60, 15);               \
		LOOP_SPACE(clauses, ull, 7, <, 3ull << 62, 1ll << 62, 3);                 \
		LOOP_SPACE(clauses, long, LONG_MIN, <, 1l << 62, 1ll << 61, 6);           \
	}
HUGE_STEP(dynamic, schedule(dynamic))
HUGE_STEP(dynamic_big, schedule(dynamic, 2000))
HUGE_STEP(guided_big, schedule(guided, 1 << 20))
HUGE_STEP(monotonic_big, schedule(monotonic : dynamic, 64))

int
main(void)
{
	dynamic();
	dynamic_big();
	guided_big();
	monotonic_big();
	return check_end();
}
