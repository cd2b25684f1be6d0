// Barriers of large nested teams, whose members arrive by groups. Members come late, make tasks, and yield in turns.
// The teams change their size, and one thread meets them one after the other.
// threads: 2 4
// env: OMP_MAX_ACTIVE_LEVELS=3
// env: OMP_MAX_ACTIVE_LEVELS=3 FGOMP_SPIN=0
// env: OMP_MAX_ACTIVE_LEVELS=3 FGOMP_SLICE=1ms OMP_CANCELLATION=true
// env: OMP_MAX_ACTIVE_LEVELS=3 FGOMP_THREADS=kernel
#include <omp.h>
#include <sched.h>
#include "check.h"

#define MOST 70
#define PHASES 20

static void
late(int me, int phase)
{
	if ((me * 7 + phase * 13) % 11 == 0)
		sched_yield();
}

static void
cross(int size, int with_tasks)
{
	int reached[MOST] = {0}, ran = 0, made = 0, wrong = 0;
#pragma omp parallel num_threads(size) reduction(+ : wrong)
	for (int phase = 1, me = omp_get_thread_num(); phase <= PHASES; phase++) {
		late(me, phase);
		for (int k = 0; with_tasks && k < me % 3; k++) {
#pragma omp atomic
			made++;
#pragma omp task shared(ran)
#pragma omp atomic
			ran++;
		}
		__atomic_store_n(&reached[me], phase, __ATOMIC_RELAXED);
#pragma omp barrier
		for (int k = 0; k < omp_get_num_threads(); k++)
			wrong += __atomic_load_n(&reached[k], __ATOMIC_RELAXED) != phase;
		wrong += __atomic_load_n(&ran, __ATOMIC_RELAXED) != __atomic_load_n(&made, __ATOMIC_RELAXED);
#pragma omp barrier
	}
	CHECK(wrong == 0, "%d faults in a team of %d", wrong, size);
}

int
main(void)
{
#pragma omp parallel
	for (int size = 15; size <= MOST; size += 9) {
		cross(size, 0);
		cross(size, 1);
		cross(size, size % 2);
	}
	return check_end();
}
