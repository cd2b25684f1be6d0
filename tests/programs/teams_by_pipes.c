// Two programs on one PU, whose teams await each other by pipes. Nobody keeps less than one thread busy, so both go on.
// SECONDS in the environment says for how long; one is the preset.
// cpus: 1
// env: FGOMP_SHARE=on
// env: FGOMP_SHARE=on OMP_NUM_THREADS=5
// env: FGOMP_SHARE=on FGOMP_SPIN=0
// env: FGOMP_SHARE=on SECOND_NICE=19
// limit: 60
#include <omp.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "check.h"

enum { ENDS = 1 };

static double seconds = 1;

static char
hear(int from)
{
	char said = ENDS;
	CHECK(read(from, &said, 1) == 1);
	return said;
}

static void
say(int to, char what)
{
	CHECK(write(to, &what, 1) == 1);
}

/* The first program speaks first, and says when it is over. */
static long
team(int from, int to, bool first)
{
	double end = check_now() + seconds;
	long rounds = 0;
	bool over = false;
#pragma omp parallel
	while (!over) {
#pragma omp barrier
#pragma omp master
		{
			if (first) {
				char word = check_now() < end ? 0 : ENDS;
				say(to, word);
				over = hear(from) == ENDS;
			} else {
				char word = hear(from);
				say(to, word);
				over = word == ENDS;
			}
			rounds++;
		}
#pragma omp barrier
	}
	return rounds;
}

int
main(void)
{
	int there[2], back[2], status;
	const char *given = getenv("SECONDS"), *lazy = getenv("SECOND_NICE");
	if (given)
		seconds = atof(given);
	if (!getenv("OMP_NUM_THREADS"))
		omp_set_num_threads(2);
	CHECK(pipe(there) == 0 && pipe(back) == 0);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		if (lazy && nice(atoi(lazy)) < 0)
			return 1;
		team(there[0], back[1], false);
		return check_end();
	}
	long rounds = team(back[0], there[1], true);
	CHECK(rounds > 1, "%ld rounds", rounds);
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%d", status);
	printf("%ld rounds\n", rounds);
	return check_end();
}
