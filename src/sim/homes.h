/* Homes: on which NUMA nodes of the simulated machine the program's pages lie, and what the runtime is told of that (floor: sim).
 *
 * A page lies where an allocator that places its blocks wants it (the trait `partition`), else on the node of the PU that touches it first. */
#pragma once
#include <stdint.h>

#define FG_HOME_PAGE 4096

/* From now on these answer, not the kernel (memory/where.h). The machine is known. */
void fg_home_start(void);
/* Of a page that is touched for the first time, by number, by a PU of that node. Nodes: places among the machine's. */
unsigned fg_home_new(uintptr_t page, unsigned node);
