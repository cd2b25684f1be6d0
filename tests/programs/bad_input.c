// Bad settings in the environment: one line each on stderr, in libgomp's words, and the program goes on with the
// default.
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
	bad("OMP_ALLOCATOR", "omp_best_mem_alloc", invalid);
	bad("OMP_ALLOCATOR", "omp_default_mem_alloc:pinned=true", invalid);
	bad("OMP_ALLOCATOR",
	    "omp_default_mem_space:", "variable %s: '' is no trait with a value; the traits are sync_hint, ");
	bad("OMP_ALLOCATOR", "omp_default_mem_space:pinned=true,size=7",
	    "variable %s: 'size=7' is no trait with a value; the traits are ");
	bad("OMP_ALLOCATOR", "omp_const_mem_space:alignment=24,pinned=true",
	    "variable %s: 'alignment=24', where alignment is a power of two; omp_default_mem_alloc is taken\n");
	bad("OMP_ALLOCATOR", "omp_const_mem_space:pool_size=-1",
	    "variable %s: 'pool_size=-1', where pool_size is a number of bytes; ");
	bad("OMP_ALLOCATOR", "omp_const_mem_space:fallback=nearest",
	    "where fallback is default_mem_fb, null_fb, abort_fb or allocator_fb; ");
	bad("OMP_ALLOCATOR", "omp_const_mem_space:partition=blockedx",
	    "'partition=blockedx', where partition is environment, nearest, ");
	bad("OMP_ALLOCATOR", "omp_const_mem_space:fb_data=omp_mem",
	    "'fb_data=omp_mem', where fb_data is an allocator; ");
	bad("OMP_ALLOCATOR", "omp_high_bw_mem_space",
	    "%s: omp_high_bw_mem_space is not to be had here; omp_default_mem_alloc is taken");
	return check_end();
}
