// Members that block in read do not stop the others: members that come later write the bytes that they wait for.
// threads: 2 8 16
// cpus: 2
#include <omp.h>

#include "check.h"

int
main(void)
{
	int threads = omp_get_max_threads(), link[17][2];

	for (int i = 0; i < 17; i++)
		CHECK(pipe(link[i]) == 0);
	for (int round = 0; round < 10; round++) {
		/* One reads, another writes later. */
#pragma omp parallel
		{
			char c = 0;
			int me = omp_get_thread_num();

			if (me == 0)
				CHECK(read(link[0][0], &c, 1) == 1 && c == 'x');
			else if (me == threads - 1) {
				usleep(1000);
				CHECK(write(link[0][1], "x", 1) == 1);
			}
#pragma omp barrier
			/* All but the last read; each passes the byte on to the one before it. */
			if (me < threads - 1)
				CHECK(read(link[me + 1][0], &c, 1) == 1 && c == 'y');
			if (me > 0)
				CHECK(write(link[me][1], "y", 1) == 1);
		}
	}
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	for (int round = 0; round < 10; round++) {
		int mine[2];

		CHECK(pipe(mine) == 0);
#pragma omp parallel num_threads(threads)
		{
			char c;

			if (omp_get_thread_num() < threads - 1)
				CHECK(read(mine[0], &c, 1) == 1);
			else
				for (int i = 0; i < threads - 1; i++)
					CHECK(write(mine[1], "z", 1) == 1);
#pragma omp barrier
		}
		close(mine[0]);
		close(mine[1]);
	}
	return check_end();
}
