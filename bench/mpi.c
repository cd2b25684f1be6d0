/* mpi: ranks with teams that compute in steps, and meet in an MPI_Allreduce after each.
 *
 *   mpi pace                                       iterations that a PU makes in a millisecond
 *   mpi steps STEPS ITERATIONS REGIONS PARTS,...   in each step rank r makes ITERATIONS x its part, in so many regions
 *   mpi latency TURNS                              half a round of a message of 8 bytes, and an Allreduce of one number
 *
 * The last two print the time of a step in ms, or both times in us. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double
chain(double x, long n)
{
	for (long i = 0; i < n; i++)
		x = x * 0.999999 + 0.000001;
	return x;
}

/* The best of several tries. */
static void
pace(void)
{
	double best = 0;
	for (int i = 0; i < 50; i++) {
		double start = MPI_Wtime();
		volatile double x = chain(i, 1000000);
		double rate = 1000 / (MPI_Wtime() - start);
		best = rate > best && x > 0 ? rate : best;
	}
	printf("%.0f\n", best);
}

static double
region(long n)
{
	double sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
	for (int i = 0; i < 16; i++)
		sum += chain(1 + i * 1e-9, n / 16); /* from 1 it stays 1, and the compiler knows that */
	return sum;
}

static void
steps(char **argument, int rank, int size)
{
	int n = atoi(argument[0]), regions = atoi(argument[2]);
	double part = 0, all = 0, start = 0;
	const char *word = argument[3];
	for (int i = 0; i <= rank && word; i++, word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
		part = atof(word);
	for (int step = -2; step < n; step++) {
		if (step == 0)
			start = MPI_Wtime();
		double sum = 0;
		for (int i = 0; i < regions; i++)
			sum += region((long)(atof(argument[1]) * part / regions));
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (all < 15.9 * regions * size || all > 16.1 * regions * size)
			MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (rank == 0)
		printf("%.3f\n", (MPI_Wtime() - start) / n * 1e3);
}

static void
latency(int turns, int rank)
{
	double message = rank, sum, start = 0, messages = 0;
	if (rank < 2)
		for (int i = -1000; i < turns; i++) {
			if (i == 0)
				start = MPI_Wtime();
			if (rank == 0)
				MPI_Send(&message, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
			MPI_Recv(&message, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (rank == 1)
				MPI_Send(&message, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
		}
	messages = MPI_Wtime() - start;
	for (int i = -1000; i < turns; i++) {
		if (i == 0)
			start = MPI_Wtime();
		MPI_Allreduce(&message, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%.3f %.3f\n", messages / turns / 2 * 1e6, (MPI_Wtime() - start) / turns * 1e6);
}

int
main(int argc, char **argv)
{
	int rank, size, got;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc == 2 && strcmp(argv[1], "pace") == 0)
		pace();
	else if (argc == 6 && strcmp(argv[1], "steps") == 0)
		steps(argv + 2, rank, size);
	else if (argc == 3 && strcmp(argv[1], "latency") == 0)
		latency(atoi(argv[2]), rank);
	else if (rank == 0)
		fprintf(stderr, "mpi: see the top of bench/mpi.c\n");
	MPI_Finalize();
	return 0;
}
