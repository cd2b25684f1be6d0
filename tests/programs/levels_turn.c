// Members of a flat team spin on each PU until a nested team is done, whose threads lie on the levels above the PUs.
// They have their turn between the spinners.
// threads: 2
// env: FGOMP_SCHED=spread
// env: FGOMP_SCHED=spread OMP_PROC_BIND=true
// env: FGOMP_SCHED=global OMP_PROC_BIND=true
// env: FGOMP_SCHED=affinity OMP_PLACES=threads
// cpus: 2
// limit: 40
// stock: fails (its spinners and the nested team share the PUs by the system's slices)
#include <omp.h>

#include "check.h"

int
main(void)
{
	static volatile int done;
	int phases = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(5)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(5)
			for (int phase = 0; phase < 50; phase++) {
#pragma omp barrier
#pragma omp master
				phases++;
			}
			done = 1;
		}
		while (!done)
			;
	}
	CHECK(phases == 50, "%d", phases);
	return check_end();
}
