/* ABI: worksharing loops over one type (floor: gomp; included by loop.c and loop_ull.c).
 *
 * The file that includes this one defines these words:
 *
 *     WORD         is the type of the bounds.
 *     BOUNDS       lists the parameters start, end and step, after the direction if the ABI gives one.
 *     IS_SIGNED    tells whether the bounds are signed.
 *     UP           tells whether the loop goes up.
 *
 * Each macro below takes the whole name of an entry point, so that a search for the name finds it. Compiled code calls
 * these, as team/inside.h says. team/share/loop.h has the invariants. */
#include "exec/roots/self.h"
#include "gomp/loop_abi.h"

#define LOOP(schedule, chunk)                                                                                          \
	loop_of(IS_SIGNED, UP, (uint64_t)start, (uint64_t)end, (uint64_t)step, schedule, (uint64_t)(chunk))

/* The loop's instance knows its schedule, so all `next` functions do the same. */
#define NEXT(name)                                                                                                     \
	FG_EXPORT bool name(WORD *from, WORD *to)                                                                      \
	{                                                                                                              \
		return fg_loop_next((uint64_t *)from, (uint64_t *)to);                                                 \
	}
#define NEXT_ORDERED(name)                                                                                             \
	FG_EXPORT bool name(WORD *from, WORD *to)                                                                      \
	{                                                                                                              \
		return fg_loop_next_ordered(fg_self_or_root(), (uint64_t *)from, (uint64_t *)to);                      \
	}
#define NEXT_ALIAS(name, of) FG_ABI_ALIAS(bool, name, (WORD *, WORD *), of)

#define START_AS(name, schedule, start_function)                                                                       \
	FG_EXPORT bool name(BOUNDS, WORD chunk, WORD *from, WORD *to)                                                  \
	{                                                                                                              \
		struct fg_loop loop = LOOP(schedule, chunk);                                                           \
		return start_function(fg_self_or_root(), &loop, (uint64_t *)from, (uint64_t *)to);                     \
	}
#define START_ICV_AS(name, schedule, start_function)                                                                   \
	FG_EXPORT bool name(BOUNDS, WORD *from, WORD *to)                                                              \
	{                                                                                                              \
		struct fg_loop loop = LOOP(schedule, 0);                                                               \
		return start_function(fg_self_or_root(), &loop, (uint64_t *)from, (uint64_t *)to);                     \
	}
#define START(name, schedule) START_AS(name, schedule, fg_loop_start)
#define START_ICV(name, schedule) START_ICV_AS(name, schedule, fg_loop_start)
#define START_ORDERED(name, schedule) START_AS(name, schedule, fg_loop_ordered_start)
#define START_ORDERED_ICV(name, schedule) START_ICV_AS(name, schedule, fg_loop_ordered_start)

#define START_FULL(name, is_ordered)                                                                                   \
	FG_EXPORT bool name(BOUNDS, long schedule, WORD chunk, WORD *from, WORD *to, uintptr_t *reductions,            \
			    void **memory)                                                                             \
	{                                                                                                              \
		struct fg_loop loop = LOOP(schedule_of(schedule) | (is_ordered ? FG_MONOTONIC : 0), chunk);            \
		return fg_loop_start_full(fg_self_or_root(), &loop, is_ordered, (uint64_t *)from, (uint64_t *)to,      \
					  reductions, memory);                                                         \
	}

#define START_DOACROSS_FULL(name)                                                                                      \
	FG_EXPORT bool name(unsigned dimensions, WORD *counts, long schedule, WORD chunk, WORD *from, WORD *to,        \
			    uintptr_t *reductions, void **memory)                                                      \
	{                                                                                                              \
		struct fg_loop loop = loop_of(IS_SIGNED, true, 0, (uint64_t)counts[0], 1,                              \
					      schedule_of(schedule) | FG_MONOTONIC, (uint64_t)chunk);                  \
		return fg_doacross_start(fg_self_or_root(), dimensions, (uint64_t *)counts, &loop, (uint64_t *)from,   \
					 (uint64_t *)to, reductions, memory);                                          \
	}
#define START_DOACROSS(name, full, schedule)                                                                           \
	FG_EXPORT bool name(unsigned dimensions, WORD *counts, WORD chunk, WORD *from, WORD *to)                       \
	{                                                                                                              \
		return full(dimensions, counts, (long)(schedule), chunk, from, to, NULL, NULL);                        \
	}
#define START_DOACROSS_ICV(name, full, schedule)                                                                       \
	FG_EXPORT bool name(unsigned dimensions, WORD *counts, WORD *from, WORD *to)                                   \
	{                                                                                                              \
		return full(dimensions, counts, (long)(schedule), 0, from, to, NULL, NULL);                            \
	}
