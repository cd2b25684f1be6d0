/* Ten kernels in the manner of NPB and SPEC OMP (Euro-Par 2013): `kernels NAME [KB [ROUNDS]]`.
 *
 * A kernel is a list of regions, and a region a list of uses. Each member has a portion of KB of each array, which it
 * touches first. The rest is as the kernels of these names do it: halos of a stencil are read, and were written in
 * another region; a table is read by all; a sweep reads what a neighbour writes in the same region. The program prints
 * the time of all rounds in ns. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "../../include/forestgomp.h"

/* Only ForestGOMP has them. */
#pragma weak fgomp_sim_read
#pragma weak fgomp_sim_write
#pragma weak fgomp_sim_work

enum { LINE = 64, ARRAYS = 5, REGIONS = 6, USES = 6, TABLE_LINES = 256 };

/* What a member does with an array. The partner is member k + by (NEXT), or k ^ by (PAIR). `lines`: so many of the
 * portion; 0: all of it. */
enum kind { NONE, READ, WRITE, READ_NEXT, WRITE_NEXT, READ_PAIR, WRITE_PAIR, READ_TABLE, READ_ALL };

struct use {
	enum kind kind;
	int array, by, lines;
};

static const struct kernel {
	const char *name;
	struct use region[REGIONS][USES];
} kernels[] = {
	/* Streams, and coefficients that all read. */
	{"wupwise", {{{READ, 0}, {WRITE, 1}, {READ_TABLE}}, {{READ, 1}, {WRITE, 0}, {READ_TABLE}}}},
	/* Three stencils on arrays that no cache holds. What they share is read only, and under 1%: unlike partners. */
	{"swim",
	 {{{READ, 0}, {READ, 1}, {WRITE, 2}, {READ_PAIR, 0, 24, 64}},
	  {{READ, 2}, {READ, 3}, {WRITE, 4}, {READ_PAIR, 2, 16, 64}},
	  {{READ, 4}, {READ, 0}, {WRITE, 1}, {READ_PAIR, 4, 8, 64}}}},
	/* Levels of grids: the coarser, the farther are the neighbours. */
	{"mgrid",
	 {{{READ, 0}, {WRITE, 1}, {READ_NEXT, 0, 1, 64}, {READ_NEXT, 0, -1, 64}},
	  {{READ, 1, 0, 512}, {WRITE, 2, 0, 512}, {READ_NEXT, 1, 4, 32}, {READ_NEXT, 1, -4, 32}},
	  {{READ, 2, 0, 512}, {WRITE, 0, 0, 512}, {READ_NEXT, 2, 8, 32}, {READ_NEXT, 2, -8, 32}}}},
	/* Lower and upper sweeps: a neighbour's rows are read while it writes them. */
	{"applu",
	 {{{READ, 0}, {WRITE, 1}, {READ_NEXT, 1, -1, 512}},
	  {{READ, 1}, {WRITE, 0}, {READ_NEXT, 0, 1, 512}},
	  {{READ, 0}, {WRITE, 2}, {READ_PAIR, 0, 4, 64}}}},
	/* Matrix by vector: each writes its part of the result, and all read the whole vector of before. */
	{"galgel", {{{READ, 0}, {WRITE, 1}, {READ_ALL, 2, 0, 32}}, {{READ, 1}, {WRITE, 2}, {READ_ALL, 1, 0, 32}}}},
	/* Sparse matrix by vector: parts of the vector, of neighbours by the mesh. */
	{"equake",
	 {{{READ, 0}, {WRITE, 1}, {READ_NEXT, 2, 3, 128}, {READ_NEXT, 2, 11, 128}},
	  {{READ, 1}, {WRITE, 2}, {READ_NEXT, 1, 1, 32}, {READ_NEXT, 1, -1, 32}}}},
	/* Columns, then levels: regions that truly share, with other partners. */
	{"apsi",
	 {{{READ, 0, 0, 2048}, {WRITE, 1, 0, 2048}, {READ_PAIR, 1, 1, 1024}, {WRITE_PAIR, 1, 1, 512}},
	  {{READ, 1, 0, 2048}, {WRITE, 2, 0, 2048}, {READ_PAIR, 2, 16, 1024}, {WRITE_PAIR, 2, 16, 512}}}},
	/* Networks that are read by all; each member has weights of its own. */
	{"art", {{{READ_TABLE}, {READ, 0}, {WRITE, 1}}, {{READ_TABLE}, {READ, 1}, {READ_PAIR, 0, 2, 64}, {WRITE, 0}}}},
	/* Forces on the atoms of neighbours, in one region; then each moves its own. */
	{"ammp",
	 {{{READ, 0, 0, 2048}, {READ_NEXT, 0, 1, 1024}, {WRITE_NEXT, 1, 1, 1024}, {WRITE, 1, 0, 2048}},
	  {{READ, 1, 0, 512}, {WRITE, 0, 0, 512}, {READ_PAIR, 3, 8, 64}}}},
	/* A transpose: each reads a strip of all others. */
	{"ft", {{{READ, 0}, {WRITE, 1}}, {{READ_ALL, 1, 0, 128}, {WRITE, 2}}, {{READ, 2}, {WRITE, 0}, {READ_TABLE}}}},
};

static const struct kernel *kernel;
static char *array[ARRAYS], *table;
static size_t portion;

static void
read_of(int number, unsigned member, size_t bytes)
{
	fgomp_sim_read(array[number] + member * portion, bytes);
}

static void
write_of(int number, unsigned member, size_t bytes)
{
	fgomp_sim_write(array[number] + member * portion, bytes);
}

static void
use(const struct use *one)
{
	unsigned members = (unsigned)omp_get_num_threads(), self = (unsigned)omp_get_thread_num();
	unsigned next = (unsigned)((int)(self + members) + one->by) % members;
	unsigned pair = (self ^ (unsigned)one->by) % members;
	size_t bytes = one->lines && (size_t)one->lines * LINE < portion ? (size_t)one->lines * LINE : portion;
	fgomp_sim_work(bytes / LINE);
	switch (one->kind) {
	case NONE:
		break;
	case READ:
		read_of(one->array, self, bytes);
		break;
	case WRITE:
		write_of(one->array, self, bytes);
		break;
	case READ_NEXT:
		read_of(one->array, next, bytes);
		break;
	case WRITE_NEXT:
		write_of(one->array, next, bytes);
		break;
	case READ_PAIR:
		read_of(one->array, pair, bytes);
		break;
	case WRITE_PAIR:
		write_of(one->array, pair, bytes);
		break;
	case READ_TABLE:
		fgomp_sim_read(table, TABLE_LINES * LINE);
		break;
	case READ_ALL:
		for (unsigned other = 0; other < members; other++)
			read_of(one->array, other, bytes);
	}
}

static void
perform(int region)
{
	for (int i = 0; i < USES && kernel->region[region][i].kind; i++)
		use(&kernel->region[region][i]);
}

/* Each region has code of its own. */
#define REGION(n)                                                                                                      \
	static __attribute__((noinline, noclone)) void region_##n(void)                                                \
	{                                                                                                              \
		_Pragma("omp parallel") perform(n);                                                                    \
	}
REGION(0)
REGION(1)
REGION(2)
REGION(3)
REGION(4)
REGION(5)

static void (*const regions[REGIONS])(void) = {region_0, region_1, region_2, region_3, region_4, region_5};

static void *
map(size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		exit(1);
	return pages;
}

static void
touch_first(void)
{
#pragma omp parallel
	for (int i = 0; i < ARRAYS; i++)
		write_of(i, (unsigned)omp_get_thread_num(), portion);
	fgomp_sim_write(table, TABLE_LINES * LINE);
}

int
main(int argc, char **argv)
{
	portion = (size_t)(argc > 2 ? atoi(argv[2]) : 512) << 10;
	int rounds = argc > 3 ? atoi(argv[3]) : 6;
	for (size_t i = 0; argc > 1 && i < sizeof kernels / sizeof *kernels; i++)
		if (strcmp(kernels[i].name, argv[1]) == 0)
			kernel = &kernels[i];
	if (!kernel || !portion || !fgomp_sim_read) {
		fputs("kernels: `kernels NAME [KB [ROUNDS]]`, on the simulated machine\n", stderr);
		return 2;
	}
	for (int i = 0; i < ARRAYS; i++)
		array[i] = map(portion * (size_t)omp_get_max_threads());
	table = map(TABLE_LINES * LINE);
	touch_first();
	double begin = omp_get_wtime();
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < REGIONS && kernel->region[i][0].kind; i++)
			regions[i]();
	fprintf(stderr, "sample kernels ns 0 %.0f\n", 1e9 * (omp_get_wtime() - begin));
	return 0;
}
