// threads: 8 32
// env: MALLOC_ARENA_MAX=1
// env: -
// cpus: 2
// limit: 40
/* Members that are preempted within malloc, with its lock, while others of the same worker open taskgroups, whose
 * memory was malloc's once. */
#include <omp.h>

#include "check.h"

#define SECONDS 3
#define BLOCKS 64

static volatile int over;
static long allocated, groups;

/* Sizes that are not in a thread's own cache: each call takes the lock, some for long. */
static void
allocate(unsigned seed)
{
	void *block[BLOCKS] = {0};
	long n = 0;
	for (; !over; n++) {
		seed = seed * 1103515245 + 12345;
		unsigned k = (seed >> 16) % BLOCKS;
		free(block[k]);
		block[k] = malloc(1100 + (seed >> 8) % 5000);
	}
	for (unsigned k = 0; k < BLOCKS; k++)
		free(block[k]);
#pragma omp atomic
	allocated += n;
}

static void
use(void)
{
	double end = check_now() + SECONDS;
	long n = 0;
	while (check_now() < end)
		for (int i = 0; i < 20; i++) {
#pragma omp taskgroup
			n++;
		}
#pragma omp atomic
	groups += n;
}

int
main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		if (me % 4)
			allocate((unsigned)me);
		else
			use();
		if (me == 0)
			over = 1;
	}
	CHECK(allocated > 0 && groups > 0);
	return check_end();
}
