// A PU is taken from the process in the midst of a region, by masks as `taskset -ap` sets them, and is given back. The
// members of the PU that is gone go on on the kernel thread of another: their thread numbers of the kernel become the
// same. Then they do all that members do: block, spin, open regions, run tasks, fork.
// cpus: 2
// threads: 2 3 4
// env: -
// env: FGOMP_SPIN=0
// env: FGOMP_SCHED=spread
// env: FGOMP_SCHED=affinity
// limit: 60
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"
#include "masks.h"

#define MOST 4

static cpu_set_t all, one;
static _Thread_local int mine;

/* Meets barriers until as many kernel threads carry the members. Every member calls it. A thread that was just being
 * made, or was just going to its PU, may have missed the mask. So the mask is set again each second. */
static void
meet_until(int kernel_threads, const cpu_set_t *mask)
{
	static double again;
	static volatile long tid[MOST];
	static volatile int different;
	double begin = check_now();
	int me = omp_get_thread_num(), n = omp_get_num_threads(), done = 0;

	while (!done) {
		for (int i = 0; i < 200; i++) {
#pragma omp barrier
		}
		tid[me] = syscall(SYS_gettid);
#pragma omp barrier
		if (me == 0) {
			different = 0;
			for (int i = 0; i < n; i++) {
				int seen = 0;
				for (int k = 0; k < i; k++)
					seen |= tid[k] == tid[i];
				different += !seen;
			}
			if (check_now() - (again > begin ? again : begin) > 1) {
				again = check_now();
				mask_all(mask);
			}
		}
#pragma omp barrier
		done = different == kernel_threads;
#pragma omp barrier
	}
}

static int ends[2], back[2];

/* One member waits in the kernel for what another writes. */
static void
block(int reader, int writer)
{
	char c = 0;
	int me = omp_get_thread_num();

	for (int i = 0; i < 3; i++) {
		if (me == reader) {
			CHECK(read(ends[0], &c, 1) == 1 && c == 'a' + i);
			CHECK(write(back[1], &c, 1) == 1);
		} else if (me == writer) {
			c = (char)('a' + i);
			usleep(300);
			CHECK(write(ends[1], &c, 1) == 1);
			CHECK(read(back[0], &c, 1) == 1);
		}
#pragma omp barrier
	}
}

/* Two members wait for each other in loops of their own, without a call of the runtime. */
static void
spin(void)
{
	static int turn;
	int me = omp_get_thread_num();

	for (int i = 0; me < 2 && i < 20; i++) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % 2 != me)
			;
		__atomic_fetch_add(&turn, 1, __ATOMIC_ACQ_REL);
	}
#pragma omp barrier
	CHECK(turn % 40 == 0, "%d turns", turn);
#pragma omp barrier
}

static void
nest(void)
{
	static int sum, locked;

	for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(3)
		{
#pragma omp atomic
			sum++;
#pragma omp barrier
#pragma omp critical
			locked++;
		}
	}
#pragma omp barrier
#pragma omp single
	{
		CHECK(sum == 60 * omp_get_num_threads() && locked == sum, "sum %d, locked %d", sum, locked);
		sum = locked = 0;
	}
}

static int
fib(int n)
{
	int a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void
everything(void)
{
	int me = omp_get_thread_num();

	mine = me;
	block(0, 1);
	block(1, 0);
	spin();
	nest();
#pragma omp single
	CHECK(fib(15) == 610);
	if (me == 1)
		check_burn(20000);
#pragma omp barrier
	CHECK(mine == me, "%d of %d", mine, me);
}

static void *
second_root(void *arg)
{
	for (int i = 0; i < 30; i++) {
		int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
		for (int k = 0; k < 10; k++) {
			sum++;
#pragma omp barrier
		}
		CHECK(sum == 20);
	}
	return arg;
}

int
main(void)
{
	int n = omp_get_max_threads(), pus;
	long rides = 0;

	omp_set_max_active_levels(2);
	omp_set_dynamic(0);
	CHECK(pipe(ends) == 0 && pipe(back) == 0);
	sched_getaffinity(0, sizeof all, &all);
	pus = CPU_COUNT(&all);
	if (pus < 2)
		return check_skip("one PU");
	for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	int workers = n < pus ? n : pus;
	for (int round = 0; round < 2; round++) {
#pragma omp parallel
		{
			meet_until(workers, &all);
#pragma omp master
			mask_all(&one);
			meet_until(1, &one);
			everything();
#pragma omp master
			mask_all(&all);
			meet_until(workers, &all);
			everything();
#pragma omp master
			mask_all(&one);
			meet_until(1, &one);
		}
		/* The riders wait while their root computes, and go on in its next regions. */
		for (int i = 0; i < 200; i++) {
#pragma omp parallel reduction(+ : rides)
			rides += mine == omp_get_thread_num();
		}
		if (round == 0) {
			pid_t child = fork();
			if (child == 0) {
#pragma omp parallel
				everything();
				_exit(check_end());
			}
			int status;
			CHECK(waitpid(child, &status, 0) == child && status == 0, "child's status %x", status);
			CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
		} else {
			pthread_t other;
			pthread_create(&other, NULL, second_root, NULL);
			second_root(NULL);
			pthread_join(other, NULL);
		}
		mask_all(&all);
	}
	CHECK(rides == 400l * n, "%ld", rides); /* a rider keeps its thread-local data */
	return check_end();
}
