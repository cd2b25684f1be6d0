// Cancellation of loops, sections, taskgroups and regions; one construct's cancellation does not reach the next one.
// threads: 1 2 8 64
// env: OMP_CANCELLATION=true
// env: OMP_CANCELLATION=false
#include <omp.h>
#include <string.h>

#include "check.h"

static void
loops(void)
{
	static int turns;

	for (int again = 0; again < 20; again++) {
		turns = 0;
#pragma omp parallel
		{
#pragma omp for schedule(dynamic, 1)
			for (int i = 0; i < 10000; i++) {
#pragma omp cancellation point for
				__atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST);
				if (i > 100 && omp_get_cancellation())
					usleep(100); /* the kernel may keep the thread with the third turn waiting */
#pragma omp cancel for if (i == 3)
			}
			if (omp_get_cancellation())
				CHECK(turns < 10000, "%d turns", turns);
			else
				CHECK(turns == 10000, "%d turns", turns);
#pragma omp barrier
#pragma omp single
			turns = 0;
#pragma omp for
			for (int i = 0; i < 1000; i++) {
#pragma omp cancellation point for
				__atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST);
			}
			CHECK(turns == 1000, "the next loop made %d turns", turns);
#pragma omp barrier
#pragma omp for
			for (int i = 0; i < 1000; i++)
				if (i % 10 == 0) {
#pragma omp cancel for
				}
#pragma omp sections
			{
#pragma omp section
				{
#pragma omp cancel sections
					CHECK(!omp_get_cancellation());
				}
#pragma omp section
				__atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST);
			}
		}
	}
}

static void
regions(void)
{
	static int after;

	for (int again = 0; again < 20; again++) {
		int cancelled = 0;
		after = 0;
#pragma omp parallel
		{
			if (omp_get_thread_num() == omp_get_num_threads() / 2) {
				__atomic_store_n(&cancelled, 1, __ATOMIC_SEQ_CST);
#pragma omp cancel parallel
			}
#pragma omp barrier
			__atomic_fetch_add(&after, 1, __ATOMIC_SEQ_CST);
		}
		CHECK(cancelled);
		CHECK(after == (omp_get_cancellation() ? 0 : omp_get_max_threads()), "%d went on", after);
		after = 0;
#pragma omp parallel
		{
#pragma omp barrier
			__atomic_fetch_add(&after, 1, __ATOMIC_SEQ_CST);
		}
		CHECK(after == omp_get_max_threads(), "the next region: %d", after);
	}
}

static void
groups(void)
{
	int ran = 0, later = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		for (int i = 0; i < 1000; i++)
#pragma omp task shared(ran)
		{
			__atomic_fetch_add(&ran, 1, __ATOMIC_SEQ_CST);
#pragma omp cancel taskgroup if (i == 10)
		}
#pragma omp taskgroup
		for (int i = 0; i < 100; i++)
#pragma omp task shared(later)
			__atomic_fetch_add(&later, 1, __ATOMIC_SEQ_CST);
	}
	if (omp_get_cancellation())
		CHECK(ran >= 1 && ran <= 1000, "%d", ran);
	else
		CHECK(ran == 1000, "%d", ran);
	CHECK(later == 100, "%d", later);
}

/* A thread that does not know that a task was dropped may still fulfil its event: nothing happens. */
static void
events(void)
{
	enum { TASKS = 200 };
	static omp_event_handle_t event[TASKS];
	static int started[TASKS];
	int ran = 0;

	memset(started, 0, sizeof started);
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
	for (int i = 0; i < TASKS; i++) {
		omp_event_handle_t mine;
#pragma omp task detach(mine) shared(ran)
		{
			started[i] = 1;
			__atomic_fetch_add(&ran, 1, __ATOMIC_SEQ_CST);
			omp_fulfill_event(mine);
		}
		event[i] = mine;
		if (i == TASKS / 2)
#pragma omp task if (0)
		{
#pragma omp cancel taskgroup
		}
	}
	for (int i = 0; i < TASKS; i++)
		if (!started[i])
			omp_fulfill_event(event[i]);
	CHECK(omp_get_cancellation() ? ran < TASKS : ran == TASKS, "%d", ran);
}

int
main(void)
{
	loops();
	regions();
	groups();
	events();
	return check_end();
}
