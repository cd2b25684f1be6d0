/* Walks the octree that mpu_tree has recorded, on a simulated machine. Each fit tells its computing and the memory that
 * it goes through. The regions or tasks are those of examples/mpu: a region at each cell that is cut, over its 8
 * children, as in the paper's figure 4.
 *
 *   mpu_walk TREE serial|nested|one|tasks [TEAM] [FLOP_NS] [FIRST]
 *
 * With `nested` all levels are active, with `one` only one level. TEAM is the threads of a region (4), and FIRST those
 * of the outermost region (TEAM). For tasks TEAM is all threads (as many as there are PUs). The first thread has read
 * the points and the index's boxes, so it touches them first. The octree's cells are first touched by the threads that
 * make them. */
#include <omp.h>
#include <stdint.h>
#include <sys/mman.h>
#include "../../include/forestgomp.h"
#include "../programs/bench.h"
#include "mpu_file.h"

#pragma weak fgomp_sim_work
#pragma weak fgomp_sim_read
#pragma weak fgomp_sim_write

static struct walk_node *nodes;
static struct walk_range *ranges;
static char *points, *boxes, *cells; /* the addresses are only told, never touched */
static unsigned n_cells;
static int team = 4, first;
static double flop_ns = 1;

static char *
reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		fprintf(stderr, "mpu_walk: there is no room for %zu bytes\n", bytes);
		exit(1);
	}
	return memory;
}

static void
fit(const struct walk_node *node, char *cell)
{
	for (unsigned r = node->boxes; r < node->end; r++)
		fgomp_sim_read(boxes + (size_t)ranges[r].begin * WALK_BOX_BYTES,
			       (size_t)(ranges[r].end - ranges[r].begin) * WALK_BOX_BYTES);
	for (unsigned r = node->first; r < node->boxes; r++)
		fgomp_sim_read(points + (size_t)ranges[r].begin * WALK_POINT_BYTES,
		               (size_t)(ranges[r].end - ranges[r].begin) * WALK_POINT_BYTES);
	fgomp_sim_work((unsigned long long)(node->flops * flop_ns));
	fgomp_sim_write(cell, WALK_NODE_BYTES);
}

/* The cells of eight children are taken from one stretch, as node_cut takes them. */
static char *
cut(void)
{
	char *octet = cells + (size_t)__atomic_fetch_add(&n_cells, 8, __ATOMIC_RELAXED) * WALK_NODE_BYTES;
	fgomp_sim_write(octet, 8 * WALK_NODE_BYTES);
	return octet;
}

static void
walk_serial(const struct walk_node *node, char *cell)
{
	fit(node, cell);
	if (!node->children)
		return;
	char *octet = cut();
	for (int i = 0; i < 8; i++)
		walk_serial(&nodes[node->children + i], octet + i * WALK_NODE_BYTES);
}

static void
walk_nested(const struct walk_node *node, char *cell)
{
	fit(node, cell);
	if (!node->children)
		return;
	char *octet = cut();
#pragma omp parallel for num_threads(node == nodes ? first : team) schedule(dynamic, 1)
	for (int i = 0; i < 8; i++)
		walk_nested(&nodes[node->children + i], octet + i * WALK_NODE_BYTES);
}

static void
walk_tasks(const struct walk_node *node, char *cell)
{
	fit(node, cell);
	if (!node->children)
		return;
	char *octet = cut();
	for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i) untied
		walk_tasks(&nodes[node->children + i], octet + i * WALK_NODE_BYTES);
	}
}

static void
walk_team(const struct walk_node *node, char *cell)
{
#pragma omp parallel num_threads(team)
#pragma omp single
	walk_tasks(node, cell);
}

static int
tree_read(const char *path)
{
	struct walk_head head;
	FILE *file = fopen(path, "rb");
	if (!file || fread(&head, sizeof head, 1, file) != 1 || head.magic != WALK_MAGIC)
		return 0;
	nodes = malloc(head.nodes * sizeof *nodes);
	ranges = malloc(head.ranges * sizeof *ranges);
	if (!nodes || !ranges || fread(nodes, sizeof *nodes, head.nodes, file) != head.nodes ||
	    fread(ranges, sizeof *ranges, head.ranges, file) != head.ranges)
		return 0;
	fclose(file);
	points = reserve((size_t)head.points * WALK_POINT_BYTES);
	boxes = reserve((size_t)head.boxes * WALK_BOX_BYTES);
	cells = reserve((size_t)(head.nodes + 8) * WALK_NODE_BYTES);
	fgomp_sim_write(points, (size_t)head.points * WALK_POINT_BYTES);
	fgomp_sim_write(boxes, (size_t)head.boxes * WALK_BOX_BYTES);
	return 1;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*walk)(const struct walk_node *node, char *cell);
		int levels;
	} variants[] = {{"serial", walk_serial, 1},
			{"nested", walk_nested, 64},
			{"one", walk_nested, 1},
			{"tasks", walk_team, 1}};
	unsigned v = 0;
	while (argc >= 3 && v < 4 && strcmp(argv[2], variants[v].name))
		v++;
	if (v < 4 && variants[v].walk == walk_team)
		team = omp_get_num_procs();
	if (argc > 3)
		team = atoi(argv[3]);
	if (argc > 4)
		flop_ns = atof(argv[4]);
	first = argc > 5 ? atoi(argv[5]) : team;
	if (argc < 3 || argc > 6 || v == 4 || team < 1 || team > 1024 || first < 1 || first > 1024 ||
	    !(flop_ns > 0 && flop_ns < 1e3))
		return bench_usage("mpu_walk TREE serial|nested|one|tasks [TEAM, 1 to 1024] [FLOP_NS, less than 1000] "
				   "[FIRST, 1 to 1024]");
	if (!fgomp_sim_work || !fgomp_sim_read || !fgomp_sim_write) {
		fputs("mpu_walk: it is for ForestGOMP's simulated machine; this runtime has none; nothing was "
		      "measured\n",
		      stderr);
		return 2;
	}
	if (!tree_read(argv[1])) {
		fprintf(stderr, "mpu_walk: %s is not a tree that mpu_tree has written\n", argv[1]);
		return 1;
	}
	omp_set_max_active_levels(variants[v].levels);
	/* This region creates the threads before the clock runs. */
#pragma omp parallel
	__asm__ volatile("" : : : "memory");
	double start = bench_now();
	variants[v].walk(&nodes[0], cells);
	double took = bench_now() - start;
	bench_report(variants[v].name, "ms", took / 1e6, took / 1e6, 0);
	return 0;
}
