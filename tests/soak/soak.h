/* The common part of the programs that generate.py writes. A statement adds to a sum of the region around it; behind
 * the region stands the right sum, which no schedule changes. The program ends with a checksum over all statements. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long soak_failures, soak_serial;
static int soak_stock;	 /* runs on gcc's libgomp: a child of a fork opens no region, it would hang */
static int soak_inexact; /* teams may be smaller than asked for */
static int soak_null;	 /* /dev/null, for writing */

static void
soak_fail(const char *where, const char *what, long got, long wanted)
{
	if (__atomic_fetch_add(&soak_failures, 1, __ATOMIC_RELAXED) < 10)
		fprintf(stderr, "wrong: %s: %s is %ld, should be %ld\n", where, what, got, wanted);
}

#define SAME(where, what, got, wanted)                                                                                 \
	do {                                                                                                           \
		long got_ = (long)(got), wanted_ = (long)(wanted);                                                     \
		if (got_ != wanted_)                                                                                   \
			soak_fail(where, what, got_, wanted_);                                                         \
	} while (0)

#define WITHIN(where, what, got, least, most)                                                                          \
	do {                                                                                                           \
		long within_ = (long)(got);                                                                            \
		if (within_ < (least) || within_ > (most))                                                             \
			soak_fail(where, what, within_, within_ < (least) ? (least) : (most));                         \
	} while (0)

__attribute__((unused)) static void
add(long *sum, long value)
{
	__atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

/* A number that no other call returns. */
__attribute__((unused)) static long
fresh(void)
{
	return __atomic_add_fetch(&soak_serial, 1, __ATOMIC_RELAXED);
}

__attribute__((unused)) static void
burn(int turns)
{
	for (volatile int i = 0; i < turns; i++)
		;
}

/* errno is read anew: after a switch of threads its address need not be, but a compiler may keep it across a construct.
 * */
__attribute__((unused, noinline)) static int
soak_errno(void)
{
	return errno;
}

__attribute__((unused, noinline)) static void
soak_errno_set(int value)
{
	errno = value;
}

__attribute__((unused)) static long
fib(long n)
{
	long a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a) if (n & 1)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

/* An event fulfilled by a thread of which the runtime knows nothing. */
__attribute__((unused)) static void *
soak_fulfil(void *arg)
{
	omp_event_handle_t event;
	memcpy(&event, arg, sizeof event);
	free(arg);
	usleep(50);
	omp_fulfill_event(event);
	return NULL;
}

__attribute__((unused)) static void
soak_fulfil_elsewhere(omp_event_handle_t event)
{
	pthread_t thread;
	void *copy = malloc(sizeof event);
	memcpy(copy, &event, sizeof event);
	if (pthread_create(&thread, NULL, soak_fulfil, copy) != 0)
		abort();
	pthread_detach(thread);
}

struct soak_meeting {
	pthread_mutex_t mutex;
	pthread_cond_t all_here;
	long here;
};
#define SOAK_MEETING {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}

/* Returns when `all` calls have been made. */
__attribute__((unused)) static void
soak_meet(struct soak_meeting *meeting, long all)
{
	pthread_mutex_lock(&meeting->mutex);
	if (++meeting->here == all)
		pthread_cond_broadcast(&meeting->all_here);
	while (meeting->here < all)
		pthread_cond_wait(&meeting->all_here, &meeting->mutex);
	pthread_mutex_unlock(&meeting->mutex);
}

/* Rounding, and on x86-64 whether small numbers are zero. */
struct soak_modes {
	int rounding;
	unsigned flush;
};

/* What the modes do to three quotients: other modes give another answer. */
__attribute__((unused, noinline)) static int
soak_modes(void)
{
	static volatile double one = 1, three = 3, ten = 10;
	static volatile long double one_long = 1, ten_long = 10;
	static volatile float tiny = 1e-38f;
	double third = one / three, below = -one / three, tenth = one / ten;
	return (third > 0x1.5555555555555p-2) | (below < -0x1.5555555555555p-2) << 1 |
	       (tenth < 0x1.999999999999ap-4) << 2 | (one_long / ten_long == (long double)0.1L) << 3 |
	       (tiny / 16 == 0) << 4;
}

__attribute__((unused)) static struct soak_modes
soak_modes_set(int rounding, int flush)
{
	struct soak_modes before = {fegetround(), 0};
	fesetround(rounding);
#ifdef __x86_64__
	before.flush = __builtin_ia32_stmxcsr();
	if (flush)
		__builtin_ia32_ldmxcsr(before.flush | 0x8040);
#else
	(void)flush;
#endif
	return before;
}

__attribute__((unused)) static void
soak_modes_back(struct soak_modes before)
{
	fesetround(before.rounding);
#ifdef __x86_64__
	__builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0x8040u) | (before.flush & 0x8040));
#endif
}

/* Of each statement its sum, divided by its `times`: it must be `unit`. */
static long soak_values[SOAK_TOTALS + 1];

__attribute__((unused)) static void
total(unsigned index, const char *where, long sum, long unit, long times)
{
	SAME(where, "sum", sum, unit * times);
	__atomic_store_n(&soak_values[index], sum / times, __ATOMIC_RELAXED);
}

__attribute__((unused)) static void
soak_begin(void)
{
	alarm(1000);
	soak_stock = getenv("SOAK_STOCK") != NULL;
	soak_inexact = getenv("SOAK_INEXACT") != NULL;
	soak_null = open("/dev/null", O_WRONLY);
}

__attribute__((unused)) static int
soak_end(unsigned long wanted)
{
	unsigned long sum = 0;
	for (unsigned i = 0; i < SOAK_TOTALS; i++)
		sum = sum * 31 + (unsigned long)soak_values[i];
	SAME("end", "checksum", sum, wanted);
	printf("checksum %016lx\n", sum);
	return soak_failures != 0;
}
