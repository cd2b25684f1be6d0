// Pinned memory is locked while it is allocated, in small blocks and in large ones. Each fallback is tried where the
// limit of locked memory is reached. Also gcc's own allocator for it (of GCC 15).
// stock: fails (gcc 12 makes no pinned allocators)
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"

static long
locked_kib(void)
{
	char line[200];
	long kib = -1;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof line, file))
		sscanf(line, "VmLck: %ld", &kib);
	fclose(file);
	return kib;
}

static omp_allocator_handle_t
pinned(omp_alloctrait_value_t fallback, omp_allocator_handle_t other, size_t pool)
{
	omp_alloctrait_t traits[] = {{omp_atk_pinned, omp_atv_true},
				     {omp_atk_fallback, fallback},
				     {omp_atk_fb_data, (uintptr_t)other},
				     {omp_atk_pool_size, pool},
				     {omp_atk_partition, omp_atv_nearest}};
	omp_allocator_handle_t handle = omp_init_allocator(omp_default_mem_space, 5, traits);
	CHECK(handle != omp_null_allocator);
	return handle;
}

/* Locked from the first allocation until the last is freed, which for small ones is when the allocator is destroyed. */
static void
within_the_limit(void)
{
	omp_allocator_handle_t handle = pinned(omp_atv_null_fb, omp_null_allocator, 40000);
	long before = locked_kib();
	char *block = omp_calloc(10, 3000, handle);
	CHECK(block && locked_kib() >= before + 29, "%ld KiB of 30000 B", locked_kib() - before);
	for (int i = 0; i < 30000; i++)
		if (block[i])
			CHECK(0, "not zero");
	memset(block, 3, 30000);
	block = omp_realloc(block, 36000, handle, handle);
	CHECK(block && block[29999] == 3 && locked_kib() >= before + 35);
	CHECK(!omp_alloc(10000, handle), "more than the pool has");
	omp_free(block, handle);
	CHECK(locked_kib() == before, "%ld KiB are still locked", locked_kib() - before);
	char *small[50];
	for (int i = 0; i < 50; i++) {
		small[i] = omp_aligned_alloc(i % 2 ? 8 : 128, 100, handle);
		CHECK(small[i] && (uintptr_t)small[i] % (i % 2 ? 8 : 128) == 0);
		memset(small[i], i, 100);
	}
	CHECK(locked_kib() >= before + 4);
	for (int i = 0; i < 50; i++) {
		CHECK(small[i][0] == i && small[i][99] == i);
		omp_free(small[i], omp_null_allocator);
	}
	omp_destroy_allocator(handle);
	CHECK(locked_kib() == before, "%ld KiB are still locked", locked_kib() - before);
	block = omp_alloc(20000, (omp_allocator_handle_t)200);
	CHECK(block && locked_kib() >= before + 19);
	omp_free(block, omp_null_allocator);
	CHECK(locked_kib() == before);
}

static void
beyond_the_limit(void)
{
	enum { SIZE = 1 << 20 };
	long before = locked_kib();
	omp_allocator_handle_t none = pinned(omp_atv_null_fb, omp_null_allocator, SIZE * 4);
	CHECK(!omp_alloc(SIZE, none));
	CHECK(!omp_alloc(SIZE, (omp_allocator_handle_t)200));
	omp_allocator_handle_t plain = pinned(omp_atv_default_mem_fb, omp_null_allocator, SIZE * 4);
	char *block = omp_alloc(SIZE, plain);
	CHECK(block && locked_kib() == before);
	memset(block, 5, SIZE);
	block = omp_realloc(block, 2 * SIZE, plain, plain);
	CHECK(block && block[SIZE - 1] == 5);
	omp_free(block, plain);
	omp_alloctrait_t aligned[] = {{omp_atk_alignment, 8192}};
	omp_allocator_handle_t other = omp_init_allocator(omp_default_mem_space, 1, aligned);
	omp_allocator_handle_t second = pinned(omp_atv_allocator_fb, other, SIZE * 4);
	block = omp_alloc(SIZE, second);
	CHECK(block && (uintptr_t)block % 8192 == 0, "not from the fallback allocator");
	omp_free(block, second);
	/* Small blocks up to the limit, and on; the pool was not charged for blocks that could not be had. */
	int count = 0;
	while (count < 1000 && omp_alloc(900, none))
		count++;
	CHECK(count >= 16 && count < 1000, "%d blocks of 900 B", count);
	omp_destroy_allocator(none);
	CHECK(locked_kib() == before);
	pid_t child = fork();
	if (child == 0) {
		omp_alloc(SIZE, pinned(omp_atv_abort_fb, omp_null_allocator, SIZE * 4));
		_exit(0);
	}
	int status = 0;
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %x",
	      status);
	omp_destroy_allocator(second);
	omp_destroy_allocator(other);
	omp_destroy_allocator(plain);
}

int
main(void)
{
	struct rlimit limit = {256 << 10, 256 << 10};
	CHECK(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	CHECK(geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0));
	within_the_limit();
	beyond_the_limit();
	return check_end();
}
