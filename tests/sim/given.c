/* Work that is given, in every shape: a flat loop of unequal iterations, nested regions, tasks, a lock. `given CASE`.
 * */
#include <dirent.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "forestgomp.h"

static void
loop(void)
{
#pragma omp parallel for schedule(dynamic, 1)
	for (int i = 0; i < 64; i++)
		fgomp_sim_work(1000 * (unsigned)(i % 7 + 1));
}

static void
nested(int depth)
{
	fgomp_sim_work(5000);
	if (depth == 0)
		return;
#pragma omp parallel num_threads(4)
	nested(depth - 1);
}

static void
tree(int depth)
{
	fgomp_sim_work(2000);
	if (depth == 0)
		return;
	for (int i = 0; i < 4; i++) {
#pragma omp task
		tree(depth - 1);
	}
#pragma omp taskwait
}

/* A binary tree: only the leaves compute. */
static void
leaves(int depth, unsigned ns)
{
	if (depth == 0) {
		fgomp_sim_work(ns);
		return;
	}
#pragma omp task
	leaves(depth - 1, ns);
#pragma omp task
	leaves(depth - 1, ns);
#pragma omp taskwait
}

/* The tree of Fibonacci's numbers: one child of a task is 1.6 times as large as the other. */
static void
fibonacci(int n, unsigned ns)
{
	if (n < 2) {
		fgomp_sim_work(ns);
		return;
	}
#pragma omp task
	fibonacci(n - 1, ns);
#pragma omp task
	fibonacci(n - 2, ns);
#pragma omp taskwait
}

/* All tasks have one creator. */
static void
produce(int n, unsigned ns)
{
	for (int i = 0; i < n; i++) {
#pragma omp task
		fgomp_sim_work(ns);
	}
}

static void
small_tasks(void (*tree)(int size, unsigned ns), int size, unsigned ns)
{
	for (int i = 0; i < 5; i++) {
#pragma omp parallel
#pragma omp single
		tree(size, ns);
	}
}

/* Barriers with teams of two right behind them: a member that is late at a barrier finds the other's work before its
 * own. */
static void
pairs(void)
{
#pragma omp parallel
	for (int i = 0; i < 100; i++) {
#pragma omp barrier
#pragma omp parallel num_threads(2)
		fgomp_sim_work(5000);
	}
}

static void
lock(void)
{
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel for
	for (int i = 0; i < 400; i++) {
		omp_set_lock(&lock);
		fgomp_sim_work(500);
		omp_unset_lock(&lock);
		fgomp_sim_work(1500);
	}
	omp_destroy_lock(&lock);
}

/* Teams in a team, all members of which compute at a time; true: the runtime has made no more kernel threads than that
 * takes: simulated workers are threads here, as the stacks of members are. */
static int
square(int outer, int inner)
{
#pragma omp parallel num_threads(outer)
#pragma omp parallel num_threads(inner)
	fgomp_sim_work(1000000);
	int threads = -2;
	DIR *tasks = opendir("/proc/self/task");
	while (tasks && readdir(tasks))
		threads++;
	return threads <= 3 * outer * inner;
}

int
main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	omp_set_max_active_levels(16);
	if (!strcmp(which, "loop"))
		for (int i = 0; i < 20; i++)
			loop();
	else if (!strcmp(which, "nested"))
		nested(5);
	else if (!strcmp(which, "tasks")) {
#pragma omp parallel
#pragma omp single
		tree(5);
	} else if (!strcmp(which, "leaves") && argc == 4)
		small_tasks(leaves, atoi(argv[2]), (unsigned)atoi(argv[3]));
	else if (!strcmp(which, "fibonacci") && argc == 4)
		small_tasks(fibonacci, atoi(argv[2]), (unsigned)atoi(argv[3]));
	else if (!strcmp(which, "produce") && argc == 4)
		small_tasks(produce, atoi(argv[2]), (unsigned)atoi(argv[3]));
	else if (!strcmp(which, "pairs"))
		pairs();
	else if (!strcmp(which, "lock"))
		lock();
	else if (!strcmp(which, "serial"))
		fgomp_sim_work(10000000);
	else if (!strcmp(which, "stays")) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
		fgomp_sim_work(9000000);
	} else if (!strcmp(which, "even")) {
#pragma omp parallel
		fgomp_sim_work(10000000);
	} else if (!strcmp(which, "split")) {
#pragma omp parallel for
		for (int i = 0; i < 160; i++)
			fgomp_sim_work(1000000);
	} else if (!strcmp(which, "square") && argc == 4)
		return square(atoi(argv[2]), atoi(argv[3])) ? 0 : 3;
	else
		return 2;
	return 0;
}
