// handover PID REPEATS SECONDS: takes a PU from a process that runs on two, and gives it back, again and again. Prints
// three times in milliseconds for each repetition: see struct handover_times. bench/handover.py runs it.
#define _GNU_SOURCE
#include "handover.h"

int
main(int count, char **words)
{
	static struct handover watch;
	cpu_set_t without, with, own;
	int pu;
	if (count != 4 || (watch.pid = atoi(words[1])) <= 0) {
		fprintf(stderr, "usage: handover PID REPEATS SECONDS\n");
		return 2;
	}
	if (!handover_pus(&pu, &without, &with)) {
		fprintf(stderr, "handover: needs two PUs\n");
		return 1;
	}
	CPU_ZERO(&own);
	CPU_SET(pu, &own);
	sched_setaffinity(0, sizeof own, &own);
	handover_set(watch.pid, &watch, NULL);
	for (int i = 0; i < atoi(words[2]); i++) {
		struct handover_times times = handover_once(&watch, pu, &without, &with, atof(words[3]));
		printf("%.2f %.2f %.2f\n", times.free * 1e3, times.alone * 1e3, times.used * 1e3);
		fflush(stdout);
	}
	return 0;
}
