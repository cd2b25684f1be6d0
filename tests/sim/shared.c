/* Members that share with one other each, some pairs more than others: `shared KB ROUNDS PASSES A B`.
 * Of 8 members, in region 1 member k shares with k ^ 4, in region 2 with k ^ 1. The pairs share a fourth, a half, three
 * fourths and all of A and B percent of their portions of KB. A region goes PASSES times over its data. It really does
 * so, and it also tells the simulated machine: what samples find on a real one can be compared. */
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MEMBERS = 8, LINE = 64, LINE_NS = 2 };

static char *matrix;
static size_t portion;

static void
go_through(char *from, size_t bytes)
{
	volatile double *data = (double *)(void *)from;
	for (size_t i = 0; i < bytes / sizeof *data; i++)
		data[i] = data[i] * 0.5 + 1;
	fgomp_sim_read(from, bytes);
	fgomp_sim_write(from, bytes);
}

static void
go(unsigned member, unsigned partner, unsigned pair, int percent)
{
	size_t shared = portion * (size_t)percent / 100 * (pair + 1) / 4 / LINE * LINE;
	go_through(matrix + member * portion, portion);
	if (shared)
		go_through(matrix + partner * portion, shared);
	fgomp_sim_work((portion + shared) / LINE * LINE_NS);
}

int
main(int argc, char **argv)
{
	if (argc != 6)
		return 2;
	portion = (size_t)atoi(argv[1]) << 10;
	int rounds = atoi(argv[2]), passes = atoi(argv[3]), far = atoi(argv[4]), near = atoi(argv[5]);
	matrix = mmap(NULL, MEMBERS * portion, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (matrix == MAP_FAILED)
		return 1;
	double begin = omp_get_wtime();
	for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(MEMBERS)
		for (unsigned pass = 0, k = (unsigned)omp_get_thread_num(); pass < (unsigned)passes; pass++)
			go(k, k ^ 4, k % 4, far);
#pragma omp parallel num_threads(MEMBERS)
		for (unsigned pass = 0, k = (unsigned)omp_get_thread_num(); pass < (unsigned)passes; pass++)
			go(k, k ^ 1, k / 2, near);
	}
	printf("%.0f\n", (omp_get_wtime() - begin) * 1e9);
	return 0;
}
