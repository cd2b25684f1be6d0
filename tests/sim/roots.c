/* Threads of the program with flat teams. `roots THREADS SIZE REGIONS PHASES`: each thread opens regions, whose members
 * compute and meet a barrier. The first region goes before, so that the workers are there. It prints for each thread
 * the time of its regions, then "right" if all members have run in all phases. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "forestgomp.h"

#define WORK_NS 20000
#define MAX 64

static int size, regions, phases;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, all;
static double times[MAX];
static int wrong;

static void
region(int *count)
{
#pragma omp parallel num_threads(size)
	for (int phase = 0; phase < phases; phase++) {
		fgomp_sim_work(WORK_NS);
		count[omp_get_thread_num()]++;
#pragma omp barrier
	}
}

/* All threads begin together. */
static void
meet(void)
{
	pthread_mutex_lock(&mutex);
	ready++;
	pthread_mutex_unlock(&mutex);
	for (int there = 0; there < all;) {
		pthread_mutex_lock(&mutex);
		there = ready;
		pthread_mutex_unlock(&mutex);
		fgomp_sim_work(100);
	}
}

static void *
body(void *arg)
{
	int id = *(int *)arg, count[MAX] = {0};
	for (int warm = 0; warm < 10; warm++)
		region(count);
	meet();
	double begin = omp_get_wtime();
	for (int i = 0; i < regions; i++)
		region(count);
	times[id] = omp_get_wtime() - begin;
	for (int k = 0; k < size; k++)
		wrong += count[k] != (regions + 10) * phases;
	return arg;
}

int
main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	all = atoi(argv[1]), size = atoi(argv[2]), regions = atoi(argv[3]), phases = atoi(argv[4]);
	pthread_t thread[MAX];
	int id[MAX];
	for (int i = 0; i < all; i++) {
		id[i] = i;
		wrong += pthread_create(&thread[i], NULL, body, &id[i]) != 0;
	}
	for (int i = 0; i < all; i++) {
		void *result;
		wrong += pthread_join(thread[i], &result) != 0 || result != &id[i];
	}
	for (int i = 0; i < all; i++)
		printf("%.0f\n", times[i] * 1e9);
	puts(wrong ? "wrong" : "right");
	return wrong != 0;
}
