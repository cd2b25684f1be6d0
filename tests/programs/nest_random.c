// Random nested regions, three deep, with barriers inside 2 to 33 outer members: storage, identity, malloc, counts.
// NEST_SEED=n replays.
// env: OMP_NUM_THREADS=2
// env: OMP_NUM_THREADS=3
// env: OMP_NUM_THREADS=5
// env: OMP_NUM_THREADS=8
// env: OMP_NUM_THREADS=33
// limit: 40
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

static __thread unsigned long local;
static long members, expected;

static unsigned
draw(unsigned *state, unsigned limit)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 10) % limit;
}

static void
node(unsigned seed, int depth)
{
	int children = 1 + draw(&seed, 4), work = draw(&seed, 3), barriers = draw(&seed, 3);
	pthread_t self = pthread_self();
	unsigned long mine = seed | 1;

	local = mine;
	if (depth == 3)
		return;
	__atomic_fetch_add(&expected, children, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(children)
	{
		unsigned me = omp_get_thread_num(), own = seed + me * 7919 + depth;
		char *memory = malloc(64 + draw(&own, 2000));
		unsigned long mark = (unsigned long)seed << 8 | me;

		CHECK(omp_get_num_threads() == children && omp_get_level() == depth + 1);
		__atomic_fetch_add(&members, 1, __ATOMIC_RELAXED);
		memset(memory, (int)me, 64);
		local = mark;
		errno = (int)me + 1;
		if (work)
			check_burn(work * 5);
		for (int b = 0; b < barriers; b++) {
#pragma omp barrier
			CHECK(local == mark && errno == (int)me + 1, "at depth %d", depth);
		}
		node(own, depth + 1);
		local = mark;
		if (barriers) {
#pragma omp barrier
		}
		CHECK(local == mark);
		CHECK((int)omp_get_thread_num() == (int)me && omp_get_level() == depth + 1);
		for (int i = 0; i < 64; i++)
			CHECK(memory[i] == (char)me);
		free(memory);
		if (me == 0)
			local = mine;
	}
	CHECK(local == mine && pthread_equal(self, pthread_self()), "after depth %d", depth);
}

int
main(void)
{
	const char *given = getenv("NEST_SEED");
	unsigned seed = given ? (unsigned)atoi(given) : (unsigned)(time(NULL) ^ getpid());
	int threads = omp_get_max_threads();

	printf("NEST_SEED=%u\n", seed);
	omp_set_max_active_levels(4);
	for (int round = 0; round < 12; round++) {
#pragma omp parallel
		{
			unsigned own = seed + round * 65537 + omp_get_thread_num() * 257;

			for (int i = 0; i < 4; i++) {
				node(own + i, 1);
				if (i % 2) {
#pragma omp barrier
					CHECK(omp_get_num_threads() == threads);
				}
			}
		}
	}
	CHECK(members == expected, "%ld of %ld", members, expected);
	return check_end();
}
