/* The score: the recorded tree of regions as a file that the player runs again (command; score.c writes it,
 * tools/player.c reads it).
 *
 * A strand is the work of one member of a region, of one explicit task, or of the program's first thread, which has
 * number 0. It is a list of steps. The file is the head, then strands, regions, members and steps. Each region and each
 * task belongs to exactly one step, so the strands are a tree. */
#pragma once
#include <stdint.h>

#define FG_SCORE_MAGIC "FGSCORE1"
#define FG_SCORE_SITES 64 /* regions of the program that the player can tell apart */
#define FG_SCORE_NONE (~0u)
#define FG_SCORE_LINE 64 /* bytes */

enum fg_score_kind {
	FG_SCORE_WORK,	    /* computes for `number` ns */
	FG_SCORE_BARRIER,   /* of the strand's team */
	FG_SCORE_REGION,    /* meets the region `number` */
	FG_SCORE_TASK,	    /* makes an explicit task: the strand `number` */
	FG_SCORE_CHILDREN,  /* waits for the tasks that it made */
	FG_SCORE_GROUP,	    /* opens a taskgroup */
	FG_SCORE_GROUP_END, /* waits for the tasks in it */
	FG_SCORE_READ,	    /* reads `lines` lines of 64 bytes from the address `number` on */
	FG_SCORE_WRITE,	    /* writes them */
};

struct fg_score_step {
	uint64_t number;
	uint32_t kind;
	uint32_t lines;
};

struct fg_score_strand {
	uint64_t first, n_steps;
};

struct fg_score_region {
	uint32_t members, first_member;
	uint32_t site; /* which region of the program it is, below FG_SCORE_SITES */
	uint32_t told; /* 0: the program told no loads; 1: of the team; 2: of its members */
	double load;   /* of the team */
};

struct fg_score_member {
	double load;
	uint32_t strand; /* FG_SCORE_NONE: it does nothing */
	uint32_t reserved;
};

struct fg_score_head {
	char magic[8];
	uint64_t n_strands, n_regions, n_members, n_steps;
};
