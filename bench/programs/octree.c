/* Divide and conquer on an irregular tree of some 200,000 nodes of some 2 us. At each of its 25,000 inner nodes a
   region of 4 threads shares out the 8 children. `octree serial` has no regions; in `all`, all levels are active; in
   `one`, one level is active. */
#include <omp.h>
#include <stdint.h>
#include "bench.h"

enum { NODE_LENGTH = 2000 };

static uint64_t
mix(uint64_t key)
{
	key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ul;
	key = (key ^ key >> 27) * 0x94d049bb133111ebul;
	return key ^ key >> 31;
}

/* For each depth: how many of 1000 nodes have children. The numbers are chosen for the totals above. */
static int
node_splits(uint64_t key, int depth)
{
	static const unsigned per_mille[] = {1000, 1000, 1000, 800, 750, 700, 75, 0};
	return mix(key) % 1000 < per_mille[depth];
}

static uint64_t
node_child(uint64_t key, int i)
{
	return mix(key * 8 + i + 1);
}

static long
node_serial(uint64_t key, int depth)
{
	long nodes = 1;
	bench_delay(NODE_LENGTH);
	if (node_splits(key, depth))
		for (int i = 0; i < 8; i++)
			nodes += node_serial(node_child(key, i), depth + 1);
	return nodes;
}

static long
node_nested(uint64_t key, int depth)
{
	bench_delay(NODE_LENGTH);
	if (!node_splits(key, depth))
		return 1;
	long nodes[8];
#pragma omp parallel for num_threads(4) schedule(dynamic, 1)
	for (int i = 0; i < 8; i++)
		nodes[i] = node_nested(node_child(key, i), depth + 1);
	long sum = 1;
	for (int i = 0; i < 8; i++)
		sum += nodes[i];
	return sum;
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		return bench_usage("octree serial|all|one");
	const char *name = "serial";
	long (*walk)(uint64_t key, int depth) = node_serial;
	if (strcmp(argv[1], "serial")) {
		int all = !strcmp(argv[1], "all");
		name = all ? "all_levels" : "one_level";
		walk = node_nested;
		omp_set_max_active_levels(all ? 64 : 1);
	}
#pragma omp parallel num_threads(4)
	__asm__ volatile("" : : : "memory");
	double start = bench_now();
	long nodes = walk(1, 0);
	double took = bench_now() - start;
	if (nodes != 199265) {
		fprintf(stderr, "octree: %ld nodes were visited instead of 199265\n", nodes);
		return 1;
	}
	bench_report(name, "ms", took / 1e6, took / 1e6, 0);
	return 0;
}
