/* The virtual carrier by itself. Each context has its own thread-local storage and errno. Waits and wake-ups work.
 * The same seed gives the same order, and different seeds give different orders. Atomics are live, and each seed has
 * a process of its own. */
#define _GNU_SOURCE
#include "exec/carrier/virtual.h"
#include "base/spinlock.h"
#include "exec/ground/above.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void
made(struct fg_identity *identity)
{
	(void)identity;
}

/* There is no floor above. */
const struct fg_exec_above fg_exec_above = {.made = made};

#define CONTEXTS 4
#define ROUNDS 20

static struct fg_spinlock lock = FG_SPINLOCK_INIT(FG_RANK_POOL);
static struct fg_atomic_u32 running, turns[CONTEXTS];
static unsigned counter;
static uint64_t order;
static __thread unsigned mine;
static __thread unsigned *address;

static void
need(int truth, const char *what)
{
	if (truth)
		return;
	printf("FAIL virtual_carrier: %s\n", what);
	fflush(stdout);
	_exit(1);
}

static void
context(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	mine = me;
	address = &mine;
	errno = (int)me + 100;
	pthread_t self = pthread_self();
	for (unsigned i = 0; i < ROUNDS; i++) {
		fg_spinlock_lock(&lock);
		unsigned before = counter;
		fg_carrier->pause();
		need(counter == before, "two contexts held the lock");
		counter++;
		order = order * 1000003 + me;
		fg_spinlock_unlock(&lock);
		need(mine == me && address == &mine && errno == (int)me + 100,
		     "thread-local storage did not follow the context");
		need(pthread_equal(self, pthread_self()), "pthread_self changed");
		uint64_t start = fg_carrier->now();
		struct fg_atomic_u32 word = {0};
		fg_carrier->wait(&word, 0, 1000000);
		need(fg_carrier->now() - start >= 1000000, "a timed wait ended too early");
	}
	/* a ring: each thread waits for its neighbour's turn */
	while (fg_load_acquire(&turns[me]) == 0)
		fg_carrier->wait(&turns[me], 0, 0);
	if (me + 1 < CONTEXTS) {
		fg_store_release(&turns[me + 1], 1);
		fg_carrier->wake(&turns[me + 1], 1);
	}
	fg_sub_acq_rel(&running, 1);
	fg_carrier->wake(&running, 1);
}

static uint64_t
run(uint64_t seed)
{
	fg_virtual_seed(seed);
	fg_carrier = &fg_carrier_virtual;
	fg_store_relaxed(&running, CONTEXTS);
	mine = 77;
	for (unsigned i = 0; i < CONTEXTS; i++)
		need(fg_carrier->start(context, (void *)(uintptr_t)i, "context") == 0,
		     "a context could not be started");
	fg_store_release(&turns[0], 1);
	fg_carrier->wake(&turns[0], 1);
	for (uint32_t n; (n = fg_load_acquire(&running)) != 0;)
		fg_carrier->wait(&running, n, 0);
	need(mine == 77, "the first context's thread-local storage changed");
	need(counter == CONTEXTS * ROUNDS, "a turn was lost");
	return order;
}

static uint64_t
run_apart(uint64_t seed)
{
	int ends[2];
	uint64_t result = 0;
	need(pipe(ends) == 0, "pipe");
	pid_t child = fork();
	if (child == 0) {
		alarm(300);
		result = run(seed);
		_exit(write(ends[1], &result, sizeof result) != sizeof result);
	}
	int status;
	need(waitpid(child, &status, 0) == child && status == 0, "a run failed or hung");
	need(read(ends[0], &result, sizeof result) == sizeof result, "no result");
	close(ends[0]);
	close(ends[1]);
	return result;
}

int
main(void)
{
	enum { SEEDS = 20 };
	uint64_t results[SEEDS];
	unsigned different = 0;
	for (unsigned i = 0; i < SEEDS; i++) {
		results[i] = run_apart(i + 1);
		need(run_apart(i + 1) == results[i], "the same seed gave another order");
		unsigned j = 0;
		while (results[j] != results[i])
			j++;
		different += j == i;
	}
	need(different >= SEEDS / 2, "different seeds give the same order");
	printf("PASS virtual_carrier (%d executions, %u orders)\n", 2 * SEEDS, different);
	return 0;
}
