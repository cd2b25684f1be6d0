// A profiler in the program counts the blocks of malloc in a critical construct: so the runtime is entered from within
// itself where it allocates.
// finding: 18
// mode: taskgroup
// mode: loops
// mode: nested
#include "crowd.h"

#define MEMBERS 8
#define ROUNDS 6000

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static long calls, bytes;
static int counts; /* set once there are threads */

/* Long enough for others to wait for it. */
static void
count(size_t size)
{
	if (!__atomic_load_n(&counts, __ATOMIC_RELAXED))
		return;
#pragma omp critical(profiler)
	{
		for (volatile int i = 0; i < 300; i++)
			;
		calls++;
		bytes += (long)size;
	}
}

void *
malloc(size_t size)
{
	count(size);
	return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	count(n * size);
	return __libc_calloc(n, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	count(size);
	return __libc_memalign(alignment, size);
}

static void
member(const char *mode, int *bad)
{
	for (int i = 0; i < ROUNDS; i++) {
		int sum = 0;
		void *volatile mine = malloc(100);

		free(mine);
		if (!strcmp(mode, "taskgroup")) {
#pragma omp taskgroup
#pragma omp task shared(sum) depend(out : sum)
			sum++;
			*bad += sum != 1;
		} else if (!strcmp(mode, "loops")) {
#pragma omp for schedule(dynamic) nowait
			for (int k = 0; k < 16; k++)
				sum += k;
			*bad += sum > 120;
		} else if (i % 10 == 0) {
#pragma omp parallel num_threads(2)
			{
#pragma omp atomic
				sum++;
			}
			*bad += sum != 2;
		}
	}
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "taskgroup";
	int bad = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(MEMBERS)
	counts = 1;
	for (int round = 0; round < 4; round++) {
#pragma omp parallel num_threads(MEMBERS) reduction(+ : bad)
		member(mode, &bad);
	}
	counts = 0;
	CHECK(bad == 0, "%d", bad);
	CHECK(calls >= 4 * ROUNDS * MEMBERS, "%ld calls, %ld bytes", calls, bytes);
	return check_end();
}
