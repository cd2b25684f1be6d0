// The start form of old compilers' regions and loops, by their names in the library: objects of other compilers still
// call it.
// threads: 1 2 8
#include <omp.h>
#include <stdbool.h>

#include "check.h"

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_dynamic_start(void (*fn)(void *), void *data, unsigned threads, long, long, long, long);
bool GOMP_loop_dynamic_next(long *start, long *end);
void GOMP_loop_end_nowait(void);
void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads, unsigned count);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

static void
body(void *data)
{
	__atomic_fetch_add((int *)data, 1 + 1000 * omp_get_thread_num(), __ATOMIC_RELAXED);
}

static void
loop_body(void *data)
{
	long start, end;

	while (GOMP_loop_dynamic_next(&start, &end))
		for (long i = start; i < end; i++)
			__atomic_fetch_add((int *)data, (int)i, __ATOMIC_RELAXED);
	GOMP_loop_end_nowait();
}

static void
sections_body(void *data)
{
	for (unsigned s; (s = GOMP_sections_next()) != 0;)
		__atomic_fetch_add((int *)data, (int)s, __ATOMIC_RELAXED);
	GOMP_sections_end_nowait();
}

int
main(void)
{
	int threads = omp_get_max_threads();

	for (int round = 0; round < 20; round++) {
		int value = 0;

		GOMP_parallel_start(body, &value, 0);
		CHECK(omp_get_level() == 1 && omp_get_num_threads() == threads);
		body(&value);
		GOMP_parallel_end();
		CHECK(value == threads + 500 * threads * (threads - 1), "%d", value);
		CHECK(omp_get_level() == 0);

		value = 0;
		GOMP_parallel_loop_dynamic_start(loop_body, &value, 0, 0, 100, 1, 3);
		loop_body(&value);
		GOMP_parallel_end();
		CHECK(value == 4950, "%d", value);

		value = 0;
		GOMP_parallel_sections_start(sections_body, &value, 3, 7);
		sections_body(&value);
		GOMP_parallel_end();
		CHECK(value == 28, "%d", value);
	}
	return check_end();
}
