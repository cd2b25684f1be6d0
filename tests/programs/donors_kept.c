// cpus: 2
// limit: 60
// env: OMP_MAX_ACTIVE_LEVELS=2
// Free donors belong to the process: a worker that has many gives them, so few more are made than live at a time. Those
// that nothing uses end after a while, the donors of the thread of the program too, and those after a pause.
#include <omp.h>

#include "check.h"
#include "donors.h"

#define MOST (OUTER * INNER + 24)
#define FEW (OUTER + 20)
#define PATIENCE 20

static void
rest(void)
{
	int there = kernel_threads();
	for (double until = check_now() + PATIENCE; there > FEW && check_now() < until; there = kernel_threads())
		usleep(100000);
	CHECK(there <= FEW, "%d kernel threads at rest, at most %d", there, FEW);
}

int
main(void)
{
	rounds(3000);
	int there = kernel_threads();
	CHECK(there <= MOST, "%d kernel threads, at most %d", there, MOST);
	rest();
	rounds(300); /* they are made again */
	omp_pause_resource_all(omp_pause_hard);
	rounds(10);
	rest(); /* by another spawner */
	return check_end();
}
