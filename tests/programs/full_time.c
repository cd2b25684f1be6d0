// Timed waits in bodies last their full time and are not interrupted while others compute on the same PUs.
// threads: 2 8 16
// cpus: 2
#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "check.h"

#define TIMED(what, call, expect)                                                 \
	do {                                                                          \
		double t = check_now();                                                   \
		errno = 0;                                                                \
		long r = (call);                                                          \
		int e = errno;                                                            \
		t = check_now() - t;                                                      \
		CHECK(expect, what ": result %ld, errno %d", r, e);                       \
		CHECK(t >= 0.0295, what ": %.4f s", t);                                   \
	} while (0)

/* Waits until a moment of a clock, which may be near by the time that the wait begins. */
#define TIMED_UNTIL(what, clock, call, expect)                                    \
	do {                                                                          \
		struct timespec now;                                                      \
		until = in_30ms(clock);                                                   \
		errno = 0;                                                                \
		long r = (call);                                                          \
		int e = errno;                                                            \
		clock_gettime(clock, &now);                                               \
		double left = until.tv_sec - now.tv_sec + (until.tv_nsec - now.tv_nsec) * 1e-9; \
		CHECK(expect, what ": result %ld, errno %d", r, e);                       \
		CHECK(left <= 0.0005, what ": %.4f s too early", left);                   \
	} while (0)

static struct timespec
in_30ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 30000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void
waits(int ends)
{
	struct timespec span = {0, 30000000}, until;
	struct timeval tv = {0, 30000};
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct pollfd fd = {ends, POLLIN, 0};
	struct epoll_event event;
	sem_t sem;
	int epoll = epoll_create1(0);

	sem_init(&sem, 0, 0);
	TIMED("usleep", usleep(30000), r == 0);
	TIMED("nanosleep", nanosleep(&span, NULL), r == 0);
	TIMED("poll", poll(&fd, 1, 30), r == 0);
	TIMED("select", select(0, NULL, NULL, NULL, &tv), r == 0);
	TIMED("epoll_wait", epoll_wait(epoll, &event, 1, 30), r == 0);
	TIMED_UNTIL("sem_timedwait", CLOCK_REALTIME, sem_timedwait(&sem, &until), r == -1 && e == ETIMEDOUT);
	pthread_mutex_lock(&mutex);
	TIMED_UNTIL("cond_timedwait", CLOCK_REALTIME, pthread_cond_timedwait(&cond, &mutex, &until), r == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	TIMED_UNTIL("clock_nanosleep", CLOCK_MONOTONIC, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL),
		    r == 0);
	close(epoll);
	sem_destroy(&sem);
}

int
main(void)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	/* Half of the members compute until the other half has waited for everything, whichever members share a PU. */
	for (int shift = 0; shift < 2; shift++) {
		int waiting = 0, waiters = 0;

		for (int i = 0; i < omp_get_max_threads(); i++)
			waiters += i >> shift & 1;
#pragma omp parallel
		if (omp_get_thread_num() >> shift & 1) {
			waits(ends[0]);
			__atomic_fetch_add(&waiting, 1, __ATOMIC_RELEASE);
		} else
			while (__atomic_load_n(&waiting, __ATOMIC_ACQUIRE) < waiters)
				check_burn(50);
	}
	/* A waiter that comes first, the others have still to begin. */
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
	if (omp_get_thread_num() == 0)
		waits(ends[0]);
	else
		check_burn(30000);
	return check_end();
}
