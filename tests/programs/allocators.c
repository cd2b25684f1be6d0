// Allocators: alignment, pool_size and what happens when it is used up, each fallback, realloc, calloc, the default
// allocator of each thread, traits that are not accepted.
// threads: 1 8
// stock: fails (to grow an aligned block it wants the room for both in the pool)
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static void
pools(void)
{
	omp_alloctrait_t traits[] = {
		{omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}, {omp_atk_alignment, 64}};
	omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, traits);
	CHECK(pool != omp_null_allocator);
	char *first = omp_alloc(1800, pool), *second = omp_alloc(1800, pool);
	CHECK(first && second && (uintptr_t)first % 64 == 0 && (uintptr_t)second % 64 == 0);
	memset(first, 1, 1800);
	memset(second, 2, 1800);
	CHECK(omp_alloc(1800, pool) == NULL, "more than the pool has");
	omp_free(second, omp_null_allocator);
	second = omp_alloc(1800, pool);
	CHECK(second, "the pool did not get its memory back");
	/* In place of itself a block may grow into what is left. */
	first = omp_realloc(first, 2000, pool, pool);
	CHECK(first && first[1799] == 1);
	CHECK(omp_realloc(first, 3000, pool, pool) == NULL);
	omp_free(first, pool);
	omp_free(second, pool);

	omp_alloctrait_t falls[] = {
		{omp_atk_pool_size, 64}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, pool}};
	omp_allocator_handle_t small = omp_init_allocator(omp_default_mem_space, 3, falls);
	char *other = omp_alloc(1000, small);
	CHECK(other && (uintptr_t)other % 64 == 0, "not from the fallback allocator");
	CHECK(omp_alloc(4000, small) == NULL);
	omp_free(other, small);
	omp_destroy_allocator(small);

	omp_alloctrait_t plain[] = {{omp_atk_pool_size, 64}};
	small = omp_init_allocator(omp_default_mem_space, 1, plain);
	other = omp_calloc(10, 1000, small);
	CHECK(other && other[0] == 0 && other[9999] == 0, "not from the default allocator");
	omp_free(other, small);
	omp_destroy_allocator(small);
	omp_destroy_allocator(pool);
}

int
main(void)
{
	omp_alloctrait_t bad[] = {{omp_atk_alignment, 24}}, spread[] = {{omp_atk_partition, omp_atv_interleaved}};

	pools();
	CHECK(omp_init_allocator(omp_default_mem_space, 1, bad) == omp_null_allocator);
	omp_allocator_handle_t interleaved = omp_init_allocator(omp_large_cap_mem_space, 1, spread);
	CHECK(interleaved != omp_null_allocator);
	CHECK(omp_alloc(0, omp_default_mem_alloc) == NULL);
	CHECK(omp_calloc(SIZE_MAX / 2, 4, interleaved) == NULL);
	for (size_t align = 8; align <= 65536; align *= 2) {
		char *block = omp_aligned_alloc(align, 100, interleaved);
		CHECK(block && (uintptr_t)block % align == 0, "alignment %zu", align);
		memset(block, 1, 100);
		block = omp_realloc(block, 200, omp_null_allocator, interleaved);
		CHECK(block && block[99] == 1);
		omp_free(block, omp_null_allocator);
	}
	omp_alloctrait_t shared[] = {{omp_atk_pool_size, 1 << 20}, {omp_atk_fallback, omp_atv_null_fb}};
	omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 2, shared);
#pragma omp parallel
	{
		if (omp_get_thread_num() % 2)
			omp_set_default_allocator(interleaved);
		CHECK(omp_get_default_allocator() == (omp_get_thread_num() % 2 ? interleaved : omp_default_mem_alloc));
		pools();
		for (int i = 0; i < 2000; i++) {
			int *block = omp_alloc(sizeof(int) * 100, pool);
			CHECK(block);
			block[99] = i;
			omp_free(block, pool);
		}
	}
	CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
	/* Nothing was lost: the pool is as large as at first. */
	void *all = omp_alloc((1 << 20) - 64, pool);
	CHECK(all);
	omp_free(all, pool);
	omp_destroy_allocator(pool);
	omp_destroy_allocator(interleaved);
	return check_end();
}
