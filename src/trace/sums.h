/* Sums: what each region costs, summed up while the program runs (floor: trace; the floors exec and team call it;
 * FGOMP_STATS=FILE).
 *
 * The sums lie in the file of the trace (file.c), in records of one size (format.h), which the workers map. So they
 * hold for a run of days, and are there however the process ends: of regions that are not left, the records of their
 * calls and members tell how far they got. A worker writes only records of its own, but for the sums of a call.
 *
 * A clock is read only as often as the cost stays at some per cent. Short calls of a region, and short phases between
 * barriers, are timed now and then, after a random number of others. A timed one stands for those, too.
 *
 * The callers are as those of lane.h: inside, perhaps in the preemption handler, and with a lock held. Nothing here
 * allocates or locks. sums.c tells which thread writes a record. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "trace/format.h"
#include "trace/trace.h"

/* Where the team's last call was counted, if it was not timed. Most calls need nothing else. */
struct fg_sums_skipped {
	uint64_t function;		  /* 0: it was timed, or there was none */
	const struct fg_trace_lane *lane; /* the worker's */
	struct fg_trace_row *row;	  /* of the function and the lane */
};

/* A region is met on the worker of this lane (NULL: it has none so far). The result is NULL if this call is not
 * timed. */
struct fg_trace_sum *fg_sums_meet(const struct fg_trace_lane *of, uint64_t function, bool is_nested,
				  struct fg_sums_skipped *skipped);
/* The same worker meets the same region again. True: the call is counted, and not timed. */
static inline bool
fg_sums_skip(const struct fg_sums_skipped *last, const struct fg_trace_lane *lane, uint64_t function)
{
	if (last->function != function || last->lane != lane || !last->row->skip)
		return false;
	last->row->skip--;
	return true;
}
/* Its team is made, or has shrunk. */
void fg_sums_team(struct fg_trace_sum *call, uint32_t members, uint32_t mode);
/* The region is left. `outer`: the caller as a member of the region around; NULL: there is none, or it is not timed. */
void fg_sums_join(struct fg_trace_sum *call, struct fg_trace_sum *outer);

/* The caller begins as a member of the call (NULL: it is not timed). `last` is its record so far, or NULL. Returns its
 * new record, or NULL. */
struct fg_trace_sum *fg_sums_begin(struct fg_trace_sum *call, struct fg_trace_sum *last);
/* The same, but the member has ended before: it runs only tasks. */
struct fg_trace_sum *fg_sums_again(struct fg_trace_sum *call, struct fg_trace_sum *last);
void fg_sums_end(struct fg_trace_sum *member, struct fg_trace_sum *call);
/* The record is of no more use, if its member has ended. */
void fg_sums_forget(struct fg_trace_sum *member);

/* The member waits at a barrier, and goes on. So many waits should be skipped before the next one is timed. */
void fg_sums_wait(struct fg_trace_sum *member);
uint16_t fg_sums_go(struct fg_trace_sum *member);

void fg_sums_task_slow(struct fg_trace_sum *member);
void fg_sums_task_end_slow(struct fg_trace_sum *member, struct fg_trace_sum *call);
void fg_sums_leave_slow(struct fg_trace_sum *member, bool waits);
void fg_sums_resume_slow(struct fg_trace_sum *member);
void fg_sums_preempt_slow(struct fg_trace_sum *member);
/* A member or a thread of this call was stolen. */
void fg_sums_stolen_slow(const struct fg_trace_sum *call);

/* The events of a member. It may be NULL. */
#define FG_SUMS_EVENT(name)                                                                                            \
	static inline void fg_sums_##name(struct fg_trace_sum *member)                                                 \
	{                                                                                                              \
		if (__builtin_expect(fg_recording.sums, 0) && member)                                                  \
			fg_sums_##name##_slow(member);                                                                 \
	}
FG_SUMS_EVENT(task)
FG_SUMS_EVENT(resume)
FG_SUMS_EVENT(preempt)
FG_SUMS_EVENT(stolen)
#undef FG_SUMS_EVENT

/* The member loses its PU. `waits`: at a barrier that is not timed. */
static inline void
fg_sums_leave(struct fg_trace_sum *member, bool waits)
{
	if (__builtin_expect(fg_recording.sums, 0) && member)
		fg_sums_leave_slow(member, waits);
}

/* Regions that found no room in the file. */
uint64_t fg_sums_dropped(void);
