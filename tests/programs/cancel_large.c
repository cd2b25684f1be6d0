// With cancellation on, all members of a team meet in the pool of tasks. A team costs its size there, whether none of
// its members makes a task, or one, or some do. (The size cubed takes minutes here.)
// threads: 4000
// env: OMP_CANCELLATION=true
// env: OMP_CANCELLATION=true FGOMP_SPIN=0
// limit: 90
#include <omp.h>

#include "check.h"

static void
team(int makers)
{
	int arrived = 0, ran = 0, n = 0;
#pragma omp parallel
	{
#pragma omp atomic
		arrived++;
#pragma omp barrier
		if (omp_get_thread_num() < makers) {
#pragma omp task
#pragma omp atomic
			ran++;
		}
#pragma omp single
		n = omp_get_num_threads();
		CHECK(arrived == n, "%d of %d", arrived, n);
	}
	CHECK(ran == (makers < n ? makers : n), "%d tasks", ran);
}

int
main(void)
{
	for (int round = 0; round < 6; round++)
		team(0);
	team(1);
	team(100);
	return check_end();
}
