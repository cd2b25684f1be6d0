// Detached tasks: fulfilled in the body, later by the creator, by a sibling task, by another member, by a pthread that
// the runtime has never met; taskwait, the taskgroup's end, barriers and the region's end wait for them.
// stock: fails (it runs the successors of a detached task before its event, gcc 12)
// threads: 1 2 8
#include <omp.h>
#include <pthread.h>

#include "check.h"

static omp_event_handle_t handed;
static int done, bodies;

/* gcc 12 leaves out detached tasks with nothing in them. */
static void
body(void)
{
	__atomic_fetch_add(&bodies, 1, __ATOMIC_SEQ_CST);
}

static void *
fulfill_late(void *delay)
{
	usleep(*(int *)delay);
	__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
	omp_fulfill_event(handed);
	return NULL;
}

static pthread_t
hand_to_pthread(omp_event_handle_t event, int *delay)
{
	pthread_t thread;

	done = 0;
	handed = event;
	CHECK(pthread_create(&thread, NULL, fulfill_late, delay) == 0);
	return thread;
}

static void
by_pthread(void)
{
	int delay = 20000;
	pthread_t thread;
	omp_event_handle_t event;

#pragma omp task detach(event)
	body();
	thread = hand_to_pthread(event, &delay);
#pragma omp taskwait
	CHECK(done, "taskwait did not wait");
	pthread_join(thread, NULL);

#pragma omp taskgroup
	{
#pragma omp task shared(thread, delay)
		{
#pragma omp task detach(event)
			body();
			thread = hand_to_pthread(event, &delay);
		}
	}
	CHECK(done, "the taskgroup's end did not wait");
	pthread_join(thread, NULL);
}

static void
ordered_by_depend(void)
{
	int x = 0, y = 0, before;
	omp_event_handle_t event;

#pragma omp task detach(event) depend(out : x) shared(before)
	before = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y, before)
	{
		CHECK(x == 2 && before == 1, "x is %d: the dependent task ran before the event", x);
		y = x + 1;
	}
#pragma omp task depend(in : y) shared(x, y)
	CHECK(y == 3, "%d", y);
	x = 2;
	omp_fulfill_event(event);
#pragma omp taskwait depend(in : y)
	CHECK(y == 3, "%d", y);
#pragma omp taskwait
}

/* A predecessor's event, fulfilled while an undeferred task waits for it. */
static void
undeferred(void)
{
	int x = 0, delay = 5000;
	omp_event_handle_t event;

#pragma omp task detach(event) depend(out : x) shared(x)
	x = 1;
	pthread_t thread = hand_to_pthread(event, &delay);
#pragma omp task if (0) depend(inout : x) shared(x)
	CHECK(done && x == 1, "done %d, x %d", done, x);
	pthread_join(thread, NULL);
}

int
main(void)
{
	omp_event_handle_t event;
	pthread_t thread;
	int delay = 20000, in_body = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task detach(event)
			{
				in_body = 1;
				omp_fulfill_event(event);
			}
#pragma omp taskwait
			CHECK(in_body);
			by_pthread();
			ordered_by_depend();
			undeferred();
		}
#pragma omp single
		{
#pragma omp task detach(event)
			body();
			thread = hand_to_pthread(event, &delay);
		}
		CHECK(done, "the barrier did not wait");
	}
	pthread_join(thread, NULL);
#pragma omp parallel
#pragma omp masked
	{
#pragma omp task detach(event)
		body();
		thread = hand_to_pthread(event, &delay);
	}
	CHECK(done, "the region's end did not wait");
	pthread_join(thread, NULL);

	/* Each member has detached tasks of its own, which a task of the next member ends. */
	static omp_event_handle_t ring[8][10];
	int ended = 0;
#pragma omp parallel
	{
		int me = omp_get_thread_num(), size = omp_get_num_threads(), tokens[10];
		for (int i = 0; i < 10; i++) {
			omp_event_handle_t mine;
#pragma omp task detach(mine) depend(out : tokens[i])
			body();
			__atomic_store_n(&ring[me][i], mine, __ATOMIC_SEQ_CST);
#pragma omp task depend(in : tokens[i]) shared(ended)
			__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
		}
		for (int i = 0; i < 10; i++) {
			omp_event_handle_t *theirs = &ring[(me + 1) % size][i];
			while (!__atomic_load_n(theirs, __ATOMIC_SEQ_CST)) {
#pragma omp taskyield
			}
			omp_fulfill_event(*theirs);
		}
#pragma omp taskwait
#pragma omp barrier
		CHECK(ended == 10 * size, "%d of %d", ended, 10 * size);
	}
	return check_end();
}
