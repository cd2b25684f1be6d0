// Kernel threads bound to their places carry the members of nested teams, from the begin of each member on and after
// each wait. The thread that met the region has its own place back after it.
// threads: 2 4
// env: OMP_PLACES={0},{1} OMP_PROC_BIND=spread,close INNER=2
// env: OMP_PLACES={0},{1} OMP_PROC_BIND=spread,close INNER=4
// env: OMP_PLACES={0},{1} OMP_PROC_BIND=close,close INNER=4
// env: OMP_PLACES={0},{1},{0,1} OMP_PROC_BIND=close,close INNER=5
// env: OMP_PLACES={0},{1} OMP_PROC_BIND=close,spread,primary INNER=3 FGOMP_POLICY=steal
// env: OMP_PLACES={0},{1} OMP_PROC_BIND=true INNER=3
// env: OMP_PLACES={0},{1} OMP_PROC_BIND=close,close INNER=3 FGOMP_THREADS=kernel
// cpus: 2
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>

#include "check.h"

/* More members than PUs share workers, and so the narrower of two places; a master is bound as it was before its
 * region. */
static int
may_share(void)
{
	int level = omp_get_level();

	while (level > 1 && omp_get_ancestor_thread_num(level) == 0)
		level--;
	return level == 1 && omp_get_team_size(1) > 2;
}

static void
in_place(int line)
{
	cpu_set_t have, want;
	int ids[CPU_SETSIZE], place = omp_get_place_num(), n = omp_get_place_num_procs(place);

	omp_get_place_proc_ids(place, ids);
	CPU_ZERO(&want);
	for (int i = 0; i < n; i++)
		CPU_SET(ids[i], &want);
	/* The kernel is asked, because the C library's function does not tell the place after a region. */
	CPU_ZERO(&have);
	CHECK(syscall(SYS_sched_getaffinity, 0, sizeof have, &have) > 0);
	if (may_share())
		CPU_AND(&want, &want, &have);
	CHECK(CPU_EQUAL(&have, &want), "line %d: member %d of %d at level %d, place %d, %d CPUs, the first %d", line,
	      omp_get_thread_num(), omp_get_num_threads(), omp_get_level(), place, CPU_COUNT(&have),
	      CPU_ISSET(0, &have) ? 0 : 1);
}
#define IN_PLACE in_place(__LINE__)

static omp_lock_t lock;

static void
waits(void)
{
	IN_PLACE;
#pragma omp barrier
	IN_PLACE;
	omp_set_lock(&lock);
	IN_PLACE;
	check_burn(20);
	omp_unset_lock(&lock);
	IN_PLACE;
#pragma omp barrier
	IN_PLACE;
}

/* Longer than a slice: the others want the PU, too. Then longer in the kernel than the monitor's patience: a spare may
 * take over. */
static void
computes_and_sleeps(void)
{
	check_burn(6000);
	IN_PLACE;
	usleep(6000);
	IN_PLACE;
#pragma omp barrier
	IN_PLACE;
}

static void
outer(int round, int inner)
{
	IN_PLACE;
#pragma omp parallel num_threads(inner)
	{
		waits();
		if (round % 16 == 0)
			computes_and_sleeps();
		if (round % 8 == 0 && omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
			IN_PLACE;
			IN_PLACE;
		}
#pragma omp task
		IN_PLACE;
#pragma omp barrier
		IN_PLACE;
	}
	IN_PLACE;
}

int
main(void)
{
	int inner = atoi(getenv("INNER"));

	omp_set_max_active_levels(3);
	omp_init_lock(&lock);
	for (int round = 0; round < 50; round++) {
#pragma omp parallel
		outer(round, inner);
		IN_PLACE;
	}
	return check_end();
}
