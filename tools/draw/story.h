/* The story of a trace that was read (command; used by page.c, perfetto.c and table.c): bubbles, threads, where
 * and when each thread ran, and what each region cost. */
#pragma once
#include "draw/trace_read.h"

#define FG_NOBODY (~0u)

/* What a thread does while it has a PU. */
enum fg_doing { FG_RUNS, FG_RUNS_TASK, FG_WAITS };

struct fg_story_thread {
	uint64_t key;	 /* bubble's number << 32 | member */
	uint32_t bubble; /* index */
	uint32_t member;
	uint64_t begin, end;	     /* 0: not seen */
	uint64_t waited, off_pu;     /* at barriers; elsewhere without a PU; both between begin and end */
	uint64_t helped, task_since; /* it ran tasks while it waited, or after its end */
	uint32_t lane, pu;	     /* where it ran last; FG_NOBODY: it has not run */
	uint64_t since;		     /* since then it waits, or has no PU */
	unsigned tasks;		     /* tasks that it is within */
	bool waits, away, ended;
};

struct fg_story_bubble {
	uint32_t number;
	uint32_t parent, parent_member; /* index of a bubble, or FG_NOBODY */
	uint32_t region;
	uint32_t members, mode; /* members 0: not seen */
	uint64_t meet, join;	/* join 0: not seen */
	uint32_t first_thread, n_threads;
	uint32_t depth;
	uint64_t cpu, whole; /* as in the region */
};

struct fg_story_slice {
	uint64_t from, to;
	uint32_t thread;
	uint32_t lane;
	uint16_t pu;
	uint8_t doing;
};

/* A region in the program's code: a call site. */
struct fg_story_region {
	uint64_t function;
	char name[256];	 /* of the outlined function */
	char label[256]; /* for the reader */
	uint64_t calls, time, shortest, longest;
	uint64_t outermost; /* the part of `time` in no other region */
	uint64_t open;	    /* calls that were not left */
	uint64_t timed;	    /* calls that were timed: the times are of all calls, as far as these tell */
	uint64_t members;   /* of all calls */
	uint32_t fewest, most;
	uint64_t cpu;	/* time of PUs, without the regions within it */
	uint64_t whole; /* the same, with them */
	char file[256]; /* of the source; empty: not known */
	unsigned line;
	uint64_t work, most_work; /* of all members, with regions they met; sum of each call's longest times members */
	uint64_t waited;
	uint64_t steals, migrations, suspensions, preemptions, tasks;
	bool nested;
};

struct fg_story {
	const struct fg_trace *trace;
	struct fg_story_bubble *bubbles; /* by number */
	size_t n_bubbles;
	struct fg_story_thread *threads; /* by bubble and member */
	size_t n_threads;
	struct fg_story_slice *slices; /* in the order in which they end */
	size_t n_slices;
	struct fg_story_region *regions; /* ordered by time, longest first */
	size_t n_regions;
	uint64_t from, to; /* first and last event */
};

struct fg_story *fg_story_tell(const struct fg_trace *trace);
void fg_story_free(struct fg_story *story);
/* Return the index of a bubble by its number, and of a thread; FG_NOBODY if it is unknown. */
uint32_t fg_story_bubble_of(const struct fg_story *story, uint32_t number);
uint32_t fg_story_thread_of(const struct fg_story *story, uint32_t number, uint32_t member);
/* Returns how much longer the busiest member worked than the average, over all calls. 0 is perfect. */
double fg_story_imbalance(const struct fg_story_region *region);
