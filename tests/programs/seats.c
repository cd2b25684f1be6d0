// Under a policy that places, each worker is bound to the PU of its leaf. A member of the team that a worker carries is always
// on that PU. The program sees the process's mask all the same: in the member, in its children, however it makes them, and in
// its threads. Where OMP_PROC_BIND says something, nothing of this happens.
// cpus: 2
// env: FGOMP_SCHED=spread
// env: FGOMP_SCHED=compact
// env: FGOMP_SCHED=affinity
// env: FGOMP_SCHED=cache
// env: FGOMP_SCHED=spread OMP_PROC_BIND=false
// env: -
// threads: 2
// limit: 60
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

extern char **environ;
static cpu_set_t process;
static char command[700];

/* The mask that the kernel has for the calling kernel thread. */
static int
kernel_count(void)
{
	cpu_set_t mask;
	memset(&mask, 0, sizeof mask);
	CHECK(syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask) > 0);
	return CPU_COUNT(&mask);
}

static void
mask_text(char *text)
{
	char line[512];
	FILE *status = fopen("/proc/thread-self/status", "r");
	*text = '\0';
	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "Cpus_allowed: %511s", text) == 1)
			break;
	if (status)
		fclose(status);
}

static void
has_process_mask(const char *who)
{
	cpu_set_t mask;
	CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &process), "%s: sched_getaffinity", who);
	CHECK(pthread_getaffinity_np(pthread_self(), sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &process),
	      "%s: pthread_getaffinity_np", who);
}

static void *
thread(void *arg)
{
	CHECK(kernel_count() == CPU_COUNT(&process), "a new thread has %d PUs", kernel_count());
	return arg;
}

static void
ended_well(const char *what, int status)
{
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the child has another mask (status %x)", what, status);
}

static void
children(void)
{
	char *arguments[] = {"sh", "-c", command, NULL};
	int status = -1;
	pid_t child = fork();
	if (child == 0)
		_exit(kernel_count() != CPU_COUNT(&process));
	CHECK(waitpid(child, &status, 0) == child);
	ended_well("fork", status);
	CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0 && waitpid(child, &status, 0) == child);
	ended_well("posix_spawn", status);
	CHECK(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0 && waitpid(child, &status, 0) == child);
	ended_well("posix_spawnp", status);
	ended_well("system", system(command));
	FILE *stream = popen(command, "w");
	CHECK(stream);
	ended_well("popen", pclose(stream));
	child = vfork();
	if (child == 0) {
		execv("/bin/sh", arguments);
		_exit(127);
	}
	CHECK(waitpid(child, &status, 0) == child);
	ended_well("vfork", status);
	pthread_t created;
	CHECK(pthread_create(&created, NULL, thread, NULL) == 0 && pthread_join(created, NULL) == 0);
}

/* Where the kernel thread of the second member is bound to a PU, that is always the same. (Beside another program it may have
 * more room for a while.) Returns whether it was. */
static int
look(void)
{
	static int seat = -1;
	int bound = 0;
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();
		for (int i = 0; i < 2000; i++) {
#pragma omp barrier
			if (me == 0 || i % 10 || kernel_count() != 1)
				continue;
			int pu = sched_getcpu();
			seat = seat < 0 ? pu : seat;
			bound++;
			CHECK(pu == seat, "the member moved from PU %d to %d", seat, pu);
		}
		if (me == 1) {
			has_process_mask("a member");
			children();
			has_process_mask("a member with children");
		}
#pragma omp barrier
		has_process_mask(me ? "a member" : "the root");
	}
	return bound;
}

/* A member that sets its mask has its will. */
static void
own_mask(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
	{
		if (omp_get_thread_num() == 1)
			CHECK(sched_setaffinity(0, sizeof process, &process) == 0);
		for (int i = 0; i < 100; i++) {
#pragma omp barrier
		}
		n += kernel_count() == CPU_COUNT(&process);
	}
	CHECK(n == 2, "the mask that a member has set does not hold");
}

int
main(void)
{
	const char *policy = getenv("FGOMP_SCHED");
	int seats = policy && !getenv("OMP_PROC_BIND"), bound = 0; /* `default` binds nothing */
	char text[512];
	sched_getaffinity(0, sizeof process, &process);
	mask_text(text);
	snprintf(command, sizeof command, "grep -q '^Cpus_allowed:.%s$' /proc/self/status", text);
	for (int i = 0; i < 5; i++)
		bound += look();
	if (seats)
		CHECK(bound > 0, "no worker is bound");
	else
		CHECK(bound == 0, "a worker is bound");
	own_mask();
	return check_end();
}
