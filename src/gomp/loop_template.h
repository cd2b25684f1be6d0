/* ABI: worksharing loops over one type (floor: gomp; included by loop.c and loop_ull.c, which define
 *     WORD             the type of the bounds
 *     NAME(rest)       GOMP_loop_rest or GOMP_loop_ull_rest
 *     BOUNDS           the parameters start, end and step, after the direction if the ABI gives one
 *     IS_SIGNED, UP    of the loop
 * ). All `next` functions are one, for the instance knows its schedule. */
#include "gomp/loop_abi.h"

#define LOOP(schedule, chunk)                                                                                          \
	loop_of(IS_SIGNED, UP, (uint64_t)start, (uint64_t)end, (uint64_t)step, schedule, (uint64_t)(chunk))

FG_EXPORT bool
NAME(dynamic_next)(WORD *from, WORD *to)
{
	return fg_loop_next((uint64_t *)from, (uint64_t *)to);
}

FG_EXPORT bool
NAME(ordered_dynamic_next)(WORD *from, WORD *to)
{
	return fg_loop_next_ordered(fg_self_or_root(), (uint64_t *)from, (uint64_t *)to);
}

/* Expands the names before FG_ABI_ALIAS makes a string of one. */
#define ALIAS(name, of) FG_ABI_ALIAS(bool, name, (WORD *, WORD *), of)
#define NEXT(name) ALIAS(NAME(name##_next), NAME(dynamic_next))
#define NEXT_ORDERED(name) ALIAS(NAME(ordered_##name##_next), NAME(ordered_dynamic_next))
NEXT(static)
NEXT(guided)
NEXT(runtime)
NEXT(nonmonotonic_dynamic)
NEXT(nonmonotonic_guided)
NEXT(nonmonotonic_runtime)
NEXT(maybe_nonmonotonic_runtime)
NEXT_ORDERED(static)
NEXT_ORDERED(guided)
NEXT_ORDERED(runtime)

#define START_AS(name, schedule, start_function)                                                                       \
	FG_EXPORT bool NAME(name##_start)(BOUNDS, WORD chunk, WORD * from, WORD * to)                                  \
	{                                                                                                              \
		struct fg_loop loop = LOOP(schedule, chunk);                                                           \
		return start_function(fg_self_or_root(), &loop, (uint64_t *)from, (uint64_t *)to);                     \
	}
#define START_ICV_AS(name, schedule, start_function)                                                                   \
	FG_EXPORT bool NAME(name##_start)(BOUNDS, WORD * from, WORD * to)                                              \
	{                                                                                                              \
		struct fg_loop loop = LOOP(schedule, 0);                                                               \
		return start_function(fg_self_or_root(), &loop, (uint64_t *)from, (uint64_t *)to);                     \
	}
#define START(name, schedule) START_AS(name, schedule, fg_loop_start)
#define START_ICV(name, schedule) START_ICV_AS(name, schedule, fg_loop_start)
#define START_ORDERED(name, schedule) START_AS(ordered_##name, schedule, fg_loop_ordered_start)
#define START_ORDERED_ICV(name, schedule) START_ICV_AS(ordered_##name, schedule, fg_loop_ordered_start)
WITH_CHUNK(START)
WITH_CHUNK_NONMONOTONIC(START)
FROM_ICV(START_ICV)
FROM_ICV_NONMONOTONIC(START_ICV)
WITH_CHUNK(START_ORDERED)
FROM_ICV(START_ORDERED_ICV)

#define START_FULL(name, is_ordered)                                                                                   \
	FG_EXPORT bool NAME(name)(BOUNDS, long schedule, WORD chunk, WORD *from, WORD *to, uintptr_t *reductions,      \
				  void **memory)                                                                       \
	{                                                                                                              \
		struct fg_loop loop = LOOP(schedule_of(schedule), chunk);                                              \
		return fg_loop_start_full(fg_self_or_root(), &loop, is_ordered, (uint64_t *)from, (uint64_t *)to,      \
					  reductions, memory);                                                         \
	}
START_FULL(start, false)
START_FULL(ordered_start, true)

FG_EXPORT bool
NAME(doacross_start)(unsigned dimensions, WORD *counts, long schedule, WORD chunk, WORD *from, WORD *to,
		     uintptr_t *reductions, void **memory)
{
	struct fg_loop loop =
		loop_of(IS_SIGNED, true, 0, (uint64_t)counts[0], 1, schedule_of(schedule), (uint64_t)chunk);
	return fg_doacross_start(fg_self_or_root(), dimensions, (uint64_t *)counts, &loop, (uint64_t *)from,
				 (uint64_t *)to, reductions, memory);
}

#define START_DOACROSS(name, schedule)                                                                                 \
	FG_EXPORT bool NAME(doacross_##name##_start)(unsigned dimensions, WORD *counts, WORD chunk, WORD *from,        \
						     WORD *to)                                                         \
	{                                                                                                              \
		return NAME(doacross_start)(dimensions, counts, (long)(schedule), chunk, from, to, NULL, NULL);        \
	}
#define START_DOACROSS_ICV(name, schedule)                                                                             \
	FG_EXPORT bool NAME(doacross_##name##_start)(unsigned dimensions, WORD *counts, WORD *from, WORD *to)          \
	{                                                                                                              \
		return NAME(doacross_start)(dimensions, counts, (long)(schedule), 0, from, to, NULL, NULL);            \
	}
WITH_CHUNK(START_DOACROSS)
FROM_ICV(START_DOACROSS_ICV)
