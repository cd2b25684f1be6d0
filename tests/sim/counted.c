/* Regions in regions that go through memory, on machines of two nodes of two PUs under tests/sim/plugins/sees.c:
 * the tests beside this file have the counts of each. `counted nested` runs all on PU 0, `counted apart` a region on
 * each PU at the same time, and `counted touched` the same with real pages. */
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include "forestgomp.h"

enum { PAGE = 4096, LINE = 64, PAGES = 64 };

static char *
fresh(void)
{
	return mmap(0, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Their last lines only: the pages lie near the caller then. */
static void
home(char *pages)
{
	for (int i = 0; i < PAGES; i++)
		fgomp_sim_read(pages + i * PAGE + PAGE - 1, 1);
}

static void
lines(char *pages, int first, int n)
{
	fgomp_sim_read(pages + first * LINE, (size_t)n * LINE);
}

static void
touch(char *pages, int n)
{
	for (int i = 0; i < n; i++)
		((volatile char *)pages)[i * PAGE] = 1;
}

/* Each member of an inner region goes through 500 lines, 1000, 1500, 2000; or touches 15 pages, 30, 45, 60. */
static void
apart(int really)
{
	char *block[4][2];
	for (int k = 0; k < 8; k++)
		block[k / 2][k % 2] = fresh();
#pragma omp parallel num_threads(4)
	{
		int k = omp_get_thread_num();
#pragma omp parallel num_threads(2)
		{
			char *own = block[k][omp_get_thread_num()];
			if (really)
				touch(own, 15 * (k + 1));
			else
				lines(own, 0, 500 * (k + 1));
		}
	}
}

static void
nested(void)
{
	char *far = fresh(), *near = fresh(), *new = fresh();
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 3)
			home(far);
		if (omp_get_thread_num() == 0)
			home(near);
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
			if (omp_get_thread_num() == 0) {
				lines(far, 0, 7);
#pragma omp parallel num_threads(3)
				{
					int k = omp_get_thread_num();
					lines(far, 7 + 10 * k, 10);
#pragma omp barrier
					lines(near, 5 * k, 5);
					lines(far, 7, 30); /* it has them all by now */
				}
			} else {
				lines(far, 37, 4);
				lines(new, 0, 1);
				lines(new + PAGE, 0, 1);
			}
		}
	}
}

int
main(int argc, char **argv)
{
	omp_set_max_active_levels(3);
	if (argc > 1 && strcmp(argv[1], "nested"))
		apart(!strcmp(argv[1], "touched"));
	else
		nested();
	return 0;
}
