/* Members that use their own data only, wherever the runtime takes them: `own ROUNDS PASSES`.
 * 8 members go through 16 KB each, in the region itself, in a team of one, in a task that a member waits for, and in a
 * team of two, each after some turns at a barrier. The program prints where the data of member 0 begin. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MEMBERS = 8, PORTION = 16384 };

static char *matrix;
static int passes;

static void
go(unsigned member, size_t from, size_t bytes)
{
	volatile double *data = (double *)(void *)(matrix + (size_t)member * PORTION + from);
	for (int pass = 0; pass < passes; pass++)
		for (size_t i = 0; i < bytes / sizeof *data; i++)
			data[i] = data[i] * 0.5 + 1;
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int rounds = atoi(argv[1]);
	passes = atoi(argv[2]);
	matrix = mmap(NULL, MEMBERS * PORTION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (matrix == MAP_FAILED)
		return 1;
	omp_set_max_active_levels(2);
	for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(MEMBERS)
		{
			unsigned member = (unsigned)omp_get_thread_num();
			go(member, 0, PORTION);
#pragma omp barrier
#pragma omp parallel num_threads(1)
			go(member, 0, PORTION);
#pragma omp barrier
#pragma omp task firstprivate(member) if (0)
			go(member, 0, PORTION);
#pragma omp barrier
		}
#pragma omp parallel num_threads(MEMBERS)
		{
			unsigned member = (unsigned)omp_get_thread_num();
#pragma omp parallel num_threads(2)
			go(member, (size_t)omp_get_thread_num() * PORTION / 2, PORTION / 2);
		}
	}
	printf("%p\n", (void *)matrix);
	return 0;
}
