// critical: unnamed and named ones exclude by name, across teams; named ones may lie within each other.
// threads: 1 2 8 64
#include <omp.h>

#include "check.h"

static long plain, red, blue;

static void
bump(void)
{
#pragma omp critical
	plain++;
#pragma omp critical(red)
	{
		red++;
#pragma omp critical(blue)
		blue++;
	}
}

int
main(void)
{
	int threads = omp_get_max_threads();
	int inside = 0;

#pragma omp parallel
	for (int i = 0; i < 2000; i++)
		bump();
	CHECK(plain == 2000l * threads && red == plain && blue == plain, "%ld %ld %ld", plain, red, blue);

	/* The holder is slow: it burns, and it sleeps. */
#pragma omp parallel
	for (int i = 0; i < 3; i++) {
#pragma omp critical
		{
			CHECK(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) == 1);
			if (i == 1)
				usleep(300);
			else
				check_burn(300);
			CHECK(__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST) == 0);
		}
	}

	omp_set_max_active_levels(2);
	plain = red = blue = 0;
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 300; i++)
		bump();
	CHECK(plain == 16 * 300 && red == plain && blue == plain, "%ld", plain);
	bump();
	return check_end();
}
