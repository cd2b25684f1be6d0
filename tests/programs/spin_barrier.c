// A barrier of the program's own whose members do nothing but spin, more of them than PUs: a member that spins gives
// way long before its time slice is over, where the kernel lets the runtime have its clock (perf_event_open); elsewhere
// only the sum is checked. A child tells its CPU time, and the runtime how often it has preempted.
// threads: 2 8
// cpus: 2
// limit: 60
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "ticks.h"

#define ROUNDS 300
#define SLICE_MS 4.0

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

static int
child(int rounds)
{
	int size = omp_get_max_threads();

	omp_set_max_active_levels(64);
	for (int tree = 0; tree < 40; tree++)
		divide(5);
	clock_t begun = clock();
#pragma omp parallel
	for (int r = 0; r < rounds; r++)
		meet(size);
	CHECK(atomic_load(&sense) == rounds, "%d", atomic_load(&sense));
	printf("CPU time %g ms\n", (double)(clock() - begun) * 1e3 / CLOCKS_PER_SEC);
	return check_end();
}

int
main(int argc, char **argv)
{
	const int rounds = ticks_allowed() ? ROUNDS : 20;
	char command[5000], line[1000];
	const char *word = "threads preempted:", *at;
	double spun = 0;
	long preempted = 0;

	if (argc > 1)
		return child(rounds);
	snprintf(command, sizeof command, "FGOMP_VERBOSE=true %s child 2>&1", argv[0]);
	FILE *said = popen(command, "r");
	while (fgets(line, sizeof line, said)) {
		fputs(line, stderr);
		sscanf(line, "CPU time %lf", &spun);
		if ((at = strstr(line, word)))
			preempted = atol(at + strlen(word));
	}
	CHECK(pclose(said) == 0);
	/* A member that is preempted only when its slice is over has used it up. Libgomp preempts none. */
	if (rounds == ROUNDS && preempted > ROUNDS)
		CHECK(spun < preempted * SLICE_MS / 4, "%g ms of CPU time, %ld times preempted", spun, preempted);
	return check_end();
}
