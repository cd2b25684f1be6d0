// The system refuses membarrier, from the start or from some moment on, as in a program that locks itself in: no
// wake-up is lost, and blocked members are relieved.
// finding: 4
// mode: read
// mode: sem
// mode: regions
// under: EPERM:membarrier
// under: ENOSYS:membarrier
#include "crowd.h"

static void
regions(int n)
{
	for (int i = 0; i < n; i++) {
		int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
		{
			sum++;
#pragma omp barrier
			sum++;
		}
		CHECK(sum == 8, "%d", sum);
		if (i % 16 == 0)
			usleep(i % 7 * 10);
	}
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "read";

	if (!strcmp(mode, "regions"))
		regions(3000);
	else
		crowd_regions(mode, 8, 5);
	return check_end();
}
