// A post of a doacross loop wakes a parked member only if the member waits for that iteration. Each block of
// iterations has one waiter, which waits for its last one. Each member gives way after each post.
// limit: 40
// stock: fails (prints no statistics)
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
	snprintf(command, sizeof command, "FGOMP_VERBOSE=true %s again 2>&1", argv[0]);
	FILE *pipe = popen(command, "r");
	while (fgets(line, sizeof line, pipe))
		if (strstr(line, "threads suspended:"))
			suspended = atol(strrchr(line, ':') + 1);
	CHECK(pclose(pipe) == 0);
	CHECK(suspended >= 0 && suspended < EACH / 2, "%ld threads suspended", suspended);
	return check_end();
}
