/* The common part of the programs here. Each makes its first team, says so, and from then on asks for no memory itself.
 * It ends with status 0 if its sums are right. Later teams may be smaller than asked for. */
#pragma once
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void limits_begin(void) __attribute__((weak));

#define THREADS 4

static int wrong;

#define CHECK(is, should)                                                                                              \
	do {                                                                                                           \
		long is_ = (is), should_ = (should);                                                                   \
		if (is_ != should_) {                                                                                  \
			wrong = 1;                                                                                     \
			dprintf(2, "%s:%d: %s is %ld, not %ld\n", __FILE__, __LINE__, #is, is_, should_);              \
		}                                                                                                      \
	} while (0)

static void
first_team(void)
{
	int members = 0;
	omp_set_dynamic(0);
	omp_set_num_threads(THREADS);
	omp_set_max_active_levels(4);
#pragma omp parallel reduction(+ : members)
	members++;
	CHECK(members >= 1, 1);
	if (limits_begin)
		limits_begin();
}

/* About so many microseconds. */
__attribute__((unused)) static void
work(double us)
{
	double end = omp_get_wtime() + us * 1e-6;
	while (omp_get_wtime() < end)
		;
}
