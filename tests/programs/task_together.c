// Tasks of large teams: groups, detached tasks, dependences, nested families, cancellation. Some tasks wait for a thing
// that another thread does only once others of their siblings are complete.
// threads: 40
// env: OMP_CANCELLATION=true
#include <omp.h>
#include "check.h"

#define TASKS 400

static int flag, early, ran, fulfilled;

/* Tasks in no group, older than those of the group, wait for the end of the group. The thread that waits for the group
 * may take one of them, as the specification has it (OpenMP 5.1, 2.12.6). It would never end if it waited there. */
static void
waits_for_group(void)
{
	int maker = omp_get_thread_num();
	for (int i = 0; i < 3; i++) {
#pragma omp task
		{
			while (omp_get_thread_num() != maker && !__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
			}
			__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
		}
	}
#pragma omp taskgroup
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		__atomic_add_fetch(&early, 1, __ATOMIC_RELAXED);
	}
	CHECK(early == TASKS);
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
	CHECK(ran == 3);
}

static int
nested(int depth)
{
	int sum[4] = {0}, all = 1;
	if (depth == 0)
		return 1;
	for (int i = 0; i < 4; i++) {
#pragma omp task shared(sum)
		sum[i] = nested(depth - 1);
	}
#pragma omp taskwait
	for (int i = 0; i < 4; i++)
		all += sum[i];
	return all;
}

static void
detached(void)
{
	int done = 0;
#pragma omp taskgroup
	for (int i = 0; i < TASKS / 4; i++) {
		omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
		__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
#pragma omp task firstprivate(event)
		{
			omp_fulfill_event(event);
			__atomic_add_fetch(&fulfilled, 1, __ATOMIC_RELAXED);
		}
	}
	CHECK(done == TASKS / 4 && fulfilled == TASKS / 4);
}

static void
cancelled(void)
{
	int begun = 0;
#pragma omp taskgroup
	for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(begun)
		if (__atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED) > TASKS / 4) {
#pragma omp cancel taskgroup
		}
	}
	CHECK(begun > 0 && begun <= TASKS);
}

static void
after_each_other(void)
{
	int value[8] = {0};
	for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : value[i % 8]) shared(value) firstprivate(i)
		value[i % 8] += i % 8 + 1;
#pragma omp task if (0)
		__atomic_add_fetch(&early, 1, __ATOMIC_RELAXED);
	}
#pragma omp taskwait
	for (int i = 0; i < 8; i++)
		CHECK(value[i] == TASKS / 8 * (i + 1));
}

int
main(void)
{
	for (int again = 0; again < 3; again++) {
		flag = early = ran = fulfilled = 0;
#pragma omp parallel
#pragma omp single
		{
			waits_for_group();
			CHECK(nested(5) == 1365);
			detached();
			cancelled();
			after_each_other();
		}
		CHECK(early == 2 * TASKS);
	}
	return check_end();
}
