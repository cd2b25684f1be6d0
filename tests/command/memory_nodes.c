/* A program on a machine that has one NUMA node more than the real one. No CPU belongs to that node, and all of an
 * array lies there. So each sample of the array is remote, and its pages move to the CPUs' nodes.
 *
 *     memory_nodes moves     ends when three quarters of the array have moved
 *     memory_nodes tells     ends when some samples have met the array
 *     memory_nodes forks     one region; then as `moves` in a child, and in the parent
 *     memory_nodes leaves    as `moves`, and then a child that has no region
 *     memory_nodes pauses    as `moves`, after the runtime's threads have ended some times
 *     memory_nodes once      one region
 *     memory_nodes serial    no region
 *
 * It waits for what the sampler does, and prints "N pages moved". Meson builds it, and all of the library is in it. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "memory/where.h"

enum { PAGE = 4096, PAGES = 8192, LENGTH = PAGES * PAGE / sizeof(double), LOOK = 64, PAUSES = 3 };

static double *array;
static struct fg_atomic_u32 node_of[PAGES]; /* 0: the node without CPUs; else one more than the number */
static struct fg_atomic_u32 moved, sampled;
static struct fg_atomic_u32 slow; /* the kernel takes its time to tell where pages lie */

static unsigned
nodes(void)
{
	return fg_numa_nodes() + 1;
}

static struct fg_atomic_u32 *
node_of_page(const void *page)
{
	size_t i = ((uintptr_t)page - (uintptr_t)array) / PAGE;
	return array && i < PAGES ? &node_of[i] : NULL;
}

/* Looks at mappings ask for LOOK pages at a time. What is not the array does not exist. */
static bool
ask(unsigned n, void *const *pages, int *node)
{
	if (fg_load_relaxed(&slow))
		usleep(50000);
	for (unsigned i = 0; i < n; i++) {
		const struct fg_atomic_u32 *of = node_of_page(pages[i]);
		node[i] = of ? (int)fg_load_relaxed(of) - 1 : -2;
		if (of && node[i] < 0)
			node[i] = (int)fg_numa_nodes();
		if (of && n != LOOK)
			fg_add_relaxed(&sampled, 1);
	}
	return !getenv("HIDDEN");
}

static bool
move(unsigned n, void *const *pages, const int *to, int *node)
{
	for (unsigned i = 0; i < n; i++) {
		fg_store_relaxed(node_of_page(pages[i]), (uint32_t)to[i] + 1);
		node[i] = to[i];
	}
	fg_add_relaxed(&moved, n);
	return true;
}

static bool
unbound(const void *page)
{
	(void)page;
	return !getenv("BOUND");
}

static struct fg_where where;

/* Before the library starts. */
__attribute__((constructor(101))) static void
pretend(void)
{
	where = *fg_where;
	where.nodes = nodes;
	where.ask = ask;
	where.move = move;
	where.unbound = unbound;
	fg_where = &where;
}

static void
region(void)
{
	double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (size_t i = 0; i < LENGTH; i++)
		sum += array[i];
	if (sum != LENGTH) {
		printf("the sum is %g\n", sum);
		exit(1);
	}
}

static void
run(const char *until)
{
	do
		region();
	while (strcmp(until, "tells") == 0 ? fg_load_relaxed(&sampled) < 20
					   : strcmp(until, "moves") == 0 && fg_load_relaxed(&moved) < PAGES / 4 * 3);
}

static int
in_child(const char *until)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		if (*until)
			run(until);
		exit(0);
	}
	return waitpid(child, &status, 0) == child ? status : -1;
}

int
main(int argc, char **argv)
{
	const char *until = argc > 1 ? argv[1] : "once";
	void *map = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return 2;
	for (size_t i = 0; i < LENGTH; i++)
		((double *)map)[i] = 1;
	array = map;
	if (strcmp(until, "forks") == 0) {
		region();
		if (in_child("moves") != 0)
			return 3;
		run("moves");
	} else if (strcmp(until, "pauses") == 0) {
		fg_store_relaxed(&slow, 1);
		for (unsigned i = 0; i < PAUSES; i++) {
			region();
			omp_pause_resource_all(omp_pause_hard);
		}
		region();
		fg_store_relaxed(&slow, 0);
		run("moves");
	} else if (strcmp(until, "leaves") == 0) {
		run("moves");
		if (in_child("") != 0)
			return 3;
	} else if (strcmp(until, "serial") != 0) {
		run(until);
	}
	printf("%u pages moved\n", fg_load_relaxed(&moved));
}
