// Tasks follow each other: in chains of each member, in a random web that must give the results of the order of
// creation, and behind waits in their midst. The member that has completed one may run the next itself, but not where
// its own wait is over.
// threads: 1 2 8
// env: -
// env: OMP_MAX_TASK_PRIORITY=3
// env: FGOMP_THREADS=kernel
// env: OMP_CANCELLATION=true
// limit: 40
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "check.h"

#define LINKS 700 /* more than a producer leaves unfinished */
#define MEMBERS 64

struct block {
	long word[8];
};

static struct {
	_Alignas(128) long done, also;
} cell[MEMBERS];

static void
follow(long *done, long i)
{
	CHECK(*done == i, "%ld instead of %ld", *done, i);
	++*done;
}

static void
chains(int me)
{
	long *done = &cell[me].done, *also = &cell[me].also;

	for (long i = 0; i < LINKS; i++) {
#pragma omp task depend(inout : *done)
		follow(done, i);
	}
#pragma omp taskwait
	CHECK(*done == LINKS);
	for (long i = 0; i < LINKS; i++) {
		struct block block = {{i, i + 1}};
#pragma omp task depend(inout : *done) depend(inout : *also) firstprivate(block) priority((int)(i % 4))
		{
			CHECK(block.word[1] - block.word[0] == 1);
			follow(done, LINKS + block.word[0]);
			++*also;
		}
	}
#pragma omp taskgroup
	{
		for (long i = 0; i < LINKS; i++) {
#pragma omp task depend(inout : *done)
			{
				follow(done, 2 * LINKS + i);
#pragma omp task shared(cell)
				__atomic_fetch_add(also, 1, __ATOMIC_RELAXED);
			}
		}
	}
	CHECK(*done == 3 * LINKS);
	CHECK(*also == 2 * LINKS, "%ld", *also);
	for (long i = 0; i < LINKS; i++) {
#pragma omp task depend(inout : *done) if (i % 7)
		follow(done, 3 * LINKS + i);
	}
}

/* The parent waits for the first of two; the second then waits for the parent. */
static void
wait_amidst(void)
{
	int x = 0, y = 0, z = 0, flag = 0;

#pragma omp task depend(out : x, y) shared(x, y)
	x = y = 1;
#pragma omp task depend(inout : x) shared(flag)
	while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
		sched_yield();
#pragma omp task if (0) depend(in : y) shared(y, z)
	z = y;
	CHECK(z == 1);
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
	flag = 0;
#pragma omp taskgroup
	{
#pragma omp task depend(out : x) shared(x)
		x = 2;
	}
#pragma omp task depend(inout : x) shared(flag)
	while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
		sched_yield();
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
}

#define CELLS 12
#define STEPS 4000

static unsigned long
next(unsigned long *seed)
{
	*seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
	return *seed >> 33;
}

static void
step(unsigned long *to, const unsigned long *from, const unsigned long *also)
{
	*to = *to * 31 + *from * 7 + *also + 1;
}

static void
web(unsigned long seed)
{
	unsigned long serial[CELLS], made[CELLS], first = seed;

	for (int i = 0; i < CELLS; i++)
		serial[i] = made[i] = i;
	for (int i = 0; i < STEPS; i++) {
		unsigned long *at = &serial[next(&seed) % CELLS];
		const unsigned long *one = &serial[next(&seed) % CELLS], *two = &serial[next(&seed) % CELLS];
		step(at, one, two);
	}
	for (int i = 0; i < STEPS; i++) {
		unsigned long *at = &made[next(&first) % CELLS];
		const unsigned long *one = &made[next(&first) % CELLS], *two = &made[next(&first) % CELLS];
#pragma omp task depend(inout : *at) depend(in : *one) depend(in : *two) firstprivate(at, one, two)
		step(at, one, two);
		if (i % 500 == 499) {
#pragma omp taskwait depend(in : made[0], made[CELLS - 1])
		}
	}
#pragma omp taskwait
	CHECK(!memcmp(serial, made, sizeof made), "seed %lu", seed);
}

int
main(void)
{
	for (int round = 0; round < 5; round++) {
		memset(cell, 0, sizeof cell);
#pragma omp parallel
		chains(omp_get_thread_num());
		for (int i = 0; i < omp_get_max_threads(); i++)
			CHECK(cell[i].done == 4 * LINKS, "%ld of member %d", cell[i].done, i);
#pragma omp parallel
		{
			if (omp_get_num_threads() > 1)
				wait_amidst();
			web(round * 100 + omp_get_thread_num());
		}
#pragma omp parallel
#pragma omp single
		web(1000 + round);
	}
	memset(cell, 0, sizeof cell);
	chains(0); /* outside any region */
	return check_end();
}
