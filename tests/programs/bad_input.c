// Bad settings in the environment: one line each on stderr, in libgomp's words, and the program goes on with the default.
#include <omp.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

extern char **environ;

static int
child(void)
{
	int sum = 0;

#pragma omp parallel reduction(+ : sum)
	sum++;
	return sum == omp_get_max_threads() ? 0 : 1;
}

static void
bad(const char *variable, const char *value, const char *message)
{
	char setting[200], text[4000] = "", want[200], self[] = "/proc/self/exe", again[] = "again";
	char *args[] = {self, again, NULL}, *env[200];
	int out[2], status = -1, n = 0;
	size_t got = 0;
	pid_t pid;
	posix_spawn_file_actions_t actions;

	snprintf(setting, sizeof setting, "%s=%s", variable, value);
	snprintf(want, sizeof want, message, variable);
	for (char **e = environ; *e && n < 198; e++)
		if (strncmp(*e, "OMP_", 4) && strncmp(*e, "GOMP_", 5))
			env[n++] = *e;
	env[n++] = setting;
	env[n] = NULL;
	CHECK(pipe(out) == 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDERR_FILENO);
	posix_spawn_file_actions_addclose(&actions, out[0]);
	posix_spawn_file_actions_addclose(&actions, out[1]);
	CHECK(posix_spawn(&pid, self, &actions, NULL, args, env) == 0);
	close(out[1]);
	for (ssize_t r; (r = read(out[0], text + got, sizeof text - 1 - got)) > 0;)
		got += r;
	close(out[0]);
	posix_spawn_file_actions_destroy(&actions);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "%s: status %x", setting, status);

	/* Once, and nothing but explanations of the runtime beside it. */
	char *first = strstr(text, want);
	CHECK(first, "%s: no \"%s\" in \"%s\"", setting, want, text);
	CHECK(!first || !strstr(first + 1, want), "%s: twice", setting);
}

int
main(int argc, char **argv)
{
	static const char *invalid = "\nlibgomp: Invalid value for environment variable %s\n";
	(void)argv;

	if (argc > 1)
		return child();
	bad("OMP_NUM_THREADS", "-3", invalid);
	bad("OMP_NUM_THREADS", "0", invalid);
	bad("OMP_NUM_THREADS", "abc", invalid);
	bad("OMP_NUM_THREADS", "", invalid);
	bad("OMP_NUM_THREADS", "4,,2", invalid);
	bad("OMP_NUM_THREADS", "99999999999999999999", invalid);
	bad("OMP_PLACES", "{0", invalid);
	bad("OMP_PLACES", "{0}:x", invalid);
	bad("OMP_PLACES", "bogus", invalid);
	bad("OMP_SCHEDULE", "foo", "\nlibgomp: Unknown value for environment variable %s\n");
	bad("OMP_STACKSIZE", "xx", invalid);
	bad("OMP_WAIT_POLICY", "lazy", invalid);
	bad("OMP_DYNAMIC", "maybe", invalid);
	bad("OMP_PROC_BIND", "sometimes", invalid);
	bad("OMP_MAX_ACTIVE_LEVELS", "-2", invalid);
	bad("OMP_THREAD_LIMIT", "0", invalid);
	bad("OMP_NESTED", "x", invalid);
	bad("OMP_CANCELLATION", "q", invalid);
	bad("OMP_DISPLAY_ENV", "foo", invalid);
	bad("GOMP_SPINCOUNT", "x", invalid);
	return check_end();
}
