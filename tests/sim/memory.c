/* Threads, one on each PU, go through memory: `memory steps STEP ...`, `memory stream ...`, `memory timed ...`,
 * `memory teams`.
 *
 * A step is PU:OPERATION:LINE:BYTES, or some of these with a '+' between them, which are done at the same time. The
 * steps follow each other, and each prints its nanoseconds. Operations: r reads, w writes, h reads a byte of each page,
 * at its end, which gives the pages a home. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "forestgomp.h"

#define PAGE 4096
#define LINE 64
#define SIZE (64 << 20)

/* Whole pages that no thread has touched. */
static char *
fresh(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The time that two looks at the clock take. */
static double
look_time(void)
{
	double start = omp_get_wtime();
	return omp_get_wtime() - start;
}

static void
operate(char operation, char *start, size_t bytes)
{
	if (operation == 'r')
		fgomp_sim_read(start, bytes);
	else if (operation == 'w')
		fgomp_sim_write(start, bytes);
	else
		for (size_t at = 0; at < bytes; at += PAGE)
			fgomp_sim_read(start + at + PAGE - 1, 1);
}

static double from, to;

#define QUIET_NS 10000 /* until then the lines of the barrier have left the links */

/* The calling thread's part of a step. */
static void
take_part(const char *step, char *memory)
{
	int pu, used;
	unsigned line;
	size_t bytes;
	char operation;
	for (; sscanf(step, "%d:%c:%u:%zu%n", &pu, &operation, &line, &bytes, &used) == 4;
	     step += used + (step[used] == '+')) {
		if (pu != omp_get_thread_num())
			continue;
		fgomp_sim_work(QUIET_NS);
		double start = omp_get_wtime();
		operate(operation, memory + (size_t)line * LINE, bytes);
		double stop = omp_get_wtime();
#pragma omp critical
		{
			from = start < from ? start : from;
			to = stop > to ? stop : to;
		}
	}
}

static void
steps(int n, char **step)
{
	char *memory = fresh(SIZE);
	double look = look_time();
#pragma omp parallel
	for (int i = 0; i < n; i++) {
#pragma omp barrier
#pragma omp single
		{
			from = 1e30;
			to = 0;
		}
		take_part(step[i], memory);
#pragma omp barrier
#pragma omp master
		printf("step %.0f\n", (to - from - look) * 1e9);
	}
}

/* Four nodes of four PUs in a square: 0 beside 1 and 2, 3 beside 1 and 2. Page i of a thread's data lies on its own
 * node, or, spread, on its own and the two beside it in turn. The first `n` threads go through theirs; MB/s of all
 * together. */
static void
stream(int n, int spread, int writes)
{
	enum { PART = 3 * 256 * PAGE, NODES = 4 };
	static const int beside[NODES][3] = {{0, 1, 2}, {1, 0, 3}, {2, 0, 3}, {3, 1, 2}};
	char *data[64];
	double begin = 0;
	from = 1e30;
	to = 0;
	for (int i = 0; i < n; i++)
		data[i] = fresh(PART);
#pragma omp parallel
	{
		int self = omp_get_thread_num();
		if (self % 4 == 0)
			for (int i = 0; i < n; i++)
				for (int page = 0; page < PART / PAGE; page++)
					if (beside[i / 4][spread ? page % 3 : 0] == self / 4)
						fgomp_sim_read(data[i] + page * PAGE, 1);
#pragma omp barrier
#pragma omp single
		begin = omp_get_wtime() + 1e-5;
		/* The members begin a nanosecond apart. The first may stay ahead, and the end of a barrier must not
		 * decide which is first. */
		fgomp_sim_work((unsigned)((begin - omp_get_wtime()) * 1e9 + self));
		double start = omp_get_wtime();
		if (self < n)
			(writes ? fgomp_sim_write : fgomp_sim_read)(data[self], PART);
		double stop = omp_get_wtime();
#pragma omp critical
		if (self < n) {
			from = start < from ? start : from;
			to = stop > to ? stop : to;
		}
	}
	printf("rate %.0f\n", n * (double)PART / (to - from) / 1e6);
}

static volatile double sum;

/* A vector is added up, eighty times for each time that the program says so, or does not. */
static void
timed(int says, int remote)
{
	enum { N = 1 << 15, TIMES = 12, SUMS = 80 };
	static double vector[N];
	for (int i = 0; i < N; i++)
		vector[i] = i;
	if (says)
		fgomp_sim_read(vector, sizeof vector); /* gives the pages their home */
#pragma omp parallel
	if (omp_get_thread_num() == (remote ? omp_get_num_threads() - 1 : 0)) {
		double start = omp_get_wtime(), own = 0;
		for (int i = 0; i < TIMES; i++) {
			if (says)
				fgomp_sim_read(vector, sizeof vector);
			for (int j = 0; j < SUMS * N; j++)
				own += vector[j % N];
		}
		sum = own;
		printf("step %.0f\n", (omp_get_wtime() - start) * 1e9);
	}
}

/* Sixteen teams of four, of unequal work, again and again; each member goes through the data that it had the first
 * time. */
static void
teams(void)
{
	enum { OUTER = 16, INNER = 4, PART = 256 << 10, TIMES = 20 };
	char *data = fresh((size_t)OUTER * INNER * PART);
	omp_set_max_active_levels(2);
	for (int round = 0; round < TIMES; round++) {
#pragma omp parallel num_threads(OUTER)
		{
			int outer = omp_get_thread_num();
#pragma omp parallel num_threads(INNER)
			{
				int inner = omp_get_thread_num();
				char *part = data + (size_t)(outer * INNER + inner) * PART;
				operate(round ? 'r' : 'w', part, PART);
				fgomp_sim_work(PART / 16 * (unsigned)(1 + (outer * 7 + inner * 3 + round * 5) % 4));
			}
		}
	}
}

int
main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	if (!strcmp(which, "steps"))
		steps(argc - 2, argv + 2);
	else if (!strcmp(which, "stream") && argc > 3)
		stream(atoi(argv[2]), atoi(argv[3]), argc > 4);
	else if (!strcmp(which, "timed") && argc > 3)
		timed(atoi(argv[2]), atoi(argv[3]));
	else if (!strcmp(which, "teams"))
		teams();
	else
		return 2;
	return 0;
}
