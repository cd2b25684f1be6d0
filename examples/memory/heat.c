// Heat spreads over a plate. The main thread fills the plate, as many programs do. So all of it lies on that thread's
// NUMA node, and the other threads reach it over the machine's links. Nothing here is written for NUMA machines.
// Every 0.2 s a line tells the pages on each node, and which part of them is on another node than their thread.
// threads: 16
// limit: 100
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WIDTH = 2048, HEIGHT = 2048, NODES = 16, LOOK = 32 };

static double (*plate)[WIDTH], (*next)[WIDTH];
static unsigned on[NODES], here, elsewhere, nodes = 1;

static void
step(void)
{
#pragma omp parallel for schedule(static)
	for (int y = 1; y < HEIGHT - 1; y++)
		for (int x = 1; x < WIDTH - 1; x++)
			next[y][x] = 0.25 * (plate[y - 1][x] + plate[y + 1][x] + plate[y][x - 1] + plate[y][x + 1]);
	double(*swap)[WIDTH] = plate;
	plate = next;
	next = swap;
}

// Each thread asks the kernel for some pages of its own rows.
static void
look(void)
{
	memset(on, 0, sizeof on);
	here = elsewhere = 0;
#pragma omp parallel
	{
		int rows = HEIGHT / omp_get_num_threads(), node[LOOK];
		unsigned own = 0;
		void *page[LOOK];
		for (int i = 0; i < LOOK; i++)
			page[i] = plate[omp_get_thread_num() * rows + rows * i / LOOK];
		syscall(SYS_getcpu, NULL, &own, NULL);
		if (syscall(SYS_move_pages, 0, (unsigned long)LOOK, page, NULL, node, 0) != 0)
			memset(node, 0, sizeof node);
#pragma omp critical
		for (int i = 0; i < LOOK; i++)
			if (node[i] >= 0 && node[i] < NODES) {
				on[node[i]]++;
				*(node[i] == (int)own ? &here : &elsewhere) += 1;
				nodes = (unsigned)node[i] >= nodes ? (unsigned)node[i] + 1 : nodes;
			}
	}
}

static void
tell(double seconds, int steps)
{
	unsigned all = here + elsewhere;
	look();
	all = here + elsewhere;
	printf("heat %.2f %d %.0f", seconds, steps, all ? 100.0 * elsewhere / all : 0);
	for (int i = 0; i < NODES; i++)
		printf(" %.0f", all ? 100.0 * on[i] / all : 0);
	printf("\n");
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	double last = argc > 1 ? atof(argv[1]) : 8, seconds = 0, told = 0;
	size_t bytes = sizeof(double[HEIGHT][WIDTH]);
	plate = aligned_alloc(4096, bytes);
	next = aligned_alloc(4096, bytes);
	if (!plate || !next)
		return 1;
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			plate[y][x] = next[y][x] = y == 0 ? 100 : 0;
	double begun = omp_get_wtime();
	for (int steps = 0; seconds < last; steps++) {
		seconds = omp_get_wtime() - begun;
		if (seconds >= told) {
			tell(seconds, steps);
			told = seconds + 0.2;
		}
		step();
	}
	printf("heat: %g in the middle\n", plate[1][WIDTH / 2]);
	free(plate);
	free(next);
	return 0;
}
