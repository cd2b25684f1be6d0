// Members that sleep leave their PU to the others: the sleeps overlap, and work goes on beside them.
// threads: 2 8 16
// cpus: 2
// limit: 60
#include <omp.h>

#include "check.h"

static void
sleeps(void)
{
#pragma omp parallel
	usleep(100000);
}

static void
nested_sleeps(void)
{
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
	usleep(100000);
}

/* Half of them sleep long; the others do something meanwhile, and all of it. */
static double work_done;

static void
work_beside_sleeps(void)
{
	long worked = 0;
	double start = check_now(), done = 0;
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
	CHECK(worked == 20l * (omp_get_max_threads() / 2), "%ld", worked);
	work_done = done;
}

/* Without overlap the sleeps of 8 take 0.4 s and more on two PUs. Where others use the machine, a member that wakes up
 * may wait for a PU: one of some tries must be quick enough. */
#define TRIES 8

static void
takes(const char *what, void (*part)(void), double least, double most)
{
	double took, best = 1e9;
	for (int i = 0; i < TRIES && best > most; i++) {
		double start = check_now();
		part();
		took = check_now() - start;
		CHECK(took >= least, "%s took %.3f s only", what, took);
		best = took < best ? took : best;
	}
	CHECK(best <= most, "%s took %.3f s, %.3f s are enough", what, best, most);
}

int
main(void)
{
	takes("sleeps", sleeps, 0.1, 0.3);
	double best = 1e9;
	for (int i = 0; i < TRIES && best > 0.35; i++) {
		takes("work beside sleeps", work_beside_sleeps, 0.4, 0.7);
		best = work_done < best ? work_done : best;
	}
	CHECK(best <= 0.35, "the work was done after %.3f s", best);
	omp_set_max_active_levels(2);
	takes("nested sleeps", nested_sleeps, 0.1, 0.3);
	return check_end();
}
