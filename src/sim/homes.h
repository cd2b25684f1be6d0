/* Homes (floor: sim; used by pages.c and start.c): on which NUMA nodes of the simulated machine the program's pages
 * lie, and what the runtime is told of that.
 *
 * A page lies where an allocator that places its blocks wants it (the trait `partition`). Else it lies on the node of
 * the PU that touches it first. */
#pragma once
#include <stdint.h>

#define FG_HOME_PAGE 4096

/* The machine must be known. From now on these functions answer instead of the kernel (memory/where.h). */
void fg_home_start(void);
/* A PU of `node` touches the page of that number for the first time. Returns the page's node. Nodes are places among
 * the machine's. */
unsigned fg_home_new(uintptr_t page, unsigned node);
