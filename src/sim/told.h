/* Told: what the rest of the runtime gets to know of the program's memory (floor: sim; called by memory.c and start.c).
 * These are counts for policies and the report, and samples for FGOMP_MEMORY. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* From now on policies get these counts instead of the kernel's (platform/counters.h): by PU, and by simulated kernel
 * thread. */
void fg_told_counts(void);
/* Returns how many lines a PU has had so far from the memory or the caches of other NUMA nodes. */
uint64_t fg_told_remote(unsigned pu);
/* The running PU has gone through a part of a range for so long. `at` is where that part begins, unless the range
 * begins later. */
void fg_told_sample(const void *range, uintptr_t at, bool writes, uint64_t ns);
