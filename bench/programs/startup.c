/* Three times of a process: from its start to the end of its first region; the whole life of one that opens no region;
   its first nested regions. The parent measures the first two, and the child tells the parts of the third. `startup
   region|none|nested PROGRAM` uses no OpenMP itself. The runtime is that of the child's environment. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

enum { CHILDREN = 12, TEXT = 256, PARTS = 6 };

extern char **environ;

static void
fail(const char *program)
{
	fprintf(stderr, "startup: %s could not be run; nothing was measured\n", program);
	exit(1);
}

/* Puts the child's output into text, and the ns to its end into *life. Returns the moment of its start. */
static double
child_run(char *program, int region, char *text, double *life)
{
	char *argv[] = {program, region ? "region" : NULL, NULL};
	int ends[2], status;
	pid_t pid;
	if (pipe2(ends, O_CLOEXEC))
		fail(program);
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	double start = bench_now();
	if (posix_spawn(&pid, program, &actions, NULL, argv, environ))
		fail(program);
	if (wait4(pid, &status, 0, NULL) != pid || status)
		fail(program);
	*life = bench_now() - start;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	ssize_t got = read(ends[0], text, TEXT - 1);
	text[got > 0 ? got : 0] = '\0';
	close(ends[0]);
	return start;
}

/* The parts stand in the order in which startup_nested.c prints them. */
static int
nested(char *program)
{
	static const char *const part[PARTS] = {"nested_outer",	   "nested_first",     "nested_each",
						"nested_thousand", "nested_late_each", "nested_late"};
	static struct bench_samples samples[PARTS];
	for (int i = 0; i < CHILDREN; i++) {
		char text[TEXT], *at = text, *end;
		double life;
		child_run(program, 0, text, &life);
		for (int p = 0; p < PARTS; p++, at = end) {
			samples[p].ns[samples[p].count++] = strtod(at, &end);
			if (at == end)
				fail(program);
		}
	}
	for (int p = 0; p < PARTS; p++) {
		bench_samples_sort(&samples[p]);
		bench_report_samples(part[p], p < 2 ? "us" : "ns", &samples[p], p < 2 ? 1e3 : 1);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return bench_usage("startup region|none|nested PROGRAM");
	if (!strcmp(argv[1], "nested"))
		return nested(argv[2]);
	char text[TEXT];
	int region = !strcmp(argv[1], "region");
	struct bench_samples first = {0}, life = {0};
	double ns;
	child_run(argv[2], region, text, &ns);
	for (int i = 0; i < CHILDREN; i++) {
		double start = child_run(argv[2], region, text, &ns);
		first.ns[first.count++] = atof(text) - start;
		life.ns[life.count++] = ns;
	}
	bench_samples_sort(&first);
	bench_samples_sort(&life);
	if (region) {
		bench_report_samples("first_region", "us", &first, 1e3);
		bench_report_samples("whole_process", "us", &life, 1e3);
	} else {
		bench_report_samples("no_region", "us", &life, 1e3);
	}
	return 0;
}
