/* Levels: the machine on which the runtime runs: its PUs, and the runqueue of each level (floor: exec; called by
 * root.c, by most sub-floors above, by team and by the simulator).
 *
 * Any thread may call, inside or outside. fg_levels_deepen steps out, so its caller holds no lock and is in no handler.
 * fg_levels_start takes a spin lock: its caller is inside, or has no identity yet. The other questions are plain reads.
 *
 * Runqueues are made and never freed. A level is complete before another thread finds it: the list above it, or the
 * parent pointer of a leaf, is stored last, with release. */
#pragma once
#include "forest/runqueue.h"
#include "machine/machine.h"

/* Makes the runqueues of the machine and of its PUs, once. This is cheap, because the inner levels come with
 * fg_levels_deepen(). */
void fg_levels_start(void);
/* Reads the machine's own tree (hwloc, some milliseconds) and puts its inner levels between the two, once. */
void fg_levels_deepen(void);
/* It has done so. */
bool fg_levels_are_deep(void);
/* The runqueue of a slot's PU. Slots beyond the number of PUs share these runqueues. */
struct fg_runqueue *fg_levels_leaf(unsigned slot);
/* The runqueue of the whole machine. */
struct fg_runqueue *fg_levels_top(void);
/* In the child of a fork: forgets all entities that lie on the runqueues. */
void fg_levels_after_fork(void);
