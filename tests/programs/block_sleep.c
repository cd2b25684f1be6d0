// Members that sleep leave their PU to the others: the sleeps overlap, and work goes on beside them.
// threads: 2 8 16
// cpus: 2
#include <omp.h>

#include "check.h"

int
main(void)
{
	int threads = omp_get_max_threads();
	double start = check_now(), took;
	long worked = 0;

#pragma omp parallel
	usleep(100000);
	took = check_now() - start;
	CHECK(took >= 0.1 && took < 0.1 * (threads > 4 ? threads / 2 : 2) + 0.2, "%d sleeps took %.3f s", threads, took);

	/* Half of them sleep long; the others do something meanwhile, and all of it. */
	start = check_now();
	double done = 0;
#pragma omp parallel reduction(+ : worked) reduction(max : done)
	if (omp_get_thread_num() % 2 == 0)
		usleep(400000);
	else {
		for (int i = 0; i < 20; i++) {
			check_burn(200);
			worked++;
		}
		done = check_now() - start;
	}
	took = check_now() - start;
	CHECK(worked == 20l * (threads / 2), "%ld", worked);
	CHECK(done < 0.35, "the work was done after %.3f s", done);
	CHECK(took >= 0.4 && took < 0.9, "%.3f s", took);

	/* In nested regions. */
	omp_set_max_active_levels(2);
	start = check_now();
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
	usleep(100000);
	took = check_now() - start;
	CHECK(took >= 0.1 && took < 0.5, "8 nested sleeps took %.3f s", took);
	return check_end();
}
