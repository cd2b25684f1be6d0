// The child of a fork has the process's CPUs, whether a bound member forked or the bound initial thread; its own
// regions bind again.
// threads: 1 2 8
// env: OMP_PROC_BIND=true
// env: OMP_PROC_BIND=close OMP_PLACES=threads
// env: OMP_PROC_BIND=close FGOMP_THREADS=kernel
// env: OMP_PROC_BIND=false
// stock: fails (the child keeps the place)
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <sys/wait.h>

#include "check.h"

static cpu_set_t process;

/* A library may bind the initial thread when it is loaded: so ask the parent, from which the mask comes. */
static void
process_mask(void)
{
	CHECK(sched_getaffinity(getppid(), sizeof process, &process) == 0);
}

static void
child_has_it(const char *who)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		cpu_set_t mine;
		sched_getaffinity(0, sizeof mine, &mine);
		_exit(!CPU_EQUAL(&mine, &process));
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%s, status %x", who, status);
}

static int
binds_again(void)
{
	int wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	{
		cpu_set_t mine;
		sched_getaffinity(0, sizeof mine, &mine);
		wrong += CPU_COUNT(&mine) != 1;
	}
	return wrong;
}

int
main(void)
{
	process_mask();
	child_has_it("before");
	for (int round = 0; round < 2; round++) {
#pragma omp parallel
		child_has_it("a member");
		child_has_it("after");
	}
	int status = -1;
	pid_t child = fork();
	if (child == 0)
		_exit(omp_get_proc_bind() != omp_proc_bind_false && omp_get_max_threads() > 1 && binds_again());
	CHECK(waitpid(child, &status, 0) == child && status == 0, "status %x", status);
	return check_end();
}
