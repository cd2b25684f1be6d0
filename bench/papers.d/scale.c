/* What constructs cost as PUs grow: `scale CASE THREADS [WORK_NS]`, with given work (docs/simulator.md). It prints
 *
 *     sample CASE us TIME TIME         of the second run, in all
 *     ideal IDEAL                      us, if the construct cost nothing
 *     rounds N                         how often the construct was met; 0: it is a loop or tasks */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/forestgomp.h"

#pragma weak fgomp_sim_work

#define ROUNDS 40
#define ROUND_NS 100
#define CHUNKS 100	/* of a loop, for each thread */
#define TASKS 60	/* the same */
#define TREE_NS 3000000 /* of leaves, for each thread */
#define LOCKED 20	/* criticals of each thread */

static struct {
	int threads;
	unsigned ns;
	double ideal; /* us */
	int rounds;
} run;

static void
barrier(void)
{
#pragma omp parallel num_threads(run.threads)
	for (int i = 0; i < ROUNDS; i++) {
		fgomp_sim_work(ROUND_NS);
#pragma omp barrier
	}
	run.rounds = ROUNDS;
}

/* In a region that has a cancel construct all barriers may be cancelled. Here nobody does. */
static void
cancellable(void)
{
#pragma omp parallel num_threads(run.threads)
	{
		for (int i = 0; i < ROUNDS; i++) {
			fgomp_sim_work(ROUND_NS);
#pragma omp barrier
		}
#pragma omp cancel parallel if (run.threads == 0)
	}
	run.rounds = ROUNDS;
}

static void
cancelled(void)
{
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(run.threads)
		{
			fgomp_sim_work(ROUND_NS);
#pragma omp cancel parallel if (omp_get_thread_num() == run.threads / 2)
#pragma omp barrier
			run.rounds = -1;
		}
	}
	run.rounds = run.rounds < 0 ? -1 : ROUNDS;
}

static void
region(void)
{
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(run.threads)
		fgomp_sim_work(ROUND_NS);
	}
	run.rounds = ROUNDS;
}

static void
reduction(void)
{
	double sum = 0;
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(run.threads) reduction(+ : sum)
		{
			fgomp_sim_work(ROUND_NS);
			sum += 1;
		}
	}
	run.rounds = sum == (double)ROUNDS * run.threads ? ROUNDS : -1;
}

#define LOOP(name, clause)                                                                                             \
	static void name(void)                                                                                         \
	{                                                                                                              \
		_Pragma(clause) for (int i = 0; i < CHUNKS * run.threads; i++) fgomp_sim_work(run.ns);                 \
		run.ideal = CHUNKS * run.ns / 1e3;                                                                     \
	}
LOOP(dynamic, "omp parallel for num_threads(run.threads) schedule(dynamic, 1)")
LOOP(monotonic, "omp parallel for num_threads(run.threads) schedule(monotonic : dynamic, 1)")
LOOP(guided, "omp parallel for num_threads(run.threads) schedule(guided, 1)")

static void
producer(void)
{
#pragma omp parallel num_threads(run.threads)
#pragma omp single
	for (int i = 0; i < TASKS * run.threads; i++) {
#pragma omp task
		fgomp_sim_work(run.ns);
	}
	run.ideal = TASKS * run.ns / 1e3;
}

static void
taskloop(void)
{
#pragma omp parallel num_threads(run.threads)
#pragma omp single
#pragma omp taskloop grainsize(1)
	for (int i = 0; i < TASKS * run.threads; i++)
		fgomp_sim_work(run.ns);
	run.ideal = TASKS * run.ns / 1e3;
}

static void
leaves(int depth)
{
	if (!depth) {
		fgomp_sim_work(run.ns);
		return;
	}
#pragma omp task
	leaves(depth - 1);
	leaves(depth - 1);
#pragma omp taskwait
}

static void
tree(void)
{
	int depth = 0;
	while ((double)(1L << depth) * run.ns < (double)TREE_NS * run.threads / 4)
		depth++;
#pragma omp parallel num_threads(run.threads)
#pragma omp single
	leaves(depth);
	run.ideal = (double)(1L << depth) * run.ns / run.threads / 1e3;
}

static void
critical(void)
{
#pragma omp parallel num_threads(run.threads)
	for (int i = 0; i < LOCKED; i++) {
#pragma omp critical
		fgomp_sim_work(ROUND_NS);
		fgomp_sim_work(ROUND_NS);
	}
	run.ideal = LOCKED * run.threads * ROUND_NS / 1e3;
}

static const struct {
	const char *name;
	void (*function)(void);
} cases[] = {{"barrier", barrier},     {"cancellable", cancellable}, {"region", region},     {"cancelled", cancelled},
	     {"reduction", reduction}, {"dynamic", dynamic},	     {"monotonic", monotonic}, {"guided", guided},
	     {"producer", producer},   {"taskloop", taskloop},	     {"tree", tree},	     {"critical", critical}};

int
main(int argc, char **argv)
{
	void (*function)(void) = NULL;
	for (size_t i = 0; argc > 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(cases[i].name, argv[1]) == 0)
			function = cases[i].function;
	if (!function || !fgomp_sim_work) {
		fprintf(stderr, "scale CASE THREADS [WORK_NS], on a simulated machine\n");
		return 2;
	}
	run.threads = atoi(argv[2]);
	run.ns = argc > 3 ? (unsigned)atoi(argv[3]) : ROUND_NS;
	function();
	double begin = omp_get_wtime();
	function();
	double us = (omp_get_wtime() - begin) * 1e6;
	if (run.rounds)
		run.ideal = ROUNDS * ROUND_NS / 1e3;
	fprintf(stderr, "sample %s us %.4f %.4f\nideal %.4f\nrounds %d\n", argv[1], us, us, run.ideal, run.rounds);
	return 0;
}
