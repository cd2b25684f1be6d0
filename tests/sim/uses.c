/* Members that read a part of what one other writes, and one table: `uses PASSES`. Regions 1, 2 and 3 pair member k of
 * 8 with k ^ 4, k ^ 1 and k ^ 2. In each region a member reads and writes 128 lines of its own, and reads 64 of its
 * partner's and the 64 of the table. */
#include <forestgomp.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, MEMBERS = 8, PORTION = 256 * LINE, TABLE = 64 * LINE };

static char *matrix;

static void
go(int passes, size_t partner)
{
	char *own = matrix + TABLE + (size_t)omp_get_thread_num() * PORTION,
	     *other = matrix + TABLE + ((size_t)omp_get_thread_num() ^ partner) * PORTION;
	for (int pass = 0; pass < passes; pass++) {
		fgomp_sim_read(own, PORTION / 2);
		fgomp_sim_write(own, PORTION / 2);
		fgomp_sim_read(other, PORTION / 4);
		fgomp_sim_read(matrix, TABLE);
	}
}

int
main(int argc, char **argv)
{
	int passes = argc > 1 ? atoi(argv[1]) : 1;
	matrix = mmap(NULL, TABLE + MEMBERS * PORTION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (matrix == MAP_FAILED)
		return 1;
#pragma omp parallel num_threads(MEMBERS)
	go(passes, 4);
#pragma omp parallel num_threads(MEMBERS)
	go(passes, 1);
#pragma omp parallel num_threads(MEMBERS)
	go(passes, 2);
	return 0;
}
