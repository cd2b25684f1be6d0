// A profiler in the program counts the blocks of malloc in a critical construct: so the runtime is entered from within
// itself where it allocates.
// finding: 18
// mode: taskgroup
// mode: loops
// mode: nested
// mode: held
#include "crowd.h"

#define MEMBERS 8
#define ROUNDS 6000

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#define HELD 2000000 /* turns, some milliseconds */

static long calls, bytes, deepest;
static int counts, held; /* set once there are threads */
static __thread long depth;

/* Long enough for others to wait for it. If it is held for much longer, a waiter gives its PU away. For that it may
 * make a pthread, whose memory is counted, too. It must not make another one for that wait. */
static void
count(size_t size)
{
	if (!__atomic_load_n(&counts, __ATOMIC_RELAXED))
		return;
	depth++;
#pragma omp critical(profiler)
	{
		int turns = __atomic_load_n(&held, __ATOMIC_RELAXED) && calls % 500 == 0 ? HELD : 300;
		for (volatile int i = 0; i < turns; i++)
			;
		calls++;
		bytes += (long)size;
		if (deepest < depth)
			deepest = depth;
	}
	depth--;
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
	held = !strcmp(mode, "held");
	for (int round = 0; round < 4; round++) {
#pragma omp parallel num_threads(MEMBERS) reduction(+ : bad)
		member(mode, &bad);
	}
	counts = 0;
	CHECK(bad == 0, "%d", bad);
	CHECK(calls >= 4 * ROUNDS * MEMBERS, "%ld calls, %ld bytes", calls, bytes);
	CHECK(deepest <= 2, "%ld calls of malloc, one within the other", deepest);
	return check_end();
}
