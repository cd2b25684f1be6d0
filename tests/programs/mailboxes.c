// Producers of a large team leave batches of tasks in mailboxes. Each task runs once, and all that waits for tasks sees
// those in mailboxes, too: taskwait, taskgroup, dependences, barriers, events, the end of a region.
// threads: 40 96
// env: OMP_CANCELLATION=false
// env: OMP_CANCELLATION=true
#include <omp.h>
#include <string.h>

#include "check.h"

#pragma weak fgomp_sim_work
void fgomp_sim_work(unsigned ns);

#define N 900

static unsigned char times[N];

static void
work(int i)
{
	if (fgomp_sim_work)
		fgomp_sim_work(400 + 37 * (unsigned)(i % 11));
	__atomic_fetch_add(&times[i], 1, __ATOMIC_RELAXED);
}

static void
all_once(const char *where)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += times[i] != 1;
	CHECK(wrong == 0, "%d tasks, %s", wrong, where);
	memset(times, 0, sizeof times);
}

/* The producer waits for its children. Some of them have data of their own, too large for the usual blocks. */
static void
waits(void)
{
	char large[3000] = {1};

	for (int i = 0; i < N; i++)
		if (i % 50 == 7) {
#pragma omp task firstprivate(large)
			work(i + large[0] - 1);
		} else {
#pragma omp task
			work(i);
		}
#pragma omp taskwait
	all_once("taskwait");
}

/* Tasks of two groups and of none are siblings. */
static void
groups(void)
{
	for (int i = 0; i < N / 3; i++) {
#pragma omp task
		work(i);
	}
#pragma omp taskgroup
	{
		for (int i = N / 3; i < N / 2; i++) {
#pragma omp task
			work(i);
		}
#pragma omp taskgroup
		for (int i = N / 2; i < N; i++) {
#pragma omp task
			work(i);
		}
		for (int i = N / 2; i < N; i++)
			CHECK(times[i] == 1);
	}
	for (int i = N / 3; i < N; i++)
		CHECK(times[i] == 1);
#pragma omp taskwait
	all_once("taskgroup");
}

/* Each task of a chain adds to what the one before has left. Most tasks are ready at once. */
static void
depends(void)
{
	long sum[10] = {0}, wanted = 0;

	for (int i = 0; i < N; i++) {
		if (i % 8 == 0) {
#pragma omp task depend(inout : sum[i % 10]) shared(sum)
			{
				sum[i % 10] = 3 * sum[i % 10] / 2 + i;
				work(i);
			}
		} else {
#pragma omp task
			work(i);
		}
	}
#pragma omp taskwait
	for (int k = 0; k < 10; k++) {
		for (int i = k; i < N; i += 10)
			if (i % 8 == 0)
				wanted = 3 * wanted / 2 + i;
		CHECK(sum[k] == wanted);
		wanted = 0;
	}
	all_once("depend");
}

static void
clauses(void)
{
	int before = 0;

	for (int i = 0; i < N; i++)
		switch (i % 8) {
		case 1:
#pragma omp task if (0) shared(before)
			before = i;
			CHECK(before == i);
			work(i);
			break;
		case 2:
#pragma omp task final(1)
			{
				CHECK(omp_in_final());
#pragma omp task
				work(i);
			}
			break;
		case 3:
#pragma omp task priority(i % 3)
			work(i);
			break;
		default:
#pragma omp task untied
			work(i);
		}
#pragma omp taskwait
	all_once("clauses");
}

/* A detached task is complete once a later one has fulfilled its event. */
static void
detached(void)
{
	omp_event_handle_t event;

	for (int i = 0; i < N; i += 10) {
#pragma omp task detach(event)
		work(i);
#pragma omp task firstprivate(event)
		{
			work(i + 1);
			omp_fulfill_event(event);
		}
		for (int k = i + 2; k < i + 10; k++) {
#pragma omp task
			work(k);
		}
	}
#pragma omp taskwait
	all_once("detach");
}

/* Tasks of a parallel region's members are producers, too. A task that waits may take only its own descendants. */
static void
producers(void)
{
	for (int i = 0; i < N; i += N / 5) {
#pragma omp task
		{
			for (int k = i; k < i + N / 5; k++) {
#pragma omp task
				work(k);
			}
#pragma omp taskwait
			for (int k = i; k < i + N / 5; k++)
				CHECK(times[k] == 1);
		}
	}
#pragma omp taskwait
	all_once("producers");
}

static void
cancelled(void)
{
	int none = 0, more = 0;

#pragma omp taskgroup
	for (int i = 0; i < N; i++) {
#pragma omp task
		{
			work(i);
			if (i == N / 2) {
#pragma omp cancel taskgroup
			}
		}
	}
	for (int i = 0; i < N; i++) {
		none += times[i] == 0;
		more += times[i] > 1;
	}
	CHECK(more == 0 && (none == 0 || omp_get_cancellation()), "%d %d", none, more);
	memset(times, 0, sizeof times);
}

int
main(void)
{
	for (int round = 0; round < 2; round++) {
#pragma omp parallel
#pragma omp single
		{
			waits();
			groups();
			depends();
			clauses();
			detached();
			producers();
			cancelled();
			for (int i = 0; i < N; i++) {
#pragma omp task
				work(i);
			}
		}
		all_once("the end of a region");
		/* A barrier waits for tasks of all. */
#pragma omp parallel
		{
#pragma omp for nowait
			for (int part = 0; part < 3; part++)
				for (int i = part * (N / 3); i < (part + 1) * (N / 3); i++) {
#pragma omp task
					work(i);
				}
#pragma omp barrier
#pragma omp single
			all_once("a barrier");
		}
	}
	return check_end();
}
