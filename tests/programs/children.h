// The mask of the process, and the ways to make children and threads that must have it.
#pragma once
#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE first"
#endif
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
	CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &process), "%s: sched_getaffinity",
	      who);
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
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the child has another mask (status %x)", what,
	      status);
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
	CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0 &&
	      waitpid(child, &status, 0) == child);
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

/* The caller has the mask of the process. */
static void
children_start(void)
{
	char text[512];
	sched_getaffinity(0, sizeof process, &process);
	mask_text(text);
	snprintf(command, sizeof command, "grep -q '^Cpus_allowed:.%s$' /proc/self/status", text);
}
