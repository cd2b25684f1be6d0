// The program has real-time priority before its first region, so all threads of the runtime have it, too. Members wait
// for each other in the constructs of OpenMP, in the kernel, and in loops that yield: all go on, though no thread gives
// way to another of its priority. (Members that only spin would wait for ever, as docs/threads.md says.)
// threads: 2 8
// cpus: 2
// env: -
// env: FGOMP_THREADS=kernel
#include <omp.h>
#include <sched.h>

#include "check.h"

#define ROUNDS 20
#define MOST 8

static volatile int turn;
static int ends[MOST][2];

static void
yields(int me, int size)
{
	for (int round = 0; round < ROUNDS; round++) {
		while (turn != round * size + size - 1 - me)
			sched_yield();
		turn++;
	}
}

static void
blocks(int me, int size)
{
	char byte;

	for (int round = 0; round < ROUNDS; round++) {
		if (me < size - 1)
			CHECK(read(ends[me][0], &byte, 1) == 1);
		if (me > 0)
			CHECK(write(ends[me - 1][1], "", 1) == 1);
	}
}

static void
constructs(int me, int *sum)
{
	for (int round = 0; round < ROUNDS; round++) {
		if (round % MOST == me)
			usleep(100);
#pragma omp critical
		++*sum;
#pragma omp barrier
	}
}

int
main(void)
{
	struct sched_param parameters = {.sched_priority = 1};
	int size = omp_get_max_threads(), sum = 0;

	if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
		return check_skip("no real-time priority is allowed");
	for (int i = 0; i < size; i++)
		CHECK(pipe(ends[i]) == 0);
#pragma omp parallel
	{
		int me = omp_get_thread_num();

		yields(me, size);
		blocks(me, size);
		constructs(me, &sum);
	}
	CHECK(turn == ROUNDS * size && sum == ROUNDS * size, "%d %d", turn, sum);
	return check_end();
}
