/* Memory (floor: sim; used by homes.c, pages.c, carrier.c and start.c): the cost of the program's own data on the
 * simulated machine. The program tells what it goes through with fgomp_sim_read and fgomp_sim_write (forestgomp.h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FG_MEMORY_LINE 64

/* Returns the node of the page of that number, as its place among the machine's; -1 if no PU has touched the page. */
int fg_memory_home(uintptr_t page);
/* The program has given these pages back: a PU that touches them next finds new ones. */
void fg_memory_forget(uintptr_t first, uintptr_t last);

/* The page of that number goes to a node, and no cache has its lines any more. The memories and the links on the way
 * are busy for its lines. False: no PU has touched it. */
bool fg_memory_move(uintptr_t page, unsigned node);

/* A line goes between the nodes of two PUs now. Returns the nanoseconds that it waits for their links. */
uint64_t fg_memory_link(unsigned from, unsigned to);

/* The caller goes through so many bytes, once. */
void fg_memory_touch(const void *start, size_t bytes, bool writes);
