// threads: 8
// env: OMP_MAX_ACTIVE_LEVELS=2
// limit: 30
/* The program has a malloc of its own, which takes a lock of OpenMP. So threads of the runtime wait for that lock, too,
 * as they make others. The initial thread ends by pthread_exit after its regions: then no thread of the program is
 * left, and the process ends. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

#define REGIONS 20
#define CALLS 300

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static volatile int counts;
static long calls;
static omp_lock_t lock;
static __thread int nested;

static void
count(void)
{
	if (!counts || nested)
		return;
	nested = 1;
	omp_set_lock(&lock);
	calls++;
	for (volatile int i = 0; i < 3000; i++) /* others find it held */
		;
	omp_unset_lock(&lock);
	nested = 0;
}

void *
malloc(size_t size)
{
	count();
	return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	count();
	return __libc_calloc(n, size);
}

void *
realloc(void *memory, size_t size)
{
	count();
	return __libc_realloc(memory, size);
}

void
free(void *memory)
{
	count();
	__libc_free(memory);
}

int
main(void)
{
	int members = 0;

	omp_init_lock(&lock);
	counts = 1;
	for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel
		{
#pragma omp parallel num_threads(2)
#pragma omp atomic
			members++;
			for (int k = 0; k < CALLS; k++) {
				void *volatile memory = malloc(100);

				free(memory);
			}
		}
	}
	CHECK(members == REGIONS * 8 * 2, "%d members", members);
	CHECK(calls >= REGIONS * 8 * 2 * CALLS, "%ld calls", calls);
	if (check_end())
		return 1;
	pthread_exit(NULL);
}
