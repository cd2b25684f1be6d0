// A program that locks itself in after its first regions: membarrier was there when the library was loaded, and is refused from then on
// in all threads. No wake-up is lost, and blocked members are relieved.
// finding: 4
// mode: read EPERM
// mode: read ENOSYS
// mode: regions EPERM
// mode: barriers EPERM
// mode: locks EPERM
// env: OMP_WAIT_POLICY=passive
#include "crowd.h"
#include "sandbox.h"

static unsigned long state = 1;

static int
dice(int n)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (int)(state >> 33) % n;
}

static void
burn(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

/* The others are just about to sleep, or asleep, when the next region comes. */
static void
regions(int n)
{
	for (int i = 0; i < n; i++) {
		int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
		sum++;
		CHECK(sum == 2, "%d", sum);
		burn(dice(2000));
	}
}

static void
barriers(int n)
{
#pragma omp parallel num_threads(2)
	{
		unsigned long mine = omp_get_thread_num() + 1;

		for (int i = 0; i < n; i++) {
			mine = mine * 6364136223846793005ul + 1442695040888963407ul;
			burn((int)(mine >> 40) % 2000);
#pragma omp barrier
		}
	}
}

static void
locks(int n)
{
	static int sum;
	int expected = 2 * n;

#pragma omp parallel num_threads(2)
	for (int i = 0; i < n; i++) {
#pragma omp critical
		{
			sum++;
			burn(i % 500);
		}
		burn(i % 300);
	}
	CHECK(sum == expected, "%d of %d", sum, expected);
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "read";
	char rule[64];

	regions(20);
	snprintf(rule, sizeof rule, "%s:membarrier", argc > 2 ? argv[2] : "EPERM");
	sandbox(rule, SECCOMP_FILTER_FLAG_TSYNC);
	CHECK(syscall(SYS_membarrier, 0, 0, 0) == -1);
	int n = getenv("N") ? atoi(getenv("N")) : 200000;
	if (!strcmp(mode, "regions"))
		regions(n);
	else if (!strcmp(mode, "barriers"))
		barriers(n);
	else if (!strcmp(mode, "locks"))
		locks(n);
	else
		crowd_regions(mode, 8, 5);
	return check_end();
}
