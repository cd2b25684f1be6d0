/* A program that cannot test here says why, and ends with the status that the runner knows. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SKIPPED 77

__attribute__((unused, noreturn, format(printf, 1, 2))) static void
skip(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	puts("");
	exit(SKIPPED);
}
