// A node that has memory and no CPUs, as slow memory and other devices bring. It gets nothing unless the program names
// it: neither by partitions, nor by placements over all nodes. Threads are placed as if it were not there.
// bare: yes
// threads: 16
// env: -
// env: FGOMP_SCHED=cache
// env: OMP_PLACES=numa_domains OMP_PROC_BIND=spread
// limit: 40
#include "nodes.h"
#include "../../include/forestgomp/memory.h"
#pragma weak fgomp_pages_alloc
#pragma weak fgomp_pages_free
#pragma weak fgomp_pages_nodes

enum { BARE = 4, BYTES = 4 << 20 };

static unsigned
count_on(void *block, int wanted)
{
	static int node[MAX_PAGES];
	unsigned n = 0;
	memset(block, 1, BYTES);
	int pages = nodes_of(block, BYTES, node);
	for (int i = 0; i < pages; i++)
		n += node[i] == wanted;
	return n;
}

static void
partition(omp_alloctrait_value_t value)
{
	omp_alloctrait_t traits[] = {{omp_atk_partition, value}};
	omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, traits);
	char *block = omp_alloc(BYTES, allocator);
	CHECK(block);
	CHECK(count_on(block, BARE) == 0, "partition %d: %u pages", (int)value, count_on(block, BARE));
	omp_free(block, allocator);
	omp_destroy_allocator(allocator);
}

static void
placement(enum fgomp_pages_placement how)
{
	char *block = fgomp_pages_alloc(BYTES, how, NULL);
	CHECK(block);
	CHECK(count_on(block, BARE) == 0, "placement %d: %u pages", (int)how, count_on(block, BARE));
	CHECK(how != FGOMP_PAGES_INTERLEAVED || count_on(block, 3) >= BYTES / 4096 / 4);
	fgomp_pages_free(block);
}

int
main(void)
{
	static const unsigned named[] = {BARE};
	const struct fgomp_pages_wish there = {.n_nodes = 1, .nodes = named};
	FILE *file = fopen("/sys/devices/system/node/has_cpu", "r");
	char text[64] = "";
	unsigned members = 0;
	CHECK(file && fgets(text, sizeof text, file) && strcmp(text, "0-3\n") == 0, "%s", text);
	CHECK(fgomp_pages_nodes() == BARE + 1, "%u nodes", fgomp_pages_nodes());
	for (int i = 0; i < 20; i++) {
#pragma omp parallel reduction(+ : members)
		members++;
	}
	CHECK(members == 20 * 16, "%u", members);
	partition(omp_atv_interleaved);
	partition(omp_atv_blocked);
	partition(omp_atv_nearest);
	placement(FGOMP_PAGES_INTERLEAVED);
	placement(FGOMP_PAGES_BLOCKS);
	placement(FGOMP_PAGES_LEAST_LOADED);
	placement(FGOMP_PAGES_NEAREST);
	char *block = fgomp_pages_alloc(BYTES, FGOMP_PAGES_NODE, &there);
	CHECK(block && count_on(block, BARE) == BYTES / 4096, "%u pages where they are wanted",
	      block ? count_on(block, BARE) : 0);
	fgomp_pages_free(block);
	return check_end();
}
