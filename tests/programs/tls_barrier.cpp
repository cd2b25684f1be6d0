// Thread-local storage right after barriers: same address, same value, for each kind, in flat, oversubscribed, nested
// teams.
// threads: 1 2 8 64
#include <errno.h>
#include <omp.h>
#include <pthread.h>

#include "check.h"

struct counted {
	int value;
	counted() : value(-1) {}
};
static thread_local counted object;
static thread_local int plain = 3;
static __thread long old_style;
static int priv;
#pragma omp threadprivate(priv)
static pthread_key_t key;

static void
phases(int id, int count)
{
	counted *where = &object;
	int *cached = &plain, *cached_priv = &priv;

	for (int p = 0; p < count; p++) {
		int mark = id * 1000 + p;

		object.value = plain = priv = mark;
		old_style = -mark;
		errno = mark;
		pthread_setspecific(key, (void *)(long)(mark + 1));
#pragma omp barrier
		CHECK(errno == mark, "%d for %d", errno, mark);
		CHECK(object.value == mark && plain == mark && priv == mark && old_style == -mark, "%d %d %d",
		      object.value, plain, priv);
		CHECK(&object == where && &plain == cached && &priv == cached_priv);
		CHECK(*cached == mark && where->value == mark && *cached_priv == mark);
		CHECK(pthread_getspecific(key) == (void *)(long)(mark + 1));
#pragma omp barrier
		CHECK(*cached == mark && priv == mark);
	}
}

int
main()
{
	pthread_t self[64];
	int threads = omp_get_max_threads();

	pthread_key_create(&key, NULL);
	for (int round = 0; round < 5; round++) {
#pragma omp parallel
		{
			pthread_t before = pthread_self();

			self[omp_get_thread_num()] = before;
			phases(omp_get_thread_num() + 1, 20);
			CHECK(pthread_equal(before, pthread_self()));
			for (int i = 0; i < omp_get_num_threads(); i++)
				CHECK(i == omp_get_thread_num() || !pthread_equal(self[i], before));
		}
	}
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads < 6 ? threads : 6)
	{
		int outer = omp_get_thread_num();

		for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(4)
			phases(100 + outer * 10 + omp_get_thread_num(), 10);
		}
	}
	return check_end();
}
