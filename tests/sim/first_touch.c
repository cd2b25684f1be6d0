/* Who touches an array first, and who uses it then: `first_touch PATTERN MIB SWEEPS`. After a first touch, each sweep
 * is a region in which all members go through the array, by one of these patterns:
 *
 * blocks   member 0 touches all; each member uses its own block
 * placed   each member touches its own block, and uses it
 * turning  as blocks; from the middle of the sweeps on, each uses the block of the member half a team away
 * strips   member 0 touches all; members use strips of 4 pages in turn
 * nested   member 0 touches all; four members have a block each, and use it with a team each, in three regions
 * all      member 0 touches all; each member goes through an 8th of the pages, by chance
 *
 * It prints a line "sweep N" for each sweep, in ns. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forestgomp.h"

enum { PAGE = 4096, STRIP = 4 * PAGE };

static char *array;
static size_t bytes;

static void
use_block(unsigned number, unsigned of)
{
	size_t from = bytes / of * number;
	fgomp_sim_write(array + from, bytes / of);
}

static void
use_strips(unsigned number, unsigned of)
{
	for (size_t at = (size_t)number * STRIP; at + STRIP <= bytes; at += (size_t)of * STRIP)
		fgomp_sim_write(array + at, STRIP);
}

static void
use_with_team(unsigned number, unsigned of)
{
	for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(omp_get_num_procs() / 4)
		use_block(number * (unsigned)omp_get_num_threads() + (unsigned)omp_get_thread_num(),
			  of * (unsigned)omp_get_num_threads());
	}
}

static void
use_by_chance(unsigned number, unsigned sweep)
{
	unsigned long long x = sweep * 1000003ull + number + 1;
	for (size_t left = bytes / PAGE / 8; left; left--) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		fgomp_sim_read(array + (x >> 33) % (bytes / PAGE) * PAGE, PAGE);
	}
}

static void
sweep(const char *pattern, unsigned number, unsigned sweeps)
{
	unsigned member = (unsigned)omp_get_thread_num(), members = (unsigned)omp_get_num_threads();
	if (strcmp(pattern, "strips") == 0)
		use_strips(member, members);
	else if (strcmp(pattern, "nested") == 0)
		use_with_team(member, members);
	else if (strcmp(pattern, "all") == 0)
		use_by_chance(member, number);
	else if (strcmp(pattern, "turning") == 0 && number >= sweeps / 2)
		use_block((member + members / 2) % members, members);
	else
		use_block(member, members);
}

int
main(int argc, char **argv)
{
	const char *pattern = argc > 1 ? argv[1] : "blocks";
	bytes = (size_t)(argc > 2 ? atoi(argv[2]) : 8) << 20;
	unsigned sweeps = argc > 3 ? (unsigned)atoi(argv[3]) : 10;
	array = malloc(bytes);
	if (!array)
		return 1;
	if (strcmp(pattern, "placed") != 0)
		fgomp_sim_write(array, bytes);
	omp_set_max_active_levels(2);
	omp_set_num_threads(strcmp(pattern, "nested") == 0 ? 4 : omp_get_num_procs());
	for (unsigned i = 0; i < sweeps; i++) {
		double begin = omp_get_wtime();
#pragma omp parallel
		sweep(pattern, i, sweeps);
		printf("sweep %.0f\n", 1e9 * (omp_get_wtime() - begin));
	}
	free(array);
	return 0;
}
