/* The runtime's allocator: blocks of all sizes and alignments keep their contents, and pages go back to the system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/memory.h"

#define BLOCKS 4000

static struct block {
	unsigned char *start;
	size_t size;
	unsigned char mark;
} blocks[BLOCKS];

static unsigned
next_random(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 8;
}

static size_t
random_size(unsigned *state)
{
	unsigned kind = next_random(state) % 64;
	return next_random(state) % (kind == 0 ? 300000 : kind < 8 ? 20000 : 700);
}

static bool
holds(const struct block *block)
{
	for (size_t i = 0; i < block->size; i++)
		if (block->start[i] != block->mark)
			return false;
	return true;
}

static void
keep_what_is_in_them(void **state)
{
	unsigned seed = 1;
	for (unsigned turn = 0; turn < 40 * BLOCKS; turn++) {
		struct block *block = &blocks[next_random(&seed) % BLOCKS];
		if (block->start) {
			assert_true(holds(block));
			size_t size = random_size(&seed);
			if (turn % 3 == 0) {
				block->start = fg_memory_resize(block->start, size);
				assert_non_null(block->start);
				block->size = size < block->size ? size : block->size;
				assert_true(holds(block));
			}
			fg_memory_free(block->start);
		}
		size_t align = (size_t)16 << next_random(&seed) % 5;
		block->size = random_size(&seed);
		block->start = fg_memory_aligned(align, block->size);
		block->mark = (unsigned char)turn;
		assert_non_null(block->start);
		assert_int_equal((uintptr_t)block->start % align, 0);
		memset(block->start, block->mark, block->size);
	}
	for (unsigned i = 0; i < BLOCKS; i++) {
		assert_true(!blocks[i].start || holds(&blocks[i]));
		fg_memory_free(blocks[i].start);
		blocks[i].start = NULL;
	}
}

static void
zeroed_and_large(void **state)
{
	const size_t sizes[] = {0, 1, 31, 2000, 70000, 3 << 20};
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			unsigned char *memory = fg_memory_zeroed(sizes[i]);
			assert_non_null(memory);
			for (size_t k = 0; k < sizes[i]; k++)
				assert_int_equal(memory[k], 0);
			memset(memory, 0xff, sizes[i]);
			fg_memory_free(memory);
		}
	void *aligned = fg_memory_aligned(1 << 19, 100);
	assert_int_equal((uintptr_t)aligned % (1 << 19), 0);
	fg_memory_free(aligned);
	fg_memory_free(NULL);
#ifndef FG_MEMORY_FOREIGN
	assert_null(fg_memory_get(SIZE_MAX - 100));
	assert_null(fg_memory_get((size_t)1 << 60));
#endif
}

#ifndef FG_MEMORY_FOREIGN /* with a sanitizer it is that one's */
static long
resident_pages(void)
{
	long size, resident;
	FILE *file = fopen("/proc/self/statm", "r");
	assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
	fclose(file);
	return resident;
}

static void
give_back(void **state)
{
	static void *many[50000];
	long before = resident_pages();
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < 50000; i++)
			many[i] = memset(fg_memory_get(400), 1, 400);
		for (unsigned i = 0; i < 50000; i++)
			fg_memory_free(many[i]);
	}
	assert_true((resident_pages() - before) * sysconf(_SC_PAGESIZE) < 3 << 20); /* of 20 MB */
}

static volatile bool over;

static void *
other(void *arg)
{
	while (!over)
		for (unsigned i = 1; i < 20; i++)
			fg_memory_free(fg_memory_get(i * 100));
	return NULL;
}

/* The child leaves alone the data that the others were changing at that moment. */
static void
children_of_fork(void **state)
{
	pthread_t thread[2];
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, other, NULL), 0);
	for (unsigned turn = 0; turn < 200; turn++) {
		void *mine = fg_memory_get(300);
		pid_t child = fork();
		if (child == 0) {
			alarm(300);
			fg_memory_after_fork();
			fg_memory_free(mine);
			for (unsigned i = 1; i < 1000; i++) {
				char *memory = fg_memory_get(i * 10);
				memset(memory, 1, i * 10);
				if (i % 3)
					fg_memory_free(memory);
			}
			_exit(0);
		}
		int status;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		fg_memory_free(mine);
	}
	over = true;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keep_what_is_in_them),
		cmocka_unit_test(zeroed_and_large),
#ifndef FG_MEMORY_FOREIGN
		cmocka_unit_test(give_back),
		cmocka_unit_test(children_of_fork),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
