/* View: the programs on a copy of the board (command; called by top.c, limit.c and unit tests).
 *
 * Any program of the user may have written any bytes there. Each number that comes out is in its range. What it says
 * may be wrong all the same. */
#pragma once
#include "process.h"
#include "share/entry.h"

struct view_program {
	uint64_t word; /* in `taken`: tells apart two programs that had the entry */
	int process;
	uint64_t stamp; /* its last look, ns of CLOCK_MONOTONIC (view_may_be_of) */
	bool active;	/* it has looked in a region just now; else `granted` and `wanted` are not known */
	bool bound;	/* it gives nothing away */
	unsigned granted, wanted, pus; /* 0: it has not told */
	unsigned limit;		       /* 0: none */
	double demand;		       /* PUs: the mean that it could keep busy */
	uint64_t used, lost;	       /* ns of PUs; only the difference of two copies means something */
	struct fg_cpuset cpus;	       /* it may run there */
	bool chooses;		       /* it has a set of PUs, while it is active */
	struct fg_cpuset set;
};

/* $XDG_RUNTIME_DIR as the library takes it; "": it does not count. */
const char *view_folder(void);
/* The entry with this stamp may be that of the process; false: the process started later. A program that comes to rest
 * dates its stamp back by FG_ENTRY_YOUNG_NS (share/share.c), perhaps to before its start. */
bool view_may_be_of(uint64_t stamp, const struct process *process);
/* Returns how many there are, in the order of the entries. `programs` has room for FG_BOARD_ENTRIES. now: of
 * CLOCK_MONOTONIC. */
unsigned view_programs(struct fg_board *copy, uint64_t now, struct view_program *programs);
