// The data environment of a task: it starts with its creator's ICVs, and its settings stay in it. Also omp_in_final,
// omp_in_explicit_task, task priorities, and nested regions inside tasks.
// threads: 1 2 8
// env: -
// env: OMP_MAX_TASK_PRIORITY=5
#include <omp.h>

#include "check.h"

static void
in_task(int outer)
{
	CHECK(omp_get_max_threads() == outer, "%d", omp_get_max_threads());
	omp_set_num_threads(outer + 1);
	CHECK(omp_get_max_threads() == outer + 1);
#pragma omp task firstprivate(outer)
	{
		CHECK(omp_get_max_threads() == outer + 1);
		omp_set_num_threads(outer + 7);
	}
#pragma omp taskwait
	CHECK(omp_get_max_threads() == outer + 1, "%d", omp_get_max_threads());
}

static void
all(void)
{
	int before = omp_get_max_threads(), finals = 0, members = 0;

#pragma omp task priority(3)
	in_task(before);
#pragma omp taskwait
	CHECK(omp_get_max_threads() == before, "%d", omp_get_max_threads());
	omp_set_num_threads(before + 3);
#pragma omp task
	in_task(before + 3);
#pragma omp taskwait
	CHECK(omp_get_max_threads() == before + 3, "%d", omp_get_max_threads());
	omp_set_num_threads(before);

	CHECK(!omp_in_final());
#pragma omp task final(1) shared(finals)
	{
		CHECK(omp_in_final());
#pragma omp task shared(finals)
		{
			finals += omp_in_final();
#pragma omp task shared(finals)
			finals += omp_in_final();
		}
		CHECK(finals == 2, "an included task was put off");
	}
#pragma omp taskwait
	CHECK(!omp_in_final());
#pragma omp task shared(members)
	{
		omp_set_max_active_levels(4);
#pragma omp parallel num_threads(3) reduction(+ : members)
		{
			members += 1 + omp_in_final();
#pragma omp task
			in_task(omp_get_max_threads());
		}
	}
#pragma omp taskwait
	CHECK(members == 3, "%d", members);
}

int
main(void)
{
	int priority = getenv("OMP_MAX_TASK_PRIORITY") ? 5 : 0;

	CHECK(omp_get_max_task_priority() == priority, "%d", omp_get_max_task_priority());
	all();
#pragma omp parallel
	all();
	return check_end();
}
