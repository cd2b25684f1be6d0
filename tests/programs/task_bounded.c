// One producer makes many more tasks than it may keep: those that wait for others, and those with a priority. Memory
// stays bounded; and where all wait for something that only the producer will do, it goes on.
// threads: 1 2 8
// env: OMP_MAX_TASK_PRIORITY=3
// env: OMP_MAX_TASK_PRIORITY=3 FGOMP_THREADS=kernel
// limit: 20
// stock: fails (it keeps 64 tasks for each thread, and waits for ever where the producer would have to go on)
#include <omp.h>
#include <sched.h>
#include <sys/resource.h>

#include "check.h"

#define MANY 300000
#define MEGABYTES 40

static long chain, cells[16], plain;

static void
dependent(void)
{
	for (long i = 0; i < MANY; i++) {
		long *cell = &cells[i % 16];
#pragma omp task depend(inout : chain)
		chain++;
#pragma omp task depend(inout : *cell) firstprivate(cell)
		++*cell;
	}
}

static void
with_priority(void)
{
	for (long i = 0; i < MANY; i++) {
#pragma omp task priority(1 + i % 3)
		__atomic_fetch_add(&plain, 1, __ATOMIC_RELAXED);
	}
}

static void
body(void)
{
	__atomic_fetch_add(&plain, 1, __ATOMIC_RELAXED);
}

static long
sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

static void
behind_an_event(int many)
{
	omp_event_handle_t event;
	int x = 0;
	long before = sleeps();

#pragma omp task detach(event) depend(out : x)
	body();
	for (int i = 0; i < many; i++)
#pragma omp task depend(in : x)
		body();
	/* It does not wait in vain at each of them. */
	CHECK(sleeps() - before < many / 2, "%ld sleeps", sleeps() - before);
	omp_fulfill_event(event);
#pragma omp taskwait
}

static void
behind_a_lock(int many)
{
	omp_lock_t lock;
	int x = 0;

	if (omp_get_num_threads() == 1)
		return;
	omp_init_lock(&lock);
	omp_set_lock(&lock);
	int begun = 0;
#pragma omp task depend(out : x) shared(begun, lock)
	{
		__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
	}
	while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
		sched_yield();
	for (int i = 0; i < many; i++)
#pragma omp task depend(in : x)
		body();
	omp_unset_lock(&lock);
#pragma omp taskwait
	omp_destroy_lock(&lock);
}

int
main(void)
{
	struct rusage usage;

#pragma omp parallel
#pragma omp single
	{
		dependent();
		with_priority();
	}
	CHECK(chain == MANY);
	for (int i = 0; i < 16; i++)
		CHECK(cells[i] == MANY / 16, "%ld", cells[i]);
	CHECK(plain == MANY);
	getrusage(RUSAGE_SELF, &usage);
	CHECK(usage.ru_maxrss < MEGABYTES * 1024, "%ld kB", usage.ru_maxrss);
	plain = 0;
#pragma omp parallel
#pragma omp single
	{
		behind_an_event(20000);
		behind_a_lock(20000);
	}
	CHECK(plain == 20001 + (omp_get_max_threads() > 1) * 20000, "%ld", plain);
	return check_end();
}
