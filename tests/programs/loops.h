/* The iteration spaces that each loop schedule must cover exactly once; used by the loop_* programs. */
#pragma once
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "check.h"

#define LOOP_MOST 1200
static unsigned char loop_hits[LOOP_MOST];
static int loop_outside;

typedef unsigned long long ull;

static void
loop_clear(void)
{
	memset(loop_hits, 0, sizeof loop_hits);
	loop_outside = 0;
}

static void
loop_hit(ull i, ull from, long long step)
{
	ull distance = step > 0 ? i - from : from - i;
	ull index = distance / (ull)(step > 0 ? step : -step);

	if (index >= LOOP_MOST)
		__atomic_fetch_add(&loop_outside, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&loop_hits[index], 1, __ATOMIC_RELAXED);
}

static void
loop_verify(const char *what, int trip)
{
	CHECK(loop_outside == 0, "%s: %d iterations outside", what, loop_outside);
	for (int i = 0; i < LOOP_MOST; i++)
		CHECK(loop_hits[i] == (i < trip), "%s: iteration %d ran %d times", what, i, loop_hits[i]);
}

#define LOOP_PRAGMA(...) _Pragma(#__VA_ARGS__)

/* One space in three forms: combined, in a region, in a region without the barrier. */
#define LOOP_SPACE(clauses, type, from, op, to, step, trip)                       \
	do {                                                                          \
		type first = (from), last = (to);                                         \
		loop_clear();                                                             \
		LOOP_PRAGMA(omp parallel for clauses)                                     \
		for (type i = first; i op last; i += (type)(step))                        \
			loop_hit((ull)i, (ull)first, step);                                   \
		loop_verify(#clauses " combined " #type " " #from " " #to " " #step, trip); \
		loop_clear();                                                             \
		_Pragma("omp parallel")                                                   \
		{                                                                         \
			LOOP_PRAGMA(omp for clauses)                                          \
			for (type i = first; i op last; i += (type)(step))                    \
				loop_hit((ull)i, (ull)first, step);                               \
			_Pragma("omp master")                                                 \
				loop_verify(#clauses " " #type " " #from " " #to " " #step, trip); \
			_Pragma("omp barrier")                                                \
			_Pragma("omp master")                                                 \
				loop_clear();                                                     \
			_Pragma("omp barrier")                                                \
			LOOP_PRAGMA(omp for nowait clauses)                                   \
			for (type i = first; i op last; i += (type)(step))                    \
				loop_hit((ull)i, (ull)first, step);                               \
		}                                                                         \
		loop_verify(#clauses " nowait " #type " " #from " " #to " " #step, trip); \
	} while (0)

/* Unsigned spaces that go down: a step is subtracted there. */
#define LOOP_DOWN(clauses, type, from, op, to, step, trip)                        \
	do {                                                                          \
		type first = (from), last = (to);                                         \
		loop_clear();                                                             \
		LOOP_PRAGMA(omp parallel for clauses)                                     \
		for (type i = first; i op last; i -= (step))                              \
			loop_hit((ull)i, (ull)first, -(long long)(step));                     \
		loop_verify(#clauses " down " #type " " #from " " #to " " #step, trip);   \
	} while (0)

#define LOOP_CASES(name, clauses)                                                 \
	static void name(void)                                                        \
	{                                                                             \
		LOOP_SPACE(clauses, int, 0, <, 1000, 1, 1000);                            \
		LOOP_SPACE(clauses, int, 0, <, 1, 1, 1);                                  \
		LOOP_SPACE(clauses, int, 5, <, 5, 1, 0);                                  \
		LOOP_SPACE(clauses, int, 10, <, -10, 3, 0);                               \
		LOOP_SPACE(clauses, int, 1000, >, 0, -7, 143);                            \
		LOOP_SPACE(clauses, int, 100, >=, -100, -1, 201);                         \
		LOOP_SPACE(clauses, int, INT_MIN, <, INT_MIN + 99, 3, 33);                \
		LOOP_SPACE(clauses, int, INT_MAX - 99, <, INT_MAX, 3, 33);                \
		LOOP_SPACE(clauses, unsigned, UINT_MAX - 300, <, UINT_MAX, 1, 300);       \
		LOOP_SPACE(clauses, long, LONG_MIN, <, LONG_MIN + 77, 1, 77);             \
		LOOP_SPACE(clauses, long, LONG_MAX - 500, <, LONG_MAX, 5, 100);           \
		LOOP_SPACE(clauses, long, 0, <, 3, 1, 3);                                 \
		LOOP_SPACE(clauses, ull, 0, <, 257, 1, 257);                              \
		LOOP_SPACE(clauses, ull, 9, <, 9, 1, 0);                                  \
		LOOP_SPACE(clauses, ull, ULLONG_MAX - 500, <, ULLONG_MAX, 1, 500);        \
		LOOP_SPACE(clauses, ull, ULLONG_MAX - 500, <, ULLONG_MAX, 5, 100);        \
		LOOP_SPACE(clauses, ull, (1ull << 63) - 200, <, (1ull << 63) + 200, 1, 400); \
		LOOP_DOWN(clauses, ull, ULLONG_MAX, >, ULLONG_MAX - 500, 5, 100);         \
		LOOP_DOWN(clauses, ull, 700, >, 0, 7, 100);                               \
	}
