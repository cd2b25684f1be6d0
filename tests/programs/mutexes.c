// pthread mutexes that know their owner (recursive, error-checking) held over constructs that switch.
// threads: 1 2 8 32
#include <errno.h>
#include <omp.h>
#include <pthread.h>

#include "check.h"

static pthread_mutex_t
made(int type)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t mutex;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutex_init(&mutex, &attr);
	return mutex;
}

int
main(void)
{
	pthread_mutex_t shared = made(PTHREAD_MUTEX_RECURSIVE), checked = made(PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_t plain = made(PTHREAD_MUTEX_NORMAL);
	long count = 0, other = 0;
	int threads = omp_get_max_threads();

	omp_set_max_active_levels(2);
#pragma omp parallel
	for (int i = 0; i < 20; i++) {
		/* Each its own, over barriers. */
		pthread_mutex_t own = made(i % 2 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK);

		CHECK(pthread_mutex_lock(&own) == 0);
#pragma omp barrier
		CHECK(pthread_mutex_lock(&own) == (i % 2 ? 0 : EDEADLK));
#pragma omp barrier
		if (i % 2)
			CHECK(pthread_mutex_unlock(&own) == 0);
		CHECK(pthread_mutex_unlock(&own) == 0);
		CHECK(pthread_mutex_unlock(&own) == EPERM);

		/* One for all, held while the holder waits for constructs that the others do not hold. */
		CHECK(pthread_mutex_lock(&shared) == 0);
		CHECK(pthread_mutex_lock(&shared) == 0);
#pragma omp critical
		count++;
		if (i % 7 == 0) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
			other++;
		}
		if (i % 5 == 0)
			usleep(100);
		CHECK(pthread_mutex_unlock(&shared) == 0);
		CHECK(pthread_mutex_unlock(&shared) == 0);

		CHECK(pthread_mutex_lock(&checked) == 0);
		CHECK(pthread_mutex_lock(&checked) == EDEADLK);
		CHECK(pthread_mutex_unlock(&checked) == 0);
	}
	CHECK(count == 20l * threads && other == 6l * threads, "%ld %ld", count, other);

	/* Held by a member that computes longer than any time slice, wanted by all the others. */
	count = 0;
#pragma omp parallel
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&plain);
		count++;
		check_burn(8000);
		pthread_mutex_unlock(&plain);
	}
	CHECK(count == 2l * threads);

	/* Another member's mutex: not the owner. */
	pthread_mutex_lock(&checked);
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num()) {
		CHECK(pthread_mutex_unlock(&checked) == EPERM);
		CHECK(pthread_mutex_trylock(&checked) == EBUSY);
	}
	CHECK(pthread_mutex_unlock(&checked) == 0);
	return check_end();
}
