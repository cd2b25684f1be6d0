/* The machine the runtime runs on: its PUs, and the runqueue of each level (floor: exec; called by root.c, workers.c,
 * dock.c, birth.c and the monitor). */
#pragma once
#include "forest/runqueue.h"
#include "machine/machine.h"

/* Makes the runqueues of the machine and of its PUs; once, cheap: the inner levels come with fg_levels_deepen(). */
void fg_levels_start(void);
/* Reads the machine's own tree (hwloc, some milliseconds) and puts its inner levels between the two; once. */
void fg_levels_deepen(void);
/* The runqueue of a slot's PU; slots beyond the number of PUs share. */
struct fg_runqueue *fg_levels_leaf(unsigned slot);
/* The runqueue of the whole machine. */
struct fg_runqueue *fg_levels_top(void);
/* Forgets all that lies on the runqueues: in the child of a fork. */
void fg_levels_after_fork(void);
