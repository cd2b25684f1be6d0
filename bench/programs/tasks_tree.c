/* Trees of small tasks without any cut-off, in the spirit of the Barcelona suite. `tasks_tree CASE [fresh]`; ns for a
   task of the whole team. fib: a call makes two tasks and a taskwait. nqueens: each placement is a task with a copy of
   the board. uts: an unbalanced tree with hashing nodes. fib and uts also tell the peak of the process's memory.
   empty_one, empty_all: empty tasks, from one member or from each. fresh: in each round nqueens and uts go through the
   same tree in another order. Without it, the branch prediction of an undisturbed processor learns the whole of a round
   by heart. */
#include <omp.h>
#include "bench.h"

enum { FIB = 24, QUEENS = 8, UTS_ROOT = 400, UTS_CHILDREN = 5, EMPTY = 20000, THREADS = 2 };
#define UTS_CHANCE 0.196 /* chance of having children: each level is 0.98 of the one above */

static long made; /* tasks of the last round */
static int wrong;
static unsigned long fresh; /* 0: all rounds are alike */

static unsigned long
hash(unsigned long x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
	x = (x ^ x >> 27) * 0x94d049bb133111ebul;
	return x ^ x >> 31;
}

static long
fib(int n)
{
	long a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void
fib_round(void)
{
	long result = 0, before = 1, calls = 1; /* calls(n) = calls(n - 1) + calls(n - 2) + 1; all but one are tasks */
	for (int i = 2; i <= FIB; i++) {
		long next = calls + before + 1;
		before = calls;
		calls = next;
	}
	made = calls - 1;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	result = fib(FIB);
	wrong |= result != 46368;
}

struct board {
	int rows;
	signed char column[QUEENS];
};

static int order[QUEENS]; /* of the columns */

static void
shuffle(void)
{
	for (int i = 0; i < QUEENS; i++) {
		int j = (int)(hash(fresh + i) % (i + 1));
		order[i] = order[fresh ? j : i];
		order[fresh ? j : i] = i;
	}
}

static int
safe(const struct board *board, int column)
{
	for (int i = 0; i < board->rows; i++) {
		int distance = board->rows - i, there = board->column[i];
		if (there == column || there == column - distance || there == column + distance)
			return 0;
	}
	return 1;
}

static long
place(struct board board)
{
	long found[QUEENS] = {0}, sum = 0;
	if (board.rows == QUEENS)
		return 1;
	for (int i = 0; i < QUEENS; i++) {
		int c = order[i];
		if (!safe(&board, c))
			continue;
#pragma omp task shared(found) firstprivate(board, c)
		{
			board.column[board.rows++] = c;
			found[c] = place(board);
		}
	}
#pragma omp taskwait
	for (int c = 0; c < QUEENS; c++)
		sum += found[c];
	return sum;
}

static void
nqueens_round(void)
{
	struct board empty = {0};
	long found = 0;
	shuffle();
	made = 2056; /* safe placements on a board of 8 */
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	found = place(empty);
	wrong |= found != 92;
}

static long
uts(unsigned long node, int children)
{
	long size[UTS_ROOT], sum = 1;
	int first = fresh && children ? (int)((node ^ fresh) % children) : 0;
	for (int k = 0; k < children; k++) {
		int i = first + k < children ? first + k : first + k - children;
#pragma omp task shared(size) firstprivate(i)
		{
			unsigned long child = hash(node + 0x9e3779b97f4a7c15ul * (i + 1));
			size[i] = uts(child, child < (unsigned long)(UTS_CHANCE * 0x1p64) ? UTS_CHILDREN : 0);
		}
	}
#pragma omp taskwait
	for (int i = 0; i < children; i++)
		sum += size[i];
	return sum;
}

static void
uts_round(void)
{
	static long first;
	long nodes = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	nodes = uts(42, UTS_ROOT);
	if (!first)
		first = nodes;
	wrong |= nodes != first;
	made = nodes - 1;
}

static void
produce(void)
{
	for (int i = 0; i < EMPTY; i++) {
#pragma omp task
		__asm__ volatile("");
	}
#pragma omp taskwait
}

static void
empty_one_round(void)
{
	made = EMPTY;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
	produce();
}

static void
empty_all_round(void)
{
	made = EMPTY * THREADS;
#pragma omp parallel num_threads(THREADS)
	produce();
}

static const struct {
	const char *name;
	void (*round)(void);
	int tells_peak;
} cases[] = {{"fib", fib_round, 1}, {"nqueens", nqueens_round, 0}, {"uts", uts_round, 1},
	     {"empty_one", empty_one_round, 0}, {"empty_all", empty_all_round, 0}};

static void (*chosen)(void);

static double
measure(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++) {
		if (fresh)
			fresh = hash(fresh);
		chosen();
	}
	return bench_now() - start;
}

/* getrusage is not used, because its figure would begin with the parent's memory. */
static double
peak_mib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;
	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib / 1024.;
}

int
main(int argc, char **argv)
{
	for (unsigned i = 0;
	     (argc == 2 || (argc == 3 && !strcmp(argv[2], "fresh"))) && i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		struct bench_samples s;
		chosen = cases[i].round;
		fresh = argc == 3;
		measure(1);
		bench_sample_set(&s, measure, 1, 40, 5e8);
		if (wrong) {
			fprintf(stderr, "tasks_tree: %s computed a wrong result\n", argv[1]);
			return 1;
		}
		bench_report_samples(argv[1], "ns/task", &s, made);
		if (cases[i].tells_peak) {
			char name[32];
			snprintf(name, sizeof name, "%s_peak", argv[1]);
			bench_report(name, "MiB", peak_mib(), peak_mib(), 0);
		}
		return 0;
	}
	return bench_usage("tasks_tree fib|nqueens|uts|empty_one|empty_all [fresh]");
}
