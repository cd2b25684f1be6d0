// Tasks with mutexinoutset on one variable exclude each other and do not wait for each other's turn; tasks before and
// after are ordered.
// threads: 1 2 8
// cpus: 2
// stock: fails (it runs them in the order of their creation)
#include <omp.h>

#include "check.h"

#define PLACES 4
#define TASKS 400

/* The first waits for a task that ends when the second has run. */
static void
any_order(void)
{
	int x = 0, m = 0, second = 0;

#pragma omp task depend(out : x) shared(second)
	while (!__atomic_load_n(&second, __ATOMIC_SEQ_CST))
		;
#pragma omp task depend(in : x) depend(mutexinoutset : m) shared(second)
	CHECK(__atomic_load_n(&second, __ATOMIC_SEQ_CST), "the second waited for the first");
#pragma omp task depend(mutexinoutset : m) shared(second)
	__atomic_store_n(&second, 1, __ATOMIC_SEQ_CST);
#pragma omp taskwait
}

static int inside[PLACES], entered[PLACES];

static void
visit(int a, int b)
{
	CHECK(__atomic_add_fetch(&inside[a], 1, __ATOMIC_SEQ_CST) == 1, "two at %d", a);
	CHECK(a == b || __atomic_add_fetch(&inside[b], 1, __ATOMIC_SEQ_CST) == 1, "two at %d", b);
	entered[a]++;
	entered[b]++;
	check_burn(5);
	__atomic_sub_fetch(&inside[a], 1, __ATOMIC_SEQ_CST);
	if (a != b)
		__atomic_sub_fetch(&inside[b], 1, __ATOMIC_SEQ_CST);
}

/* Some run at their creation, some have to be waited for there. */
static void
exclusion(void)
{
	int wanted = 0, all = 0;

	for (int i = 0; i < TASKS; i++) {
		int a = i * 7 % PLACES, b = i * 3 / 5 % PLACES;
#pragma omp task depend(mutexinoutset : inside[a], inside[b]) if (i % 50 != 49)
		visit(a, b);
		wanted += 2;
		if (i % 100 == 99)
#pragma omp task depend(in : inside[0]) depend(inout : inside[1]) depend(mutexinoutset : inside[2])
			CHECK(!inside[0] && !inside[1] && !inside[2]);
	}
#pragma omp taskwait depend(in : inside[3])
	CHECK(!inside[3]);
#pragma omp task depend(iterator(i = 0 : PLACES), in : inside[i]) shared(all)
	for (int i = 0; i < PLACES; i++)
		all += entered[i];
#pragma omp taskwait
	CHECK(all == wanted, "%d visits of %d", all, wanted);
}

/* The lock of an event's task is free when the event has happened. */
static void
detached(void)
{
	int m = 0, runs = 0;
	omp_event_handle_t event;

#pragma omp task depend(mutexinoutset : m) detach(event) shared(runs)
#pragma omp atomic
	runs++;
#pragma omp task depend(mutexinoutset : m) shared(runs)
#pragma omp atomic
	runs++;
	CHECK(__atomic_load_n(&runs, __ATOMIC_SEQ_CST) <= 1, "the second ran before the event");
	omp_fulfill_event(event);
#pragma omp taskwait
	CHECK(runs == 2, "%d", runs);
}

int
main(void)
{
#pragma omp parallel
#pragma omp single
	{
		if (omp_get_num_threads() > 1)
			any_order();
		exclusion();
		detached();
	}
	return check_end();
}
