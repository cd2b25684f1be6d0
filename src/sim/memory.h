/* Memory: what the program's own data cost on the simulated machine, where the program says what it goes through (fgomp_sim_read and
 * fgomp_sim_write of forestgomp.h; floor: sim). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FG_MEMORY_LINE 64

/* Counts by PU and by simulated kernel thread, for policies. From now on, instead of the kernel's (platform/counters.h). */
void fg_memory_count(void);
/* The node of a page, by number, as its place among the machine's; -1: nobody has touched it. */
int fg_memory_home(uintptr_t page);
/* The program has given these pages back: who touches them next finds others. */
void fg_memory_forget(uintptr_t first, uintptr_t last);

/* The caller has gone through so many bytes, once. */
void fg_memory_touch(const void *start, size_t bytes, bool writes);
/* Where computing is timed: what of a stretch of computing on the running PU is not charged as a local access already. */
uint64_t fg_memory_beyond(uint64_t ns);
/* Lines that a PU has had from other NUMA nodes so far, out of their memory or their caches. */
uint64_t fg_sim_remote_accesses(unsigned pu);
