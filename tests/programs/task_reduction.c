// Task reductions: of a taskgroup, of nested ones, of a taskloop, of a region, of loops, sections and scopes with the
// task modifier.
// stock: fails (with 8 threads it does not end, gcc 12)
// threads: 1 2 8
#include <omp.h>

#include "check.h"

static void
add_in_tasks(int *where, int depth)
{
#pragma omp taskgroup task_reduction(+ : where[0 : 2])
	{
		for (int i = 0; i < 4; i++)
#pragma omp task in_reduction(+ : where[0 : 2])
		{
			where[0]++;
			where[1] += depth;
			if (depth > 1)
				add_in_tasks(where, depth - 1);
		}
	}
}

int
main(void)
{
	int items[2] = {0, 0}, orphan = 0, region = 0, loop = 0, section = 0, scope = 0;
	long product = 1;

#pragma omp taskgroup task_reduction(+ : orphan)
#pragma omp task in_reduction(+ : orphan)
	orphan += 3;
	CHECK(orphan == 3, "%d", orphan);

#pragma omp parallel
#pragma omp single
	{
		add_in_tasks(items, 3);
#pragma omp taskgroup task_reduction(* : product)
		for (int i = 2; i <= 10; i++)
#pragma omp task in_reduction(* : product) firstprivate(i)
			product *= i;
	}
	CHECK(items[0] == 4 + 16 + 64 && items[1] == 4 * 3 + 16 * 2 + 64, "%d %d", items[0], items[1]);
	CHECK(product == 3628800, "%ld", product);

#pragma omp parallel reduction(task, + : region)
	{
		region++;
#pragma omp task in_reduction(+ : region)
		region += 10;
	}
	CHECK(region == 11 * omp_get_max_threads(), "%d", region);

#pragma omp parallel
	{
#pragma omp for reduction(task, + : loop) schedule(dynamic, 3)
		for (int i = 0; i < 100; i++) {
			loop += i;
#pragma omp task in_reduction(+ : loop)
			loop += 1000;
		}
		CHECK(loop == 4950 + 100000, "%d", loop);
#pragma omp sections reduction(task, + : section)
		{
#pragma omp section
			{
#pragma omp task in_reduction(+ : section)
				section += 5;
			}
#pragma omp section
			section += 7;
		}
		CHECK(section == 12, "%d", section);
#pragma omp scope reduction(task, + : scope)
		{
			scope++;
#pragma omp task in_reduction(+ : scope)
			scope += 2;
		}
		CHECK(scope == 3 * omp_get_num_threads(), "%d", scope);
	}
	return check_end();
}
