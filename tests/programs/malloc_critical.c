// threads: 2 8 32
// limit: 30
// cpus: 2
/* The program has a malloc of its own that counts its calls under a lock of OpenMP, as profilers do. Its callers are
 * the members, and the runtime on their behalf. Each caller waits for that lock as usual, and nothing stops for it. */
#include <errno.h>
#include <omp.h>
#include <pthread.h>

#include "check.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static volatile int counts;
static long calls, plain;
static omp_lock_t lock;
static __thread int nested;

static void
count(void)
{
	if (!counts || nested)
		return;
	nested = 1;
#pragma omp critical(calls)
	{
		long seen = calls;
		for (volatile int i = 0; i < 300; i++)
			;
		calls = seen + 1;
	}
	if (omp_test_lock(&lock)) {
		plain++;
		omp_unset_lock(&lock);
	}
	omp_set_lock(&lock);
	plain++;
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
realloc(void *old, size_t size)
{
	count();
	return __libc_realloc(old, size);
}

void *
aligned_alloc(size_t align, size_t size)
{
	count();
	return __libc_memalign(align, size);
}

int
posix_memalign(void **memory, size_t align, size_t size)
{
	count();
	*memory = __libc_memalign(align, size);
	return *memory ? 0 : ENOMEM;
}

void
free(void *memory)
{
	count();
	__libc_free(memory);
}

struct large {
	long words[400];
};

static void
tasks(int rounds)
{
	long sum = 0;
#pragma omp parallel reduction(+ : sum)
	for (int r = 0; r < rounds; r++) {
		long mine = 0;
#pragma omp taskgroup
		for (int i = 0; i < 8; i++) {
			struct large large = {{i}};
			free(malloc(100));
#pragma omp task firstprivate(large) shared(mine)
#pragma omp atomic
			mine += large.words[0];
		}
		sum += mine;
	}
	CHECK(sum == 28l * rounds * omp_get_max_threads(), "%ld", sum);
}

static void
loops(int rounds)
{
	long sum = 0;
	int last = 0;
#pragma omp parallel
	for (int r = 0; r < rounds; r++) {
#pragma omp for schedule(dynamic) reduction(+ : sum) lastprivate(conditional : last)
		for (int i = 0; i < 64; i++) {
			free(malloc(100));
			sum += i;
			if (i < 60)
				last = i;
		}
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 16; i++) {
#pragma omp ordered
			free(malloc(50));
		}
	}
	CHECK(sum == 2016l * rounds, "%ld", sum);
	CHECK(last == 59, "%d", last);
}

static void
nested_regions(int rounds)
{
	long sum = 0;
#pragma omp parallel reduction(+ : sum)
	for (int r = 0; r < rounds; r++) {
		omp_set_num_threads(1 + r % 3);
#pragma omp parallel reduction(+ : sum)
		{
			free(malloc(100));
			sum += omp_get_thread_num() + 1;
		}
	}
	long each = rounds / 3 * (1 + 3 + 6);
	CHECK(sum == each * omp_get_max_threads(), "%ld", sum);
}

/* This thread keeps the lock contended, with and without work of the members. */
static void *
other(void *over)
{
	while (!__atomic_load_n((int *)over, __ATOMIC_RELAXED))
		free(malloc(10));
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	int over = 0;
	omp_set_max_active_levels(2);
	omp_init_lock(&lock);
	counts = 1;
	CHECK(pthread_create(&thread, NULL, other, &over) == 0);
	for (int i = 0; i < 5; i++) {
		tasks(20);
		loops(20);
		nested_regions(30);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	counts = 0;
	CHECK(calls > 1000, "%ld", calls);
	CHECK(plain >= calls, "%ld of %ld", plain, calls);
	return check_end();
}
