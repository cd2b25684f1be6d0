/* The score of a trace: the recorded tree of regions, tasks and barriers, with the time that each thread itself
 * computed between them (command; used by `forestgomp replay`).
 *
 * Time at barriers, off the PU and asleep is no computing. Nor is the time of touches, because the simulated machine
 * finds it anew. What the trace cannot tell, or the player cannot do, is
 * counted in the losses. */
#pragma once
#include "draw/score_format.h"
#include "draw/story.h"

struct fg_score_line {
	struct fg_score_step *steps;
	size_t n, room;
	uint32_t member_of; /* region; FG_SCORE_NONE: the program's first thread, or a task */
	uint32_t depth;	    /* regions around */
	uint32_t barriers, groups;
	bool open; /* the player reaches it */
};

struct fg_score_losses {
	uint64_t computing;	 /* ns of computing that are in the trace, but not in the score */
	uint64_t memory;	 /* ns of touches that are not in it */
	uint64_t touches;	 /* such touches */
	uint64_t other_roots;	 /* regions met by a thread of the program while another was in a region */
	uint64_t broken;	 /* regions that the trace does not tell completely */
	uint64_t deep;		 /* regions too deep in others */
	uint64_t uneven;	 /* teams whose members have met different numbers of barriers */
	uint64_t tasks_unmade;	 /* tasks of which no event tells their maker */
	uint64_t follows;	 /* tasks that may have waited for others */
	uint64_t relieved;	 /* threads that were blocked in the kernel */
	uint64_t areas;		 /* hints of memory */
	uint64_t places;	 /* members bound by OMP_PROC_BIND and OMP_PLACES */
	uint64_t kernel_threads; /* teams of kernel threads */
	uint64_t sites;		 /* regions of the program beyond FG_SCORE_SITES */
};

struct fg_score {
	struct fg_score_line *strands;
	size_t n_strands, strands_room;
	struct fg_score_region *regions; /* as many as the story has bubbles */
	struct fg_score_member *members;
	size_t n_regions, n_members;
	uint64_t n_met, n_barriers, n_tasks; /* of the score */
	uint64_t first, last;	 /* the first region is met, or the first touch comes; the last region is left */
	uint64_t computing;	 /* ns, of the score */
	uint64_t moved;		 /* part of it on another NUMA node than where the member began */
	uint64_t serial;	 /* part of it outside of regions */
	uint64_t memory;	 /* ns that went to data of the program; they are no computing */
	uint64_t placed;	 /* part of it for pages that an allocator has placed */
	uint64_t touches, lines; /* how often, and how many lines in all */
	struct fg_score_losses losses;
};

/* Without `data`, the time of touches is computing. NULL: nothing can be replayed. Then `why` has the reason in one
 * line. */
struct fg_score *fg_score_make(const struct fg_story *story, bool data, char *why, size_t why_size);
void fg_score_free(struct fg_score *score);
/* Returns false, with errno set, if the file cannot be written. */
bool fg_score_write(const struct fg_score *score, int file);
