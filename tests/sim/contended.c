/* All members want one lock: `contended critical|lock MEMBERS PER SKEW`. Prints how often the lock was taken, and the
 * most other turns that a member has waited for. With a skew, members work longer outside the more, the higher their
 * number. */
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned turns, longest, inside;

static void
turn(unsigned before)
{
	if (__atomic_exchange_n(&inside, 1, __ATOMIC_RELAXED))
		abort();
	unsigned waited = turns++ - before;
	if (waited > longest)
		longest = waited;
	fgomp_sim_work(100);
	__atomic_store_n(&inside, 0, __ATOMIC_RELAXED);
}

int
main(int argc, char **argv)
{
	if (argc != 5)
		return 1;
	int by_lock = !strcmp(argv[1], "lock"), n = atoi(argv[2]), per = atoi(argv[3]), skew = atoi(argv[4]);
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel num_threads(n)
	for (int i = 0; i < per; i++) {
		unsigned before = __atomic_load_n(&turns, __ATOMIC_RELAXED);
		if (by_lock) {
			omp_set_lock(&lock);
			turn(before);
			omp_unset_lock(&lock);
		} else {
#pragma omp critical
			turn(before);
		}
		fgomp_sim_work(100 + skew * omp_get_thread_num());
	}
	omp_destroy_lock(&lock);
	printf("%u %u\n", turns, longest);
	return 0;
}
