// A post of a doacross loop wakes a parked member only if the member waits for that iteration. Each block of
// iterations has one waiter, which waits for its last one. Each member gives way after each post, on one PU.
// limit: 40
// stock: fails (prints no statistics)
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MEMBERS = 8, EACH = 1000, ITERATIONS = MEMBERS * EACH };

static long one[ITERATIONS + 1];

static void
loop(void)
{
#pragma omp parallel for ordered(1) schedule(static) num_threads(MEMBERS)
	for (int i = 1; i <= ITERATIONS; i++) {
#pragma omp ordered depend(sink : i - 1)
		one[i] = one[i - 1] + 1;
#pragma omp ordered depend(source)
		sched_yield();
	}
	CHECK(one[ITERATIONS] == ITERATIONS, "%ld", one[ITERATIONS]);
}

int
main(int argc, char **argv)
{
	char command[5000], line[5000];
	long suspended = -1;

	if (argc > 1) {
		loop();
		return check_end();
	}
	cpu_set_t all, first;
	CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
	CPU_ZERO(&first);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&first); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &first);
	CHECK(sched_setaffinity(0, sizeof first, &first) == 0);
	snprintf(command, sizeof command, "FGOMP_VERBOSE=true %s again 2>&1", argv[0]);
	FILE *pipe = popen(command, "r");
	while (fgets(line, sizeof line, pipe))
		if (strstr(line, "threads suspended:"))
			suspended = atol(strrchr(line, ':') + 1);
	CHECK(pclose(pipe) == 0);
	CHECK(suspended >= 0 && suspended < 2 * EACH, "%ld threads suspended", suspended);
	return check_end();
}
