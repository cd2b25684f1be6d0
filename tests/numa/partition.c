// Where the pages of blocks lie: each partition, from less than a page to more than a huge page; realloc, calloc,
// alignment; also where a control group or a memory policy leaves only some nodes.
// env: -
// env: MEMS=1-2
// env: NODES=0,3
// env: NODES=2
// env: MEMS=1-3 NODES=0,2,3
// limit: 20
#include "nodes.h"
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static omp_allocator_handle_t
allocator(omp_alloctrait_value_t partition)
{
	omp_alloctrait_t traits[] = {{omp_atk_partition, partition}, {omp_atk_fallback, omp_atv_null_fb}};
	omp_allocator_handle_t handle = omp_init_allocator(omp_default_mem_space, 2, traits);
	CHECK(handle != omp_null_allocator);
	return handle;
}

/* Page i of n of a block lies on the i * nodes / n -th of the allowed nodes, give or take the page at a part's end. */
static void
check_blocked(char *block, size_t size)
{
	static int node[MAX_PAGES];
	int pages = nodes_of(block, size, node), last = 0;
	int most = (pages + n_allowed - 1) / n_allowed, count[MAX_NODES] = {0};
	for (int i = 0; i < pages; i++) {
		int at = index_of(node[i]);
		CHECK(at >= last, "page %d of %d is on node %d, the one before on %d", i, pages, node[i],
		      allowed[last]);
		last = at < 0 ? 0 : at;
		count[last]++;
	}
	for (int i = 0; i < n_allowed; i++)
		CHECK(count[i] <= most && count[i] >= (pages / n_allowed), "%d of %d pages on node %d", count[i], pages,
		      allowed[i]);
}

static void
check_interleaved(char *block, size_t size)
{
	static int node[MAX_PAGES];
	int pages = nodes_of(block, size, node);
	for (int i = 1; i < pages; i++)
		CHECK(index_of(node[i]) == (index_of(node[i - 1]) + 1) % n_allowed, "page %d of %d on node %d after %d",
		      i, pages, node[i], node[i - 1]);
}

static void
check_nearest(char *block, size_t size, int want)
{
	static int node[MAX_PAGES];
	int pages = nodes_of(block, size, node);
	for (int i = 0; i < pages; i++)
		CHECK(node[i] == want, "page %d of %d on node %d, not %d", i, pages, node[i], want);
}

static void
check(omp_alloctrait_value_t partition, char *block, size_t size, int here)
{
	if (partition == omp_atv_blocked)
		check_blocked(block, size);
	else if (partition == omp_atv_interleaved)
		check_interleaved(block, size);
	else
		check_nearest(block, size, nearest_to(here));
}

static void
fill(char *block, size_t from, size_t to, unsigned seed)
{
	for (size_t i = from; i < to; i += 509)
		block[i] = (char)(i * 7 + seed);
	if ((to - 1) % 509)
		block[to - 1] = 0;
}

static void
holds(const char *block, size_t size, unsigned seed)
{
	for (size_t i = 0; i < size; i += 509)
		if (block[i] != (char)(i * 7 + seed)) {
			CHECK(0, "byte %zu of %zu was not kept", i, size);
			return;
		}
}

static void
sizes(omp_alloctrait_value_t partition, int here)
{
	static const size_t size[] = {40, 1500, 4000, 4096, 12288, 20000, 300001, 5 << 20};
	omp_allocator_handle_t handle = allocator(partition);
	for (unsigned i = 0; i < sizeof size / sizeof *size; i++) {
		char *block = omp_alloc(size[i], handle);
		CHECK(block);
		fill(block, 0, size[i], i);
		check(partition, block, size[i], here);
		size_t larger = size[i] * 5 / 2;
		block = omp_realloc(block, larger, handle, handle);
		CHECK(block);
		holds(block, size[i], i);
		fill(block, 0, larger, i);
		check(partition, block, larger, here);
		block = omp_realloc(block, size[i], omp_null_allocator, omp_null_allocator);
		holds(block, size[i], i);
		check(partition, block, size[i], here);
		omp_free(block, i % 2 ? handle : omp_null_allocator);
		for (size_t align = 64; align <= 65536; align *= 32) {
			block = omp_aligned_calloc(align, 1, size[i], handle);
			CHECK(block && (uintptr_t)block % align == 0);
			for (size_t at = 0; at < size[i]; at++)
				if (block[at])
					CHECK(0, "byte %zu is not zero", at);
			fill(block, 0, size[i], i);
			check(partition, block, size[i], here);
			omp_free(block, handle);
		}
	}
	omp_destroy_allocator(handle);
}

/* Small blocks that were freed are given out again. Each lies whole on its node, and none lies in another. */
static void
many(omp_alloctrait_value_t partition, int here)
{
	enum { COUNT = 600 };
	static char *block[COUNT];
	omp_allocator_handle_t handle = allocator(partition);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < COUNT; i++) {
			if (block[i] && i % 3 == round) {
				omp_free(block[i], handle);
				block[i] = NULL;
			}
			if (!block[i]) {
				size_t size = (size_t)(i * 37 % 1900 + 1);
				block[i] = omp_alloc(size, handle);
				CHECK(block[i]);
				memset(block[i], i, size);
				if (partition == omp_atv_nearest && i % 16 == 0)
					check(partition, block[i], size, here);
			}
		}
		for (int i = 0; i < COUNT; i++) {
			size_t size = (size_t)(i * 37 % 1900 + 1);
			CHECK(block[i][0] == (char)i && block[i][size - 1] == (char)i);
		}
	}
	for (int i = 0; i < COUNT; i++) {
		omp_free(block[i], handle);
		block[i] = NULL;
	}
	omp_destroy_allocator(handle);
}

int
main(void)
{
	read_allowed();
	/* From a CPU of each node in turn. */
	for (int here = 0; here < 4; here++) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET(here * 4 + 1, &set);
		CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
		sizes(omp_atv_nearest, here);
		many(omp_atv_nearest, here);
	}
	sizes(omp_atv_blocked, 3);
	sizes(omp_atv_interleaved, 3);
	many(omp_atv_interleaved, 3);
	/* The system's policy: a page lies on the node of the thread that touches it first. */
	omp_allocator_handle_t handle = allocator(omp_atv_environment);
	char *block = omp_alloc(1 << 20, handle);
	fill(block, 0, 1 << 20, 0);
	check_nearest(block + 4096, (1 << 20) - 8192, nearest_to(3));
	omp_free(block, handle);
	omp_destroy_allocator(handle);
	return check_end();
}
