// cpus: 2
// limit: 60
// env: OMP_MAX_ACTIVE_LEVELS=2
// Free donors belong to the process: a worker that has many gives them, so few more are made than live at a time. Those
// that nothing uses end after a while, the donors of the thread of the program too, and those after a pause.
#include <dirent.h>
#include <omp.h>

#include "check.h"

#define OUTER 4
#define INNER 8
#define MOST (OUTER * INNER + 24)
#define FEW (OUTER + 20)
#define PATIENCE 20

static int
kernel_threads(void)
{
	int n = 0;
	DIR *folder = opendir("/proc/self/task");
	for (struct dirent *entry; (entry = readdir(folder));)
		n += entry->d_name[0] != '.';
	closedir(folder);
	return n;
}

/* The work makes the members of a team wait on several workers, and go on on others. */
static void
rounds(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(OUTER)
#pragma omp parallel num_threads(INNER)
		{
			for (volatile int x = 0; x < 300;)
				x++;
#pragma omp barrier
		}
	}
}

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
