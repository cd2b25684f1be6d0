/* The tools of stuck.c. A file takes the place of stderr and gets the report of FGOMP_STUCK; a thread of the program
 * releases the region when the report is complete. */
#pragma once
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <string.h>

#include "check.h"

#define THREADS 4
#define LAST "the program goes on"

static char path[32], report[1 << 16];
static int real_stderr, pipe_ends[2];
static volatile int go;

static void
report_read(void)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, report, sizeof report - 1);
	if (file >= 0)
		close(file);
	report[length < 0 ? 0 : length] = '\0';
}

static void
stderr_to_file(void)
{
	strcpy(path, "/tmp/stuck-XXXXXX");
	int file = mkstemp(path);
	CHECK(file >= 0);
	real_stderr = dup(2);
	dup2(file, 2);
	close(file);
}

static void
stderr_back(void)
{
	report_read();
	unlink(path);
	dup2(real_stderr, 2);
}

static int
count(const char *pattern)
{
	regex_t compiled;
	int n = 0;
	char *copy = strdup(report), *rest = NULL;
	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return -1;
	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		n += regexec(&compiled, line, 0, NULL, 0) == 0;
	regfree(&compiled);
	free(copy);
	return n;
}

static void
says(int times, const char *pattern)
{
	int found = count(pattern);
	if (found != times)
		check_fail(__FILE__, __LINE__, "the report", "'%s' is in %d of its lines, not %d", pattern, found,
			   times);
}

/* A thread of the program releases the region: it is in no region itself. */
static void (*release)(void);

static void *
releaser(void *arg)
{
	(void)arg;
	do {
		usleep(20000);
		report_read();
	} while (!strstr(report, LAST));
	release();
	return NULL;
}

static pthread_t
release_with(void (*function)(void))
{
	pthread_t thread;
	release = function;
	CHECK(pthread_create(&thread, NULL, releaser, NULL) == 0);
	return thread;
}

static void
by_pipe(void)
{
	CHECK(write(pipe_ends[1], "go", 1) == 1);
}

static void
by_flag(void)
{
	go = 1;
}

__attribute__((noinline)) static void
wait_in_read(void)
{
	char byte;
	CHECK(read(pipe_ends[0], &byte, 1) == 1);
}

__attribute__((noinline)) static void
spin_for_flag(void)
{
	while (!go)
		;
}
