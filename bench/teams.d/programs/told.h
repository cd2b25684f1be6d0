/* The part that these programs share: they tell a simulated machine what they would do, and touch no memory. */
#pragma once
#include <omp.h>
#include <sys/mman.h>
#include "../../../include/forestgomp.h"
#include "../../programs/bench.h"

#pragma weak fgomp_sim_work
#pragma weak fgomp_sim_read
#pragma weak fgomp_sim_write

enum { TOLD_PAGE = 4096, TOLD_THREADS_MAX = 1024 };

static const char *told_name;

static inline _Noreturn void
told_refuse(const char *why)
{
	fprintf(stderr, "%s: %s; nothing was measured\n", told_name, why);
	exit(2);
}

/* Refuses a runtime that is not simulated. */
static inline void
told_begin(const char *name)
{
	told_name = name;
	if (!fgomp_sim_work || !fgomp_sim_read || !fgomp_sim_write)
		told_refuse("it is for ForestGOMP's simulated machine, and this runtime has none");
}

/* Returns a whole number of an argument. */
static inline long
told_number(const char *text, long least, long most)
{
	char *end;
	long number = strtol(text, &end, 10);
	if (end == text || *end || number < least || number > most) {
		fprintf(stderr, "%s: %s is no number from %ld to %ld; nothing was measured\n", told_name, text, least,
		        most);
		exit(2);
	}
	return number;
}

/* Returns the text after `name=`, or NULL. */
static inline const char *
told_option(const char *argument, const char *name)
{
	size_t length = strlen(name);
	return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

/* Reads A,B,... into `sizes`, and returns how many there are. */
static inline int
told_sizes(const char *text, char between, int *sizes, int most)
{
	int count = 0;
	for (const char *at = text;; at++) {
		int length = 0;
		if (count == most || sscanf(at, "%d%n", &sizes[count], &length) != 1 || sizes[count] < 1 ||
		    sizes[count] > TOLD_THREADS_MAX)
			told_refuse("sizes of teams are numbers from 1 to 1024, and some tens at most");
		count++;
		at += length;
		if (*at != between) {
			if (*at)
				told_refuse("sizes of teams are numbers with one sign between them");
			return count;
		}
	}
}

/* Returns addresses for `count` teams. Each begins on a page. */
static inline char *
told_reserve(long count, size_t bytes, size_t *stride)
{
	*stride = (bytes + TOLD_PAGE - 1) / TOLD_PAGE * TOLD_PAGE + TOLD_PAGE;
	void *memory = mmap(NULL, (size_t)count * *stride, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		told_refuse("there is no room for the data");
	return memory;
}

/* Reports the mean of times[from] to times[to - 1], which are ns. */
static inline void
told_report(const double *times, int from, int to)
{
	double sum = 0;
	for (int i = from; i < to; i++)
		sum += times[i];
	bench_report(told_name, "us", sum / (to - from) / 1e3, sum / (to - from) / 1e3, 0);
}
