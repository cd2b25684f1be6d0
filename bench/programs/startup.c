/* From the start of a process to the end of its first region, and the whole life of one that opens no region, seen by the
   parent. `startup region|none PROGRAM`; uses no OpenMP itself, the runtime is that of the child's environment. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

enum { CHILDREN = 12 };

extern char **environ;

static void
fail(const char *program)
{
	fprintf(stderr, "startup: %s could not be run; nothing was measured\n", program);
	exit(1);
}

/* Returns the ns from the start to the moment that the child printed (0: printed nothing), and to its end in *life. */
static double
child_run(char *program, int region, double *life)
{
	char *argv[] = {program, region ? "region" : NULL, NULL};
	char text[64] = "";
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
	ssize_t got = read(ends[0], text, sizeof text - 1);
	close(ends[0]);
	return got > 0 ? atof(text) - start : 0;
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return bench_usage("startup region|none PROGRAM");
	int region = !strcmp(argv[1], "region");
	struct bench_samples first = {0}, life = {0};
	double ns;
	child_run(argv[2], region, &ns);
	for (int i = 0; i < CHILDREN; i++) {
		first.ns[first.count++] = child_run(argv[2], region, &ns);
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
