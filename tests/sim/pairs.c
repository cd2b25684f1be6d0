/* Members that share with one other each, and with another one in each region:
 * `pairs KB ROUNDS PASSES A B C [MEMBERS]`.
 * Regions 1, 2 and 3 pair member k of 8, or MEMBERS, with k + MEMBERS / 2, k ^ 1 and k ^ 2, which share A, B and C
 * percent of their portions of KB. A negative share: there is no such region. A region goes PASSES times over its data.
 * A region before sets these up, once, or SETUP times (a variable). The program prints the time of all rounds in ns.
 * Dynamic Thread Pinning (Euro-Par 2013), section 2, has the first two of these regions. */
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, LINE_NS = 2 };

static char *matrix;
static size_t portion, members = 8;

static void
go(size_t member, size_t partner, int percent)
{
	char *own = matrix + member * portion, *other = matrix + partner * portion;
	size_t shared = portion * (size_t)percent / 100 / LINE * LINE;
	fgomp_sim_read(own, portion);
	fgomp_sim_write(own, portion);
	if (shared) {
		fgomp_sim_read(other, shared);
		fgomp_sim_write(other, shared);
	}
	fgomp_sim_work((portion + shared) / LINE * LINE_NS);
}

int
main(int argc, char **argv)
{
	if (argc != 7 && argc != 8)
		return 2;
	portion = (size_t)atoi(argv[1]) << 10;
	int rounds = atoi(argv[2]), passes = atoi(argv[3]);
	int far = atoi(argv[4]), near = atoi(argv[5]), between = atoi(argv[6]);
	if (argc == 8)
		members = strtoul(argv[7], NULL, 10) / 4 * 4;
	if (!members)
		return 2;
	matrix = mmap(NULL, members * portion, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (matrix == MAP_FAILED)
		return 1;
	const char *setup = getenv("SETUP");
	for (int i = 0; i < (setup ? atoi(setup) : 1); i++)
#pragma omp parallel num_threads(members)
	fgomp_sim_write(matrix + (size_t)omp_get_thread_num() * portion, portion);
	double begin = omp_get_wtime();
	for (int round = 0; round < rounds; round++) {
		if (far >= 0) {
#pragma omp parallel num_threads(members)
			for (int pass = 0, k = omp_get_thread_num(); pass < passes; pass++)
				go((unsigned)k, ((unsigned)k + members / 2) % members, far);
		}
		if (near >= 0) {
#pragma omp parallel num_threads(members)
			for (int pass = 0, k = omp_get_thread_num(); pass < passes; pass++)
				go((unsigned)k, (unsigned)k ^ 1, near);
		}
		if (between >= 0) {
#pragma omp parallel num_threads(members)
			for (int pass = 0, k = omp_get_thread_num(); pass < passes; pass++)
				go((unsigned)k, (unsigned)k ^ 2, between);
		}
	}
	printf("%.0f\n", (omp_get_wtime() - begin) * 1e9);
	return 0;
}
