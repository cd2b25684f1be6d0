/* Common parts of all worksharing loops' entry points (floor: gomp; included by loop.c, loop_ull.c and
 * parallel_loop.c). It translates arguments, and touches nothing else. */
#pragma once
#include "base/export.h"
#include "team/share/doacross.h"
#include "team/share/loop.h"

_Static_assert(sizeof(long) == sizeof(uint64_t), "bounds are written as 64-bit words");

/* Makes a loop of an entry point's arguments. A negative chunk becomes 0, which means no chunk. */
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

/* Translates the schedule argument of the GOMP 5 forms, where 4 is runtime with the nonmonotonic modifier. */
static inline unsigned
schedule_of(long argument)
{
	unsigned kind = (unsigned)argument & ~FG_MONOTONIC;
	return kind == 4 ? FG_RUNTIME : kind | ((unsigned)argument & FG_MONOTONIC);
}
