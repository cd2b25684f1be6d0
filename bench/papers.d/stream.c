/* STREAM and Nested-STREAM (RenPar 2009, tables 1 and 2): `stream TEAMS INNER HOMES ROUNDS HINTS`.
 *
 * TEAMS threads, or as many teams of INNER if INNER is not 0. Each thread goes through its own part of three vectors. A
 * round is a region for each of five kernels: one that only reads, then Copy, Scale, Add and Triad. HOMES tells where
 * the parts lie: each thread touches its own first (own), the main thread all (main), or page by page round the node of
 * the thread and those that are nearest to it (near). HINTS is 1: each region tells what its threads use. It prints the
 * nanoseconds of the last round, by kernel. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../include/forestgomp.h"
#include "../../include/forestgomp/memory.h"

/* Only ForestGOMP has them. */
#pragma weak fgomp_add_next_team_area
#pragma weak fgomp_add_next_team_member_area
#pragma weak fgomp_sim_read
#pragma weak fgomp_sim_write
#pragma weak fgomp_pages_alloc
#pragma weak fgomp_pages_locate
#pragma weak fgomp_pages_nodes
#pragma weak fgomp_pages_access_cost

enum { VECTORS = 3, PART = 1 << 20, PAGE = 4096, MOST = 256, NODES = 64 };

static int teams, inner, hints;
static const char *homes;
static char *part[MOST][VECTORS];

/* In order: what it writes, and what it reads; -1: nothing. */
static const struct kernel {
	const char *name;
	int writes, reads[2];
} kernels[] = {
	{"Read", -1, {0, -1}}, {"Copy", 2, {0, -1}}, {"Scale", 1, {2, -1}}, {"Add", 2, {0, 1}}, {"Triad", 0, {1, 2}},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static int
thread_number(void)
{
	if (!inner)
		return omp_get_thread_num();
	return omp_get_ancestor_thread_num(1) * inner + omp_get_thread_num();
}

/* The node of the thread, and those at the least distance from it. */
static unsigned
nodes_near(unsigned *node)
{
	static char here[MOST][PAGE] __attribute__((aligned(4096)));
	size_t on[NODES] = {0};
	unsigned n = 1, least = ~0u;
	char *page = here[thread_number()];
	fgomp_sim_write(page, PAGE);
	fgomp_pages_locate(page, PAGE, on, NODES);
	for (node[0] = 0; node[0] < NODES - 1 && !on[node[0]];)
		node[0]++;
	for (unsigned k = 0; k < fgomp_pages_nodes(); k++)
		if (k != node[0] && fgomp_pages_access_cost(node[0], k) < least)
			least = fgomp_pages_access_cost(node[0], k);
	for (unsigned k = 0; k < fgomp_pages_nodes(); k++)
		if (k != node[0] && fgomp_pages_access_cost(node[0], k) == least)
			node[n++] = k;
	return n;
}

/* A part has its memory before, unless it lies round nodes. */
static void
part_begin(char **vector)
{
	unsigned node[NODES];
	struct fgomp_pages_wish wish = {.nodes = node};
	if (!strcmp(homes, "near")) {
		wish.n_nodes = nodes_near(node);
		for (int v = 0; v < VECTORS; v++)
			vector[v] = fgomp_pages_alloc(PART, FGOMP_PAGES_INTERLEAVED, &wish);
	}
	for (int v = 0; v < VECTORS && strcmp(homes, "main"); v++)
		fgomp_sim_write(vector[v], PART);
}

/* A page at a time. */
static void
part_use(char **vector, const struct kernel *kernel)
{
	for (size_t at = 0; at < PART; at += PAGE) {
		for (int i = 0; i < 2; i++)
			if (kernel->reads[i] >= 0)
				fgomp_sim_read(vector[kernel->reads[i]] + at, PAGE);
		if (kernel->writes >= 0)
			fgomp_sim_write(vector[kernel->writes] + at, PAGE);
	}
}

static void
tell(int first, int n, int each)
{
	for (int k = 0; hints && k < n; k++)
		for (int i = 0; i < each * VECTORS; i++)
			fgomp_add_next_team_member_area(k, part[first + k * each + i / VECTORS][i % VECTORS], PART,
							FGOMP_READ_WRITE);
}

/* kernel: NULL: the parts begin. */
static void
run(const struct kernel *kernel)
{
	tell(0, teams, inner ? inner : 1);
#pragma omp parallel num_threads(teams)
	{
		if (!inner) {
			kernel ? part_use(part[thread_number()], kernel) : part_begin(part[thread_number()]);
		} else {
			tell(omp_get_thread_num() * inner, inner, 1);
#pragma omp parallel num_threads(inner)
			kernel ? part_use(part[thread_number()], kernel) : part_begin(part[thread_number()]);
		}
	}
}

static void
memory_begin(int n)
{
	char *all = aligned_alloc(PAGE, (size_t)n * VECTORS * PART);
	if (!all)
		exit(2);
	for (int i = 0; i < n * VECTORS; i++)
		part[i / VECTORS][i % VECTORS] = all + (size_t)i * PART;
	if (!strcmp(homes, "main"))
		fgomp_sim_write(all, (size_t)n * VECTORS * PART);
}

int
main(int argc, char **argv)
{
	if (argc < 6 || !fgomp_sim_read) {
		fprintf(stderr, "stream TEAMS INNER own|main|near ROUNDS HINTS: it runs on simulated machines only\n");
		return 2;
	}
	teams = atoi(argv[1]);
	inner = atoi(argv[2]);
	homes = argv[3];
	int n = teams * (inner ? inner : 1), rounds = atoi(argv[4]);
	if (n < 1 || n > MOST || teams < 1 || inner < 0)
		return 2;
	omp_set_max_active_levels(2);
	memory_begin(n);
	int told = atoi(argv[5]);
	run(NULL);
	hints = told;
	double ns[KERNELS];
	for (int round = 0; round < rounds; round++)
		for (int k = 0; k < KERNELS; k++) {
			if (k == 0) /* nothing of the last kernel's goes back to memory meanwhile */
				run(&kernels[k]);
			double start = omp_get_wtime();
			run(&kernels[k]);
			ns[k] = (omp_get_wtime() - start) * 1e9;
		}
	for (int k = 0; k < KERNELS; k++) {
		int vectors = (kernels[k].writes >= 0) + (kernels[k].reads[0] >= 0) + (kernels[k].reads[1] >= 0);
		fprintf(stderr, "sample %s ns %.0f %.0f\n", kernels[k].name, ns[k], ns[k]);
		fprintf(stderr, "rate %s %.0f\n", kernels[k].name, 1e3 * n * PART * vectors / ns[k]);
	}
	return 0;
}
