/* Trace: what the runtime did when, from one table of events (floor: trace; called by forest and all above; FGOMP_TRACE=FILE).
 *
 * Each worker writes records of one size into blocks of the file that are its own, mapped, without locks (file.c). Where the file may
 * not grow any more, a worker writes over its oldest. Off, an event costs one load and one branch. `forestgomp trace` reads the file. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* A level of the machine, as a and b: its first PU and how many it has.
 * X(event, what has happened, what it is about, a, b): the words for a and b are names of fields in what readers write. */
#define FG_EVENTS(X)                                                                                                   \
	X(meet, "a thread meets a region: a bubble is born", bubble, parent, function)                                 \
	X(team, "the bubble's team is made", bubble, members, mode)                                                    \
	X(begin, "a member begins", thread, none, none)                                                                \
	X(end, "a member has come to the end of its region", thread, none, none)                                       \
	X(join, "all members have ended, and the region is left", bubble, none, none)                                  \
	X(put, "a bubble is put on a runqueue", bubble, first_pu, n_pus)                                               \
	X(take, "a bubble is taken off a runqueue: moved, or all its members are born", bubble, first_pu, n_pus)       \
	X(ready, "a thread that was suspended may go on, and lies on a runqueue", thread, first_pu, n_pus)             \
	X(suspend, "a thread leaves its PU", thread, none, none)                                                       \
	X(resume, "a thread goes on", thread, none, none)                                                              \
	X(preempt, "a thread's time slice is over", thread, none, none)                                                \
	X(steal, "an idle PU took a member or a thread from elsewhere", thread, none, none)                            \
	X(lend, "a member goes to an idle PU for the rest of a phase", thread, to_pu, none)                            \
	X(wait, "a thread has come to a barrier", thread, none, none)                                                  \
	X(go, "a thread leaves a barrier", thread, none, none)                                                         \
	X(task, "a thread takes up an explicit task", thread, none, function)                                          \
	X(task_end, "the task is over", thread, none, function)                                                        \
	X(relieve, "a spare takes over the PU of a thread that is blocked in the kernel", thread, none, none)          \
	X(sleep, "a worker without work sleeps", worker, none, none)                                                   \
	X(wake, "it is awake again", worker, none, none)

enum fg_event {
	FG_EVENT_none,
#define FG_EVENT_NAME(event, meaning, about, a, b) FG_EVENT_##event,
	FG_EVENTS(FG_EVENT_NAME)
#undef FG_EVENT_NAME
		FG_EVENT_COUNT
};

/* What a worker keeps for its events; made at the first. */
struct fg_trace_lane;

extern bool fg_trace_on;
/* Set by exec: where the calling thread's worker keeps its lane, and that worker's PU; NULL: it has no worker. */
extern struct fg_trace_lane **(*fg_trace_here)(unsigned *pu);
void fg_trace_slow(enum fg_event event, uint32_t bubble, uint32_t member, uint32_t a, uint64_t b);

/* bubble: its number, 0 outside of regions. */
static inline void
fg_trace(enum fg_event event, uint32_t bubble, uint32_t member, uint32_t a, uint64_t b)
{
	if (__builtin_expect(fg_trace_on, 0))
		fg_trace_slow(event, bubble, member, a, b);
}

/* A region is met, by a member of the bubble `parent` (0: outside of regions), and traces are on: its bubble's number. */
/* Opens the file, once: before the first region, with files and malloc. */
void fg_trace_open(void);
uint32_t fg_trace_meet(void (*function)(void *), uint32_t parent, uint32_t member);

/* Reads FGOMP_TRACE; to be called once, when the library is loaded. The file is made when the first region is met. */
void fg_trace_start(void);
/* In the child of a fork: the file is the parent's. */
void fg_trace_after_fork(void);
