/* Homes (floor: sim; called by start.c): on which NUMA nodes of the simulated machine the program's pages lie, and what
 * the runtime is told of that.
 *
 * A page lies where an allocator that places its blocks wants it (the trait `partition`). Else it lies on the node of
 * the PU that touches it first. */
#pragma once

/* The machine must be known. From now on these functions answer instead of the kernel (memory/where.h). */
void fg_home_start(void);
