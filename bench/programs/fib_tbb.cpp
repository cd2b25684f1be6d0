// The fib of tasks_tree.c with oneTBB's task groups: a peer of the OpenMP runtimes. ns per task.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include "bench.h"

enum { FIB = 24, TASKS = 150048, THREADS = 2 };

static long
fib(int n)
{
	if (n < 2)
		return n;
	long a, b;
	tbb::task_group group;
	group.run([&] { a = fib(n - 1); });
	group.run([&] { b = fib(n - 2); });
	group.wait();
	return a + b;
}

static tbb::task_arena arena(THREADS);
static long result;

static double
measure(long n)
{
	double start = bench_now();
	for (long i = 0; i < n; i++)
		arena.execute([] { result = fib(FIB); });
	return bench_now() - start;
}

int
main()
{
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism, THREADS);
	struct bench_samples s;
	measure(1);
	bench_sample_set(&s, measure, 1, 40, 5e8);
	if (result != 46368) {
		fprintf(stderr, "fib_tbb: a wrong result\n");
		return 1;
	}
	bench_report_samples("fib_tbb", "ns/task", &s, TASKS);
	return 0;
}
