/* Cancellation: loops, taskgroups, regions; their barriers. */
#include "limits.h"

int
main(void)
{
	first_team();
	for (int r = 0; r < 6; r++) {
		long found = -1, after = 0, tasks = 0, inner = 0, members = 0;
#pragma omp parallel
		{
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 100; i++) {
				if (i == 10) {
#pragma omp atomic write
					found = i;
#pragma omp cancel for
				}
#pragma omp cancellation point for
				work(1);
			}
#pragma omp barrier
#pragma omp atomic
			after++;
#pragma omp barrier
#pragma omp atomic write
			members = omp_get_num_threads();
#pragma omp single
#pragma omp taskgroup
			{
				for (int i = 0; i < 20; i++) {
#pragma omp task shared(tasks)
					{
#pragma omp atomic
						tasks++;
#pragma omp cancel taskgroup
					}
				}
			}
		}
#pragma omp parallel num_threads(2)
		{
#pragma omp parallel num_threads(2)
			{
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
#pragma omp barrier
			}
#pragma omp atomic
			inner++;
		}
		CHECK(found, 10);
		CHECK(after, members);
		CHECK(tasks >= 1, 1);
		CHECK(inner >= 1 && inner <= 2, 1);
	}
	return wrong;
}
