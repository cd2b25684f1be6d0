// An allocator that is linked into the program, with locks of its own: a mutex, or a spin lock that calls sched_yield,
// with another of its locks held. Members allocate while others make the runtime do so.
// finding: 3
// mode: mutex
// mode: yield
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>

#include "crowd.h"

#define MEMBERS 8
#define CLASSES 28
#define REGION (1ul << 31)
#define ROUNDS 4

struct block {
	size_t class;
	struct block *next;
};

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_flag flags[2] = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT};
static int yields; /* which kind of lock; set while there is one thread */
static struct block *free_blocks[CLASSES];
static char *fresh, *end;
static unsigned long counted[256];

static void
lock(int which)
{
	if (!yields) {
		pthread_mutex_lock(&mutexes[which]);
		return;
	}
	while (atomic_flag_test_and_set_explicit(&flags[which], memory_order_acquire))
		sched_yield();
}

static void
unlock(int which)
{
	if (yields)
		atomic_flag_clear_explicit(&flags[which], memory_order_release);
	else
		pthread_mutex_unlock(&mutexes[which]);
}

/* Statistics, under a lock of their own, which malloc takes with the first one held. */
static void
count(size_t class)
{
	lock(1);
	for (int i = 0; i < 256; i++)
		((volatile unsigned long *)counted)[i] += class;
	unlock(1);
}

static struct block *
carve(size_t class)
{
	if (!fresh) {
		fresh = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		end = fresh + REGION;
	}
	size_t size = (size_t)64 << class;
	if (fresh == MAP_FAILED || (size_t)(end - fresh) < size)
		return NULL;
	fresh += size;
	return (struct block *)(fresh - size);
}

/* Blocks of 64 << class bytes, aligned to 64; the first 64 are the head. */
static void *
allocate(size_t size)
{
	size_t class = 1;

	while (((size_t)64 << class) - 64 < size)
		if (++class == CLASSES)
			return errno = ENOMEM, NULL;
	lock(0);
	struct block *block = free_blocks[class];
	if (block)
		free_blocks[class] = block->next;
	else
		block = carve(class);
	count(class);
	unlock(0);
	if (!block)
		return errno = ENOMEM, NULL;
	block->class = class;
	return (char *)block + 64;
}

void *
malloc(size_t size)
{
	return allocate(size);
}

void
free(void *memory)
{
	if (!memory)
		return;
	struct block *block = *(struct block **)((char *)memory - sizeof(void *)) == memory
				      ? *(struct block **)((char *)memory - 2 * sizeof(void *))
				      : (struct block *)((char *)memory - 64);
	lock(0);
	block->next = free_blocks[block->class];
	free_blocks[block->class] = block;
	size_t class = block->class;
	unlock(0);
	count(class);
}

void *
calloc(size_t n, size_t size)
{
	void *memory = allocate(n * size);

	return memory ? memset(memory, 0, n * size) : NULL;
}

void *
realloc(void *old, size_t size)
{
	void *new = allocate(size);

	if (old && new) {
		size_t had = ((size_t)64 << ((struct block *)((char *)old - 64))->class) - 64;
		memcpy(new, old, had < size ? had : size);
		free(old);
	}
	return new;
}

/* Beyond 64 bytes the place inside a larger block is noted in front of it. */
void *
aligned_alloc(size_t alignment, size_t size)
{
	if (alignment <= 64)
		return allocate(size);
	char *block = allocate(size + alignment + 64);
	if (!block)
		return NULL;
	char *memory = (char *)(((size_t)block + 64 + alignment - 1) & ~(alignment - 1));
	((void **)memory)[-1] = memory;
	((void **)memory)[-2] = block - 64;
	return memory;
}

void *
memalign(size_t alignment, size_t size)
{
	return aligned_alloc(alignment, size);
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
	*memory = aligned_alloc(alignment, size);
	return *memory ? 0 : ENOMEM;
}

static void
member(int allocates)
{
	for (int i = 0; i < 40000; i++) {
		if (allocates) {
			void *volatile mine = malloc(1000 + i % 3000);
			free(mine);
		} else {
#pragma omp taskgroup
			(void)0;
		}
	}
}

int
main(int argc, char **argv)
{
	yields = argc > 1 && !strcmp(argv[1], "yield");
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(MEMBERS)
		member(omp_get_thread_num() / 2 % 2 == round % 2);
	}
	return check_end();
}
