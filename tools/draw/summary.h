/* The summary of a run: its time, and what each region cost (command; made for table.c, by `forestgomp trace` and
 * `forestgomp run --stats`). It comes from the sums that the runtime kept (trace/sums.h), else from the events of the
 * trace. */
#pragma once
#include "draw/story.h"

struct fg_summary {
	const struct fg_trace *trace;
	const struct fg_story_region *regions; /* longest first */
	size_t n_regions;
	uint64_t met;		     /* regions */
	uint64_t wall, outside;	     /* ns of the run, and of it in no region */
	uint64_t cpu;		     /* CPU time of the process in ns; 0: not known */
	uint64_t open;		     /* regions that were not left */
	bool complete;		     /* it is of the whole run, up to its end */
	bool estimated;		     /* some calls were not timed */
	struct fg_story_region *own; /* `regions`, if they are to be freed */
};

/* `ended`: the time at which the process was seen to be over, on the clock of live traces; 0: not known. */
struct fg_summary fg_summary_of_story(const struct fg_story *story, uint64_t ended);
/* The trace has sums. */
struct fg_summary fg_summary_of_sums(const struct fg_trace *trace, uint64_t ended);
void fg_summary_free(struct fg_summary *summary);

/* Of a region: how many PUs computed in it on the average, which is its speed-up at most; how much of its time members
 * spent waiting for each other, on the average; the share of their time that is. */
double fg_summary_speedup(const struct fg_story_region *region);
uint64_t fg_summary_saves(const struct fg_story_region *region);
double fg_summary_waiting(const struct fg_story_region *region);
