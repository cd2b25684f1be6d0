// What column.f90 calls of settle.h.
#include "settle.h"

enum { REMOTE = 8 };

void column_begin(const void *array, size_t bytes);
int column_settle(void (*step)(void), void (*ask)(void));
void column_ask(const void *part, size_t bytes);

static void (*ask_parts)(void);

void
column_begin(const void *array, size_t bytes)
{
	count_begin();
	count_area("array", array, bytes);
}

void
column_ask(const void *part, size_t bytes)
{
	settle_ask(part, bytes);
}

static double
away(void)
{
	ask_parts();
	return settle_share();
}

int
column_settle(void (*step)(void), void (*ask)(void))
{
	ask_parts = ask;
	size_t steps = settle(step, away, 0.05);
	if (settle_moves())
		count_expect_remote("last", "*", REMOTE);
	return (int)steps;
}
