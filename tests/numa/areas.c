// A bubble scheduler is told of areas on which nodes they lie: of allocators that place their blocks, of memory that
// each node's threads touched first; and which node a PU is near to. The kernel's own words are compared page by page.
// threads: 16
// library: ../numa/areas_plugin.c
// env: FGOMP_SCHED=/programs/areas_plugin.so OMP_PROC_BIND=true OMP_PLACES=cores
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/forestgomp.h"
#include "../../include/forestgomp/sched.h"
#include "nodes.h"

#pragma weak fgomp_attach_area
#pragma weak fgomp_detach_area

enum { MB = 1 << 20, NODES = 4 };

static struct fgomp_area *seen;
static unsigned *n_seen, *nodes, *changes;
static size_t (*on)[4], *all_on, *all;
static int *node_of_pu;

static void *
find(void *plugin, const char *name)
{
	void *found = dlsym(plugin, name);
	CHECK(found, "no %s", name);
	return found;
}

static void
open_plugin(void)
{
	void *plugin = dlopen(getenv("FGOMP_SCHED"), RTLD_NOW | RTLD_NOLOAD);
	CHECK(plugin, "%s", dlerror());
	seen = find(plugin, "areas_seen");
	n_seen = find(plugin, "areas_n");
	nodes = find(plugin, "areas_nodes");
	changes = find(plugin, "areas_changes");
	on = find(plugin, "areas_on");
	all_on = find(plugin, "areas_all_on");
	all = find(plugin, "areas_all");
	node_of_pu = find(plugin, "areas_node_of_pu");
}

// The number of the note about an area, by its start; -1: there is none.
static int
index_of_area(const void *start)
{
	for (unsigned i = 0; i < *n_seen; i++)
		if (seen[i].start == start)
			return (int)i;
	return -1;
}

// By the kernel, page by page; within so many per cent of the whole.
static void
compare(char *block, size_t bytes, unsigned percent)
{
	static int node[MAX_PAGES];
	size_t exact[NODES] = {0};
	int pages = nodes_of(block, bytes, node), i = index_of_area(block);
	CHECK(i >= 0 && seen[i].bytes == bytes, "%p is not known", (void *)block);
	for (int k = 0; k < pages; k++)
		if (node[k] >= 0)
			exact[node[k]] += 4096;
	for (int k = 0; i >= 0 && k < NODES; k++) {
		size_t noted = on[i][k], slack = bytes / 100 * percent + 8192;
		CHECK(noted + slack >= exact[k] && noted <= exact[k] + slack,
		      "%zu bytes, node %d: %zu noted, %zu there", bytes, k, noted, exact[k]);
	}
}

// The calling thread's words make the scheduler look.
static void
look(char *block, size_t bytes)
{
	fgomp_detach_area(block, bytes);
	fgomp_attach_area(block, bytes, FGOMP_READ);
}

static void
allocators(omp_alloctrait_value_t partition, size_t bytes, unsigned percent)
{
	omp_alloctrait_t trait = {omp_atk_partition, partition};
	omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, &trait);
	unsigned told = changes[FGOMP_CHANGE_AREA];
	char *block = omp_alloc(bytes, allocator);
	CHECK(changes[FGOMP_CHANGE_AREA] == told + 1, "the block is not told of");
	look(block, bytes);
	int i = index_of_area(block);
	CHECK(i >= 0 && seen[i].allocated && seen[i].access == FGOMP_READ);
	CHECK(i >= 0 && on[i][0] + on[i][1] + on[i][2] + on[i][3] <= 8192, "it is not touched yet");
	memset(block, 1, bytes);
	look(block, bytes);
	compare(block, bytes, percent);
	if (partition == omp_atv_blocked)
		for (int k = 0; k < NODES; k++)
			CHECK(on[index_of_area(block)][k] >= bytes / 5, "node %d has %zu", k,
			      on[index_of_area(block)][k]);
	omp_free(block, allocator);
	CHECK(changes[FGOMP_CHANGE_AREA] == told + 2);
	omp_destroy_allocator(allocator);
}

static void
first_touch(void)
{
	static char *block;
	block = mmap(NULL, 16 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(block != MAP_FAILED && madvise(block, 16 * MB, MADV_NOHUGEPAGE) == 0); // each slice has pages of its own
#pragma omp parallel
	{
		unsigned cpu, node, k = (unsigned)omp_get_thread_num();
		char *mine = block + k * MB;
		memset(mine, 1, MB);
		CHECK(syscall(SYS_getcpu, &cpu, &node, NULL) == 0);
#pragma omp critical
		{
			fgomp_attach_area(mine, MB, FGOMP_READ_WRITE);
			int i = index_of_area(mine);
			compare(mine, MB, 0);
			CHECK(i >= 0 && on[i][node] >= MB - 8192, "thread %u on node %u", k, node);
			CHECK(node_of_pu[cpu] == (int)node, "PU %u: %d, not %u", cpu, node_of_pu[cpu], node);
		}
#pragma omp barrier
#pragma omp single
		{
			look(block, 16);
			CHECK(*n_seen == 17 && *all == 16 * MB + 16, "%u areas, %zu bytes", *n_seen, *all);
			for (int n = 0; n < NODES; n++)
				CHECK(all_on[n] + 32768 >= 4 * MB && all_on[n] <= 4 * MB + 32768, "node %d: %zu", n,
				      all_on[n]);
		}
	}
	munmap(block, 16 * MB);
}

int
main(void)
{
	if (!fgomp_attach_area)
		return 0;
	open_plugin();
	omp_set_max_active_levels(2);
	/* Makes the levels of the machine known. */
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	__asm__ volatile("");
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		allocators(omp_atv_blocked, 256 * 4096, 0);
		allocators(omp_atv_blocked, 16 * MB, 3);
		allocators(omp_atv_interleaved, 256 * 4096, 0);
		allocators(omp_atv_interleaved, 16 * MB, 12);
		allocators(omp_atv_nearest, 4 * MB, 0);
		CHECK(*nodes == NODES, "%u nodes", *nodes);
	}
	first_touch();
	return check_end();
}
