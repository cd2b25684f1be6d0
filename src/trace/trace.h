/* Trace: a record of the runtime's events and their times, from the table in events.h (floor: trace; forest and all
 * floors above call it; FGOMP_TRACE=FILE).
 *
 * Each worker writes records of one size into its own blocks of the file. They are mapped, and need no locks (file.c).
 * If the file may not grow, a worker overwrites its oldest block. Without a trace an event costs one load and one
 * branch. `forestgomp trace` reads the file.
 *
 * fg_trace_open steps into files, so it is called outside and without a lock. Events are written as lane.h says: their
 * caller is inside, or has no identity. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "trace/events.h"

/* A worker's data for its events. They are made at its first event. */
struct fg_trace_lane;

struct fg_trace_worker {
	unsigned pu;
	int tid; /* of the kernel thread that carries it; 0: it is no worker */
};

/* What is recorded. It has hidden visibility, because each switch reads it directly. */
extern struct fg_recording {
	struct fg_atomic_u32 opened; /* fg_trace_open was called, and has returned */
	bool trace;
	bool sums; /* calls of regions are summed up (sums.h) */
	bool any;  /* one of the two */
} fg_recording __attribute__((visibility("hidden")));
void fg_trace_slow(enum fg_event event, uint32_t bubble, uint32_t member, uint32_t a, uint64_t b);

/* `bubble` is its number, and 0 outside of regions. */
static inline void
fg_trace(enum fg_event event, uint32_t bubble, uint32_t member, uint32_t a, uint64_t b)
{
	if (__builtin_expect(fg_recording.trace, 0))
		fg_trace_slow(event, bubble, member, a, b);
}

/* Opens the file, once. It uses files and malloc, so the caller calls it before the first region. */
void fg_trace_open(void);
/* Traces are on, and a member of the bubble `parent` (0: outside of regions) meets a region. Returns the number of the
 * region's bubble. */
uint32_t fg_trace_meet(void (*function)(void *), uint32_t parent, uint32_t member);

/* Reads FGOMP_TRACE and FGOMP_STATS. It must be called once, when the library is loaded. The file is made when the
 * first region is met. Then `describe` appends what the floors above have to say of the machine and of the run. `here`:
 * see lane.h. */
void fg_trace_start(struct fg_trace_lane **(*here)(struct fg_trace_worker *worker), void (*describe)(void));
/* The caller is the child of a fork: the file is the parent's. */
void fg_trace_after_fork(void);
