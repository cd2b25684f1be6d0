/* The cost of a clause: tasks in a chain of dependences, and tasks that run at once. `tasks_clauses CASE`; ns of wall
   time for a task of a member, less the work in it (the method of the EPCC microbenchmarks). Each task counts up its
   member's element. chain: each of two members makes a chain of tasks, then waits in taskwait. depend(inout) on an
   element of its own puts each task after the one before. chain_delay: 0.1 us of work in each; chain_work: 1 us;
   chain_private: with 64 bytes firstprivate; chain_region: no taskwait, the region's end waits; chain_pair: two
   addresses in each; chain_one: one member makes a chain while the other waits. if0: each member makes tasks with
   if(0). if0_private: with two words firstprivate; if0_copied: with a struct that the compiler copies by a function;
   if0_depend: depend(inout); if0_follows: the same behind a deferred sibling; if0_alone: by a thread outside any
   region. */
#include <omp.h>
#include "bench.h"

enum { THREADS = 2, TASKS = 2000, WORDS = 8 };

struct element {
	_Alignas(128) long made; /* tasks that ran, in the order of their creation */
	long other;
};

static struct element element[THREADS];
static long delay_length;
static int wrong;

struct words {
	long word[WORDS];
};

static struct words
words_of(long n)
{
	struct words words;
	for (int i = 0; i < WORDS; i++)
		words.word[i] = n + i;
	return words;
}

static void
chain_delay(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : own->made)
		{
			own->made++;
			bench_delay(delay_length);
		}
	}
#pragma omp taskwait
}

static void
chain(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : own->made)
		own->made++;
	}
#pragma omp taskwait
}

static void
chain_private(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
		struct words words = words_of(i);
#pragma omp task depend(inout : own->made) firstprivate(words)
		own->made += words.word[1] - words.word[0];
	}
#pragma omp taskwait
}

static void
chain_region(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : own->made)
		own->made++;
	}
}

static void
chain_pair(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : own->made) depend(inout : own -> other)
		own->other = ++own->made;
	}
#pragma omp taskwait
}

static void
chain_one(struct element *own)
{
	if (own == element)
		chain(own);
	else
		own->made += TASKS;
}

static void
if0(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
#pragma omp task if (0)
		own->made++;
	}
}

static void
if0_private(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
		long next = i + 1;
#pragma omp task if (0) firstprivate(i, next)
		own->made += next - i;
	}
}

static void
if0_copied(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
		struct words words = words_of(i);
#pragma omp task if (0) firstprivate(words)
		own->made += words.word[1] - words.word[0];
	}
}

static void
if0_depend(struct element *own)
{
	for (long i = 0; i < TASKS; i++) {
#pragma omp task if (0) depend(inout : own->made)
		own->made++;
	}
}

static void
if0_follows(struct element *own)
{
#pragma omp task depend(inout : own->made)
	own->other = 0;
	if0_depend(own);
}

static const struct {
	const char *name;
	void (*make)(struct element *own);
	int delay_ns, alone;
} cases[] = {{"chain", chain, 0, 0},
	     {"chain_delay", chain_delay, 100, 0},
	     {"chain_work", chain_delay, 1000, 0},
	     {"chain_private", chain_private, 0, 0},
	     {"chain_region", chain_region, 0, 0},
	     {"chain_pair", chain_pair, 0, 0},
	     {"chain_one", chain_one, 0, 0},
	     {"if0", if0, 0, 0},
	     {"if0_private", if0_private, 0, 0},
	     {"if0_copied", if0_copied, 0, 0},
	     {"if0_depend", if0_depend, 0, 0},
	     {"if0_follows", if0_follows, 0, 0},
	     {"if0_alone", if0, 0, 1}};

static void (*make)(struct element *own);
static int members;

static double
measure(long n)
{
	for (int i = 0; i < THREADS; i++)
		element[i].made = 0;
	double start = bench_now();
	for (long i = 0; members == 1 && i < n; i++)
		make(&element[0]);
	for (long i = 0; members != 1 && i < n; i++) {
#pragma omp parallel num_threads(THREADS)
		make(&element[omp_get_thread_num()]);
	}
	double took = bench_now() - start;
	for (int i = 0; i < members; i++)
		wrong |= element[i].made != n * TASKS;
	return took;
}

static double
measure_delay(long n)
{
	double start = bench_now();
	for (long i = 0; delay_length && i < n * TASKS; i++)
		bench_delay(delay_length);
	return bench_now() - start;
}

int
main(int argc, char **argv)
{
	for (unsigned i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		struct bench_samples with, without;
		make = cases[i].make;
		members = cases[i].alone ? 1 : THREADS;
		delay_length = cases[i].delay_ns ? bench_delay_length(cases[i].delay_ns) : 0;
		long n = bench_repetitions(measure, 2e6);
		bench_sample_set(&without, measure_delay, 1, 20, 1e8);
		bench_sample_set(&with, measure, n, 100, 5e8);
		if (wrong) {
			fprintf(stderr, "tasks_clauses: %s ran tasks out of order or not at all\n", argv[1]);
			return 1;
		}
		bench_report(argv[1], "ns/task", (bench_min(&with) - bench_min(&without)) / TASKS,
			     (bench_median(&with) - bench_median(&without)) / TASKS,
			     (without.ns[without.count / 4] - bench_min(&without)) / TASKS);
		return 0;
	}
	return bench_usage("tasks_clauses CASE, CASE one of those in its first lines");
}
