// Members that sleep leave their PU to the others: the sleeps overlap, and work goes on beside them. A member that
// sleeps goes on to sleep until all others are asleep, too, or have done their work. If it kept its PU, that would
// never be.
// threads: 2 8 16
// cpus: 2
// limit: 60
#include <omp.h>

#include "check.h"

#define SLEEP_US 100000
#define ROUNDS 3

static void
sleep_until(int *count, int all)
{
	do
		usleep(SLEEP_US);
	while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < all);
}

static void
sleep_beside(int *asleep, int all)
{
	__atomic_fetch_add(asleep, 1, __ATOMIC_RELEASE);
	sleep_until(asleep, all);
}

static void
sleeps(void)
{
	int asleep = 0;
#pragma omp parallel
	sleep_beside(&asleep, omp_get_num_threads());
}

static void
nested_sleeps(void)
{
	int asleep = 0;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
	sleep_beside(&asleep, 8);
}

/* Half of them sleep until the others have done all of their work. */
static void
work_beside_sleeps(void)
{
	int done = 0, workers = omp_get_max_threads() / 2;
#pragma omp parallel
	if (omp_get_thread_num() % 2 == 0)
		sleep_until(&done, workers);
	else {
		for (int i = 0; i < 20; i++)
			check_burn(200);
		__atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
	}
	CHECK(done == workers, "%d of %d", done, workers);
}

int
main(void)
{
	omp_set_max_active_levels(2);
	for (int i = 0; i < ROUNDS; i++) {
		sleeps();
		work_beside_sleeps();
		nested_sleeps();
	}
	return check_end();
}
