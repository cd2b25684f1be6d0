/* What `forestgomp top` shows (command; called by top.c and top_print.c). */
#pragma once
#include "process.h"
#include "view.h"
#include <stdio.h>

enum top_state {
	TOP_REGION,    /* it has told so just now */
	TOP_BUSY,      /* it uses CPU time, and has not told: it is alone, or outside of regions */
	TOP_IDLE,      /* it uses no CPU time */
	TOP_STOPPED,   /* by a signal or a debugger */
	TOP_ELSEWHERE, /* it tells, and is no process that is seen from here */
};

/* One program. Numbers are PUs, as means since the last picture. Negative: not known. */
struct top_row {
	struct view_program program;
	struct process process;
	enum top_state state;
	double used, lost; /* as it tells */
	double cpu;	   /* its CPU time, as the system tells */
};

struct top_picture {
	double seconds; /* since the last picture */
	unsigned pus;	/* of the machine, online */
	double busy;	/* PUs that were not idle; negative: not known */
	unsigned n;
	struct top_row row[FG_BOARD_ENTRIES];
};

/* The PUs that processes used which are not on the board; negative: not known. */
double top_outside(const struct top_picture *picture);
/* Each line is cut to so many columns (0: no limit). Lines that do not fit into `rows` (0: all do) are left out.
 * Returns the number of lines. `end` stands at the end of each. */
unsigned top_print(FILE *file, const struct top_picture *picture, unsigned columns, unsigned rows, const char *end);
/* One object, on one line. */
void top_print_json(FILE *file, const struct top_picture *picture);
