/* Trace: what the runtime did when, from one table of events (floor: trace; called by exec; FGOMP_TRACE=FILE).
 *
 * Each worker writes a ring of its own, without locks; when the process exits the rings are written to the file, a line an event in
 * the order of time: "TIME_us WORKER EVENT VALUE". The newest events of a worker are kept. Off, an event costs one load and
 * one branch. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* X(event, meaning of its value) */
#define FG_EVENTS(X)                                                                                                   \
	X(fork, "members of a flat region")                                                                            \
	X(join, "members of a flat region that has ended")                                                             \
	X(publish, "members of a nested region that were made available")                                              \
	X(birth, "number of the member that was born")                                                                 \
	X(steal, "0")                                                                                                  \
	X(suspend, "0")                                                                                                \
	X(preempt, "0")                                                                                                \
	X(lend, "number of the member that goes to an idle PU")                                                        \
	X(sleep, "0")                                                                                                  \
	X(wake, "0")

enum fg_event {
#define FG_EVENT_NAME(event, meaning) FG_EVENT_##event,
	FG_EVENTS(FG_EVENT_NAME)
#undef FG_EVENT_NAME
		FG_EVENT_COUNT
};

struct fg_trace_ring;

extern bool fg_trace_on;
void fg_trace_slow(struct fg_trace_ring **ring, enum fg_event event, uint32_t value);

/* *ring belongs to the calling worker; made at its first event. */
static inline void
fg_trace(struct fg_trace_ring **ring, enum fg_event event, uint32_t value)
{
	if (__builtin_expect(fg_trace_on, 0))
		fg_trace_slow(ring, event, value);
}

/* Reads FGOMP_TRACE; to be called once, when the library is loaded. */
void fg_trace_start(void);
/* In the child of a fork: the file is the parent's. */
void fg_trace_after_fork(void);
