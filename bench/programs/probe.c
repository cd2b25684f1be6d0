/* The machine, without a runtime. `probe line A B` prints the quartiles of a cache line's round trip between two PUs in
   ns. `probe share A B` prints the share of each PU that a busy thread gets. The driver calls it around every run. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include "bench.h"

enum { BATCHES = 33, TRIPS = 60, SHARE_MS = 60 };

static int pus[2];
static _Alignas(128) unsigned ball;
static _Alignas(128) double shares[2];

static void
bind_self(int pu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(pu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof set, &set)) {
		fprintf(stderr, "probe: PU %d cannot be used; nothing was measured\n", pu);
		exit(2);
	}
}

static void
ball_wait(unsigned value)
{
	while (__atomic_load_n(&ball, __ATOMIC_ACQUIRE) != value) {
#if defined __x86_64__
		__builtin_ia32_pause();
#endif
	}
}

static void *
echo(void *arg)
{
	bind_self(pus[1]);
	for (unsigned i = 0; i < BATCHES * TRIPS; i++) {
		ball_wait(2 * i + 1);
		__atomic_store_n(&ball, 2 * i + 2, __ATOMIC_RELEASE);
	}
	return arg;
}

static void
probe_line(void)
{
	struct bench_samples s = {0};
	pthread_t other;
	bind_self(pus[0]);
	pthread_create(&other, NULL, echo, NULL);
	for (unsigned batch = 0, i = 0; batch < BATCHES; batch++) {
		double start = bench_now();
		for (unsigned end = i + TRIPS; i < end; i++) {
			__atomic_store_n(&ball, 2 * i + 1, __ATOMIC_RELEASE);
			ball_wait(2 * i + 2);
		}
		/* The first batch contains the other thread's start. */
		if (batch)
			s.ns[s.count++] = (bench_now() - start) / TRIPS;
	}
	pthread_join(other, NULL);
	bench_samples_sort(&s);
	printf("line %.1f %.1f %.1f\n", s.ns[s.count / 4], s.ns[s.count / 2], s.ns[s.count * 3 / 4]);
}

static void *
busy(void *arg)
{
	long which = (long)arg;
	bind_self(pus[which]);
	struct timespec cpu0, cpu1;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu0);
	double start = bench_now(), end;
	while ((end = bench_now()) - start < SHARE_MS * 1e6)
		bench_delay(100);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu1);
	shares[which] = ((cpu1.tv_sec - cpu0.tv_sec) * 1e9 + (cpu1.tv_nsec - cpu0.tv_nsec)) / (end - start);
	return NULL;
}

int
main(int argc, char **argv)
{
	if (argc != 4)
		return bench_usage("probe line|share PU PU");
	pus[0] = atoi(argv[2]);
	pus[1] = atoi(argv[3]);
	if (!strcmp(argv[1], "line")) {
		probe_line();
		return 0;
	}
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, busy, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("share %.4f %.4f\n", shares[0], shares[1]);
	return 0;
}
