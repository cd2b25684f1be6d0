/* Code of a user that busy-waits for a flag of another member, and never yields: does a runtime or a kernel let all
   members run? `spin ring N`: the flag goes from member to member. `spin meet N`: the last of N to arrive sets the flag
   that the others wait for. Both take 50 rounds. */
#include <omp.h>
#include "bench.h"

enum { ROUNDS = 50, THREADS_MAX = 64 };

static int threads;
static struct {
	_Alignas(128) int round;
} flags[THREADS_MAX];
static _Alignas(128) int arrived;
static _Alignas(128) int released;

static void
wait_for(const int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
		;
}

static void
ring(int member)
{
	for (int round = 1; round <= ROUNDS; round++) {
		/* Member 0 starts a round when the last member has ended the round before. */
		wait_for(&flags[member ? member - 1 : threads - 1].round, member ? round : round - 1);
		__atomic_store_n(&flags[member].round, round, __ATOMIC_RELEASE);
	}
}

static void
meet(int member)
{
	(void)member;
	for (int round = 1; round <= ROUNDS; round++) {
		if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == threads * round)
			__atomic_store_n(&released, round, __ATOMIC_RELEASE);
		else
			wait_for(&released, round);
	}
}

int
main(int argc, char **argv)
{
	if (argc != 3 || (threads = atoi(argv[2])) < 1 || threads > THREADS_MAX)
		return bench_usage("spin ring|meet THREADS, at most 64");
	void (*play)(int member) = strcmp(argv[1], "ring") ? meet : ring;
	char name[32];
	double start = bench_now();
#pragma omp parallel num_threads(threads)
	play(omp_get_thread_num());
	double took = bench_now() - start;
	snprintf(name, sizeof name, "%s_%d", argv[1], threads);
	bench_report(name, "ms", took / 1e6, took / 1e6, 0);
	return 0;
}
