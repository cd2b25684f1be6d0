/* The programs here share a check that says where and why it failed, and an end that tells the runner. No program
 * judges how long things take, because others may use the machine. A thing that must happen is waited for without a
 * limit. The runner ends a program that hangs; its own alarm does when it is run by hand. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int check_failures;

__attribute__((unused, format(printf, 4, 5))) static void
check_fail(const char *file, int line, const char *what, const char *format, ...)
{
	char text[300];
	va_list list;

	if (__atomic_fetch_add(&check_failures, 1, __ATOMIC_RELAXED) >= 8)
		return;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	fprintf(stderr, "%s:%d: not so: %s  %s\n", file, line, what, text);
}

#define CHECK(condition, ...)                                                     \
	do {                                                                          \
		if (!(condition))                                                         \
			check_fail(__FILE__, __LINE__, #condition, " " __VA_ARGS__);          \
	} while (0)

__attribute__((unused, warn_unused_result)) static int
check_end(void)
{
	if (check_failures)
		fprintf(stderr, "%d checks failed\n", check_failures);
	return check_failures != 0;
}

/* The exit status where the machine lacks the hardware that the program tests. */
__attribute__((unused)) static int
check_skip(const char *why)
{
	printf("SKIP: %s\n", why);
	return 77;
}

__attribute__((unused)) static double
check_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Burns about so many microseconds of this thread's time. */
__attribute__((unused)) static void
check_burn(double us)
{
	double end = check_now() + us * 1e-6;

	while (check_now() < end)
		;
}

/* Polls until the condition holds. One that never does fails with its words before the runner ends the program. */
#define CHECK_SOON(condition, ...)                                                \
	do {                                                                          \
		for (double end_ = check_now() + 60; !(condition) && check_now() < end_;) \
			usleep(1000);                                                         \
		CHECK(condition, __VA_ARGS__);                                            \
	} while (0)

/* Children of a fork have none until they call it. */
#ifndef CHECK_NO_ALARM
__attribute__((constructor, unused)) static void
check_alarm(void)
{
	alarm(1000);
}
#endif
