/* How long a thread takes that a policy sends to another PU: from the call of fgomp_thread_send to its first
   instruction there. `send COUNT` runs with the policy send_module.so, on two PUs. Beside it: how long a thread takes
   that sleeps in a futex, from the call that wakes it. bench/send.py builds both, and runs them.

   The root of a nested team of two sends the other member T, and looks at nothing else meanwhile. PU 0 is the
   root's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"
#include "../../include/forestgomp.h"

struct send_order {
	unsigned member, pu;
	uint64_t at;
	int sent, told;
};
static struct send_order *order;
static int (*where)(void);

enum doing { YIELD, COMPUTE, BARRIER, END };
static volatile int doing, begun, waits; /* what T does; T runs; it is about to wait in the barrier */
static volatile int wanted = -1;  /* the PU where T must tell the time; -1: it has, or need not */
static volatile long there;	  /* the kernel thread that carried it then */
static volatile double arrived;
static char area[64];

static long
kernel_thread(void)
{
	long number;
#ifdef __x86_64__
	__asm__ volatile("syscall" : "=a"(number) : "0"((long)SYS_gettid) : "rcx", "r11", "memory");
#else
	number = syscall(SYS_gettid);
#endif
	return number;
}

/* The clock comes last: T may be taken off its PU between any two of these. */
static void
look(void)
{
	if (wanted >= 0 && where() == wanted) {
		arrived = bench_now();
		there = kernel_thread();
		wanted = -1;
	}
}

/* The same without a call: a tick that meets a thread in the runtime or in the C library lets it go on for a while. */
static void
look_at_kernel_thread(void)
{
	if (wanted >= 0 && kernel_thread() != there) {
		arrived = bench_now();
		wanted = -1;
	}
}

static void
sent_member(void)
{
	begun = 1;
	for (int now; (now = doing) != END;) {
		if (now == YIELD)
			sched_yield();
		if (now == BARRIER) {
			waits = 1;
#pragma omp barrier
		}
		if (now == COMPUTE)
			look_at_kernel_thread();
		else
			look();
		if (now == BARRIER)
			doing = YIELD;
	}
}

/* Sends T, and returns the time of the call. */
static double
send(unsigned pu)
{
	order->member = 1;
	order->pu = pu;
	order->told = 0;
	wanted = (int)pu;
	double before = bench_now();
	fgomp_attach_area(&area, sizeof area, FGOMP_READ);
	fgomp_detach_area(&area, sizeof area);
	if (!order->sent) {
		fprintf(stderr, "send: the policy could not send the thread\n");
		exit(1);
	}
	return (double)order->at < before ? before : (double)order->at;
}

static void
until_there(int yields)
{
	while (wanted >= 0)
		if (yields)
			sched_yield();
}

static void
bring(unsigned pu, int then)
{
	doing = YIELD;
	send(pu);
	until_there(1);
	doing = then;
}

/* T lies on the root's PU, ready; PU 1 is idle. */
static double
ready(void)
{
	bring(0, YIELD);
	for (int i = 0; i < 3; i++)
		sched_yield();
	double at = send(1);
	until_there(0);
	return arrived - at;
}

/* T runs on PU 1 and comes to switch points all the time; PU 0 looks for work. */
static double
yields(void)
{
	bring(1, YIELD);
	double at = send(0);
	until_there(1);
	return arrived - at;
}

static double
computes(void)
{
	bring(1, COMPUTE);
	double at = send(0);
	until_there(1);
	doing = YIELD;
	return arrived - at;
}

/* T waits in a barrier and is sent. The time begins when the root opens the barrier. */
static double
barrier(void)
{
	bring(0, YIELD);
	waits = 0;
	doing = BARRIER;
	while (!waits)
		sched_yield();
	for (int i = 0; i < 3; i++)
		sched_yield();
	send(1);
	double at = bench_now();
#pragma omp barrier
	until_there(0);
	return arrived - at;
}

static void
measure(const char *name, double (*one)(void), int count)
{
	struct bench_samples samples = {0};
	for (int i = 0; i < count + 4; i++) {
		double took = one();
		if (i >= 4)
			samples.ns[samples.count++] = took;
	}
	bench_samples_sort(&samples);
	bench_report_samples(name, "us", &samples, 1e3);
}

static int word;
static volatile double woken;

static void *
sleeper(void *unused)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(1, &one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) /* the second of the process's CPUs: the caller is on the first */
		if (unused && CPU_ISSET(cpu, (cpu_set_t *)unused)) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
		}
	sched_setaffinity(0, sizeof one, &one);
	for (;;) {
		while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
		woken = bench_now();
		if (__atomic_exchange_n(&word, 0, __ATOMIC_ACQ_REL) == 2)
			return NULL;
	}
}

static double
futex(void)
{
	bench_sleep_ms(1);
	woken = 0;
	double at = bench_now();
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	while (woken == 0)
		;
	return woken - at;
}

/* The caller is on the first of the process's CPUs, the sleeper on the last. */
static void
measure_futex(int count)
{
	cpu_set_t all, first;
	sched_getaffinity(0, sizeof all, &all);
	CPU_ZERO(&first);
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) == 0; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &first);
	pthread_t thread;
	pthread_create(&thread, NULL, sleeper, &all);
	sched_setaffinity(0, sizeof first, &first);
	measure("futex", futex, count);
	__atomic_store_n(&word, 2, __ATOMIC_RELEASE);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	pthread_join(thread, NULL);
	sched_setaffinity(0, sizeof all, &all);
}

static void
measure_sends(int count)
{
	while (!begun)
		sched_yield();
	measure("ready", ready, count);
	measure("yields", yields, count);
	measure("barrier", barrier, count);
	measure("computes", computes, count);
	doing = END;
}

int
main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;
	if (count < 1 || count > BENCH_SAMPLES_MAX - 8)
		return bench_usage("send COUNT, at most 248 times");
	const char *policy = getenv("FGOMP_SCHED");
	void *module = policy ? dlopen(policy, RTLD_NOW | RTLD_NOLOAD) : NULL;
	order = module ? dlsym(module, "send_order") : NULL;
	where = module ? (int (*)(void))dlsym(module, "send_where") : NULL;
	if (!order || !where) {
		fprintf(stderr, "send: FGOMP_SCHED must name send_module.so\n");
		return 2;
	}
	measure_futex(count);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
		if (omp_get_thread_num() == 0)
			measure_sends(count);
		else
			sent_member();
	}
	return 0;
}
