/* What the entry points for long and unsigned long long loops have in common (floor: gomp; included by loop.c and loop_ull.c). */
#pragma once
#include "team/share/doacross.h"
#include "team/share/loop.h"
#include "gomp/abi.h"

_Static_assert(sizeof(long) == sizeof(uint64_t), "bounds are written as 64-bit words");

/* A loop as an entry point gets it; no chunk, or a senseless one, is 0. */
static inline struct fg_loop
loop_of(bool is_signed, bool up, uint64_t start, uint64_t end, uint64_t step, unsigned schedule, uint64_t chunk)
{
	return (struct fg_loop){
		.start = start,
		.end = end,
		.step = step,
		.up = up,
		.is_signed = is_signed,
		.schedule = schedule,
		.chunk = is_signed && (int64_t)chunk < 0 ? 0 : chunk,
	};
}

/* The schedule argument of the GOMP 5 forms: 4 is runtime with the nonmonotonic modifier. */
static inline unsigned
schedule_of(long argument)
{
	unsigned kind = (unsigned)argument & ~FG_MONOTONIC;
	return kind == 4 ? FG_RUNTIME : kind | ((unsigned)argument & FG_MONOTONIC);
}

/* For X(name, schedule): the schedules of which each family of entry points has one member. */
#define WITH_CHUNK(X)                                                                                                  \
	X(static, FG_STATIC)                                                                                           \
	X(dynamic, FG_DYNAMIC | FG_MONOTONIC)                                                                          \
	X(guided, FG_GUIDED | FG_MONOTONIC)
#define WITH_CHUNK_NONMONOTONIC(X)                                                                                     \
	X(nonmonotonic_dynamic, FG_DYNAMIC)                                                                            \
	X(nonmonotonic_guided, FG_GUIDED)
#define FROM_ICV(X) X(runtime, FG_RUNTIME | FG_MONOTONIC)
#define FROM_ICV_NONMONOTONIC(X)                                                                                       \
	X(nonmonotonic_runtime, FG_RUNTIME)                                                                            \
	X(maybe_nonmonotonic_runtime, FG_RUNTIME)
