// A program that locks itself in after its first regions: membarrier was there when the library was loaded, and is
// refused from then on in all threads. No wake-up is lost, and blocked members are relieved.
// finding: 4
// mode: read EPERM
// mode: read ENOSYS
// mode: regions EPERM
// mode: barriers EPERM
// env: OMP_WAIT_POLICY=passive
#include "crowd.h"
#include "sandbox.h"

#define SECONDS 1.5
#define WORDS (1 << 25)

static volatile int *memory;

static unsigned
dice(unsigned long *state)
{
	*state = *state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(*state >> 33);
}

/* Stores that miss all caches: those that follow are seen by others only some time later, and the time in which a
 * wake-up can be lost is as long. */
static void
scatter(unsigned long *state)
{
	for (volatile unsigned wait = dice(state) % 1000; wait; wait--)
		;
	for (int i = 0; i < 60; i++)
		memory[dice(state) % WORDS] = i;
}

/* Both are here at the same time: so the one that waits next is about to sleep when the other comes. False: that is
 * enough. */
static int
together(atomic_int *here, int round)
{
	static double end;
	static atomic_int enough;

	if (round == 0)
		end = check_now() + SECONDS;
	else if (omp_get_thread_num() == 0)
		enough = check_now() > end;
	atomic_fetch_add(here, 1);
	while (atomic_load(here) < 2 * (round + 1))
		;
	return !enough;
}

static void
regions(void)
{
	unsigned long state = 1;
	atomic_int here = 0;
	int more = 1;

	for (int round = 0; more; round++) {
		scatter(&state);
#pragma omp parallel num_threads(2) reduction(&& : more)
		more = together(&here, round);
	}
}

static void
barriers(void)
{
	atomic_int here = 0;

#pragma omp parallel num_threads(2)
	{
		unsigned me = omp_get_thread_num();
		unsigned long state = me + 1;

		for (int round = 0; together(&here, round); round++) {
			if (round % 2 == (int)me)
				scatter(&state);
#pragma omp barrier
		}
	}
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "read";
	char rule[64];

	memory = calloc(WORDS, sizeof *memory);
#pragma omp parallel num_threads(2)
	memory[omp_get_thread_num()] = 1;
	snprintf(rule, sizeof rule, "%s:membarrier", argc > 2 ? argv[2] : "EPERM");
	sandbox(rule, SECCOMP_FILTER_FLAG_TSYNC);
	CHECK(syscall(SYS_membarrier, 0, 0, 0) == -1);
	if (!strcmp(mode, "regions"))
		regions();
	else if (!strcmp(mode, "barriers"))
		barriers();
	else
		crowd_regions(mode, 8, 5);
	return check_end();
}
