// A barrier of the program's own whose members do nothing but spin, more of them than PUs: a member that spins gives
// way long before its time slice is over, where the kernel lets the runtime have its clock (perf_event_open); elsewhere
// only the sum is checked.
// threads: 2 8
// cpus: 2
// limit: 60
#include <omp.h>
#include <stdatomic.h>

#include "check.h"
#include "ticks.h"

static atomic_int arrived, sense;

static void
meet(int size)
{
	int old = atomic_load(&sense);

	if (atomic_fetch_add(&arrived, 1) == size - 1) {
		atomic_store(&arrived, 0);
		atomic_store(&sense, old + 1);
	} else
		while (atomic_load_explicit(&sense, memory_order_acquire) == old)
			;
}

int
main(void)
{
	const int rounds = ticks_allowed() ? 300 : 20;
	int size = omp_get_max_threads();

	omp_set_max_active_levels(64);
	for (int tree = 0; tree < 40; tree++)
		divide(5);
	clock_t begun = clock();
#pragma omp parallel
	for (int r = 0; r < rounds; r++)
		meet(size);
	CHECK(atomic_load(&sense) == rounds, "%d", atomic_load(&sense));
	/* With whole time slices of 4 ms these rounds of 8 take 5 s of each PU. */
	if (rounds == 300) {
		double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
		CHECK(seconds < 6, "%g s of CPU time", seconds);
	}
	return check_end();
}
